-- Notes on the charts of an environment, and what the latest refused events of each code were like.

-- +goose Up
create table notes (
    id uuid not null,
    created_at timestamptz not null default current_timestamp,
    at timestamptz not null,
    text varchar not null,
    updated_at timestamptz not null,
    environment_id bigint not null,
    user_id uuid not null,
    primary key (id),
    constraint notes_environments_notes foreign key (environment_id) references environments (id) on delete no action,
    constraint notes_users_notes foreign key (user_id) references users (id) on delete no action
);
create index note_environment_id_at on notes (environment_id, at);

create table ingest_reject_sample (
    environment_id bigint not null,
    path smallint not null, -- as in event_seen
    code text not null,
    samples jsonb not null, -- the latest first, at most five
    received_at timestamptz not null, -- of the latest
    primary key (environment_id, path, code)
);
create index ingest_reject_sample_expiry on ingest_reject_sample (received_at);
