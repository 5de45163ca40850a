-- Readers of reports follow the changes of one environment at a time, so that a
-- large change of one never delays the others: what they look for is found by
-- environment and transaction. The old indexes led by transaction alone.

-- +goose NO TRANSACTION
-- +goose Up

-- An index whose building was interrupted stays behind, invalid.
drop index concurrently if exists product_session_follow;
create index concurrently product_session_follow on product_session (environment_id, changed_xid);
drop index concurrently if exists product_session_changed;

drop index concurrently if exists product_analytics_first_touch_follow;
create index concurrently product_analytics_first_touch_follow on product_analytics_first_touch (environment_id, changed_xid);
drop index concurrently if exists product_analytics_first_touch_changed;

drop index concurrently if exists revenue_ledger_follow;
create index concurrently revenue_ledger_follow on revenue_ledger (environment_id, changed_xid);
drop index concurrently if exists revenue_ledger_changed;

drop index concurrently if exists frame_invalidated_follow;
create index concurrently frame_invalidated_follow on frame_invalidated (environment_id, xid);
drop index concurrently if exists frame_invalidated_xid;

-- A row without a day says that the environment lost rows that have none: first
-- touches or purchases. Readers read all of it anew.
alter table frame_invalidated alter column home_day drop not null;
