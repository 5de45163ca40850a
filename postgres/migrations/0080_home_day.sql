-- Which days have hits in a range is told by the home day, and by the bounds of what is not all in its home day, which few
-- rows are. The bounds of all rows gave each a key of its own, which took nine times as much.

-- +goose NO TRANSACTION
-- +goose Up

-- An index whose building was interrupted stays behind, invalid.
drop index concurrently if exists product_session_day;
create index concurrently product_session_day on product_session (environment_id, home_day);
drop index concurrently if exists product_session_other_day;
create index concurrently product_session_other_day on product_session (environment_id, home_day) include (started_at, last_at)
    where (started_at at time zone 'UTC')::date < home_day or (last_at at time zone 'UTC')::date > home_day;
drop index concurrently if exists product_session_home_day;

drop index concurrently if exists flow_run_day;
create index concurrently flow_run_day on flow_run (environment_id, home_day);
drop index concurrently if exists flow_run_other_day;
create index concurrently flow_run_other_day on flow_run (environment_id, home_day) include (first_at, last_at)
    where (first_at at time zone 'UTC')::date < home_day or (last_at at time zone 'UTC')::date > home_day;
drop index concurrently if exists flow_run_home_day;
