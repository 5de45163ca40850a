-- Imports of the history of other tools, so that each can be listed and removed as a whole.

-- +goose Up
create table history_import (
    environment_id bigint not null,
    id uuid not null,
    source text not null, -- such as posthog
    file_name text not null,
    fingerprint text not null, -- of the file; '' where it can't be read again
    started_at timestamptz not null, -- the receive time of all its events
    finished_at timestamptz,
    removed_at timestamptz,
    lines bigint not null default 0,
    stored bigint not null default 0,
    duplicates bigint not null default 0,
    rejected bigint not null default 0,
    left_out bigint not null default 0,
    primary key (environment_id, id)
);
create unique index history_import_started on history_import (environment_id, started_at);

-- +goose Down
drop table history_import;
