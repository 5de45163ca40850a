-- Where environments are exported to as Parquet files, and what the last run did.

-- +goose Up
create table parquet_export (
    id uuid primary key,
    environment_id bigint not null unique references environments on delete cascade,
    endpoint text not null,
    region text not null, -- '' asks the storage
    bucket text not null,
    prefix text not null,
    access_key_id text not null,
    key_id text not null, -- of the server's key that sealed is encrypted with, for the id
    sealed bytea not null, -- the secret access key
    frequency text not null check (frequency in ('never', 'hourly', 'daily')),
    run_at timestamptz, -- of the next run; it stays until a run has ended, whatever became of the server
    created_at timestamptz not null default now(),
    saved_at timestamptz not null default clock_timestamp(), -- a run of what was saved before ends
    -- The last run; none before the first.
    started_at timestamptz,
    finished_at timestamptz,
    files bigint not null default 0, -- written
    unchanged bigint not null default 0,
    removed bigint not null default 0,
    rows bigint not null default 0,
    bytes bigint not null default 0,
    problem text not null default '', -- why it failed
    succeeded_at timestamptz -- when the last run ended that did not fail
);
create index parquet_export_due on parquet_export (run_at) where run_at is not null;

-- +goose Down
drop table parquet_export;
