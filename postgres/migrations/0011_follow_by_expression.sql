-- Readers of reports find the changes of an environment by an expression that nobody else writes. As plain columns
-- the same indexes were taken for an environment's row of one person, by plans that ingest made while a table was
-- empty and kept until it was analyzed: each batch then read every row of the environment.

-- +goose NO TRANSACTION
-- +goose Up

-- An index whose building was interrupted stays behind, invalid.
drop index concurrently if exists product_session_unseen;
create index concurrently product_session_unseen on product_session ((environment_id + 0), changed_xid);
drop index concurrently if exists product_session_follow;

drop index concurrently if exists product_analytics_first_touch_unseen;
create index concurrently product_analytics_first_touch_unseen
    on product_analytics_first_touch ((environment_id + 0), changed_xid);
drop index concurrently if exists product_analytics_first_touch_follow;

drop index concurrently if exists revenue_ledger_unseen;
create index concurrently revenue_ledger_unseen on revenue_ledger ((environment_id + 0), changed_xid);
drop index concurrently if exists revenue_ledger_follow;

drop index concurrently if exists flow_run_unseen;
create index concurrently flow_run_unseen on flow_run ((environment_id + 0), changed_xid);
drop index concurrently if exists flow_run_follow;

drop index concurrently if exists frame_invalidated_unseen;
create index concurrently frame_invalidated_unseen on frame_invalidated ((environment_id + 0), xid);
drop index concurrently if exists frame_invalidated_follow;
