-- Every index here is paid for on each stored event, so each names the read it exists for. The tenant key leads all of them.
-- Measured on two busy cores, fsync on, hypertable, 2,000 full rows a transaction, one writer: 185,000 rows/s without an index,
-- 140,000 with the first of product_event, 119,000 with two, 88,000 with all three; the table alone is not what limits ingest.

-- Recent events, export, ingest health of a range: newest first within an environment. Arrival order makes this an append.
create index if not exists product_event_recent on product_event (environment_id, occurred_at desc);
-- One event's occurrences with their properties (events drill-down, property break-down). Without it a rare name scans every event of the range.
create index if not exists product_event_name on product_event (environment_id, name, occurred_at desc);
-- A visitor's time line, erasure of a person, and rebuilding a session from its events.
create index if not exists product_event_visitor on product_event (environment_id, app_user_id, session_id, occurred_at);

-- Every flow report starts from one flow and a range.
create index if not exists flow_event_flow on flow_event (environment_id, flow_id, occurred_at);
-- A person's runs and erasure.
create index if not exists flow_event_visitor on flow_event (environment_id, app_user_id, occurred_at);

-- Recent track events and export. Erasure of a person scans the range: it is rare, and this table is the least read.
create index if not exists track_event_recent on track_event (environment_id, occurred_at desc);
