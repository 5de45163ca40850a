-- Runs of flows, merged in the ingest transaction from flow events as sessions are from product events.

-- +goose Up

-- What the ids in hits of flows stand for. kind: 1 step, 2 field, 3 option, 4 decision node, 5 case, 6 provider,
-- 7 outcome, 8 product. What people typed is never a name.
create table flow_name (
    environment_id bigint not null,
    id int not null check (id > 0 and id < 4194304),
    kind smallint not null check (kind between 1 and 8),
    text text not null,
    text_hash uuid not null, -- first 128 bits of the SHA-256 of text
    created_at timestamptz not null default now(),
    primary key (environment_id, id),
    unique (environment_id, kind, text_hash)
);

-- One row a run id, or a derived key of hits that came without one. It holds the hits and nothing that depends on
-- their order, so that every merge puts hits together and is done: reading finds the order, the cut between the runs
-- of a derived key, and the hit that each attribute comes from. Both packed columns are described in analytics/run.
create table flow_run (
    environment_id bigint not null,
    app_user_id text not null,
    flow_id uuid not null,
    run_key uuid not null, -- the run id, else the hash of session or day, channel, version, experiment and variant
    derived boolean not null, -- some hit came without a run id
    started boolean not null, -- some hit is a flow_started
    first_at timestamptz not null,
    last_at timestamptz not null,
    home_day date not null, -- UTC day of the earliest hit of the first insert; never changes
    changed_xid xid8 not null default pg_current_xact_id(),
    hits bytea not null, -- 48 bytes each, in order of arrival
    contexts bytea not null, -- what was served, and on what: named by hits, each once
    hits_over_limit bigint not null default 0,
    primary key (environment_id, app_user_id, flow_id, run_key)
);
-- The bounds let a reader of reports learn which days have runs in a range without touching the rows.
create index flow_run_home_day on flow_run (environment_id, home_day) include (first_at, last_at);
create index flow_run_follow on flow_run (environment_id, changed_xid);
-- What ingest health counts.
create index flow_run_incomplete on flow_run (environment_id, first_at) where not started or hits_over_limit > 0;
