-- Clean-up looks for the oldest rows in many small statements, so every table
-- that is cleaned by time has a btree of that time: of a BRIN index the ranges
-- keep their lowest value when rows are deleted, so that after the first window
-- it found nothing faster than a scan. The tables are large, and servers of the
-- version before write to them meanwhile, so the indexes are built concurrently;
-- what a migration that was cut off has left is dropped first.

-- +goose NO TRANSACTION
-- +goose Up
drop index concurrently if exists event_seen_expiry;
create index concurrently event_seen_expiry on event_seen (seen_at);
drop index concurrently if exists event_seen_seen_at;

drop index concurrently if exists checkout_attempt_expiry;
create index concurrently checkout_attempt_expiry on checkout_attempt (created_at);
drop index concurrently if exists checkout_attempt_unpaid;
create index concurrently checkout_attempt_unpaid on checkout_attempt (created_at) where confirmed_at is null;
drop index concurrently if exists checkout_attempt_created;

drop index concurrently if exists ingest_stat_expiry;
create index concurrently ingest_stat_expiry on ingest_stat (hour);

drop index concurrently if exists frame_invalidated_expiry;
create index concurrently frame_invalidated_expiry on frame_invalidated (at);
