-- Files of other tools that members upload, and what became of each line that was refused. Parts go when the file is
-- imported, or was given up.

-- +goose Up
create table history_upload (
    id uuid primary key,
    environment_id bigint not null references environments on delete cascade,
    source text not null,
    file_name text not null,
    bytes bigint not null check (bytes >= 0),
    received bigint not null default 0, -- of bytes
    state text not null default 'uploading'
        check (state in ('uploading', 'ready', 'running', 'finished', 'failed', 'removing')),
    time_zone text not null default 'UTC',
    problem text not null default '',
    import_id uuid, -- of history_import, once it has begun
    resume_at bigint not null default 0, -- the line
    before jsonb not null default '{}', -- counts of the lines before it
    read_bytes bigint not null default 0,
    created_at timestamptz not null default now(),
    changed_at timestamptz not null default now()
);
create index history_upload_environment on history_upload (environment_id, created_at);
create index history_upload_work on history_upload (changed_at) where state not in ('finished', 'failed');

create table history_upload_part (
    upload_id uuid not null references history_upload on delete cascade,
    position bigint not null, -- of its first byte
    content bytea not null,
    primary key (upload_id, position)
);
alter table history_upload_part alter column content set storage external; -- files are packed already, or read once

create table history_upload_reject (
    upload_id uuid not null references history_upload on delete cascade,
    line bigint not null,
    event_id text not null,
    code text not null,
    message text not null,
    primary key (upload_id, line)
);

-- +goose Down
drop table history_upload_reject;
drop table history_upload_part;
drop table history_upload;
