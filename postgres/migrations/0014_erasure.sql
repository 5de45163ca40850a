-- People who asked to be forgotten.

-- +goose Up

-- One row a request. It names the person until everything is gone, so that an erasure that was cut off goes on.
create table person_erasure (
    environment_id bigint not null,
    id uuid not null,
    requested_at timestamptz not null,
    finished_at timestamptz,
    app_user_ids text[] not null, -- empty when it is finished
    custom_user_id text not null default '', -- empty when it is finished
    removed jsonb not null default '{}', -- rows by table
    primary key (environment_id, id)
);
create index person_erasure_unfinished on person_erasure (requested_at) where finished_at is null;

-- Whose events are not taken for as long as clients may still send them.
create table erased_person (
    environment_id bigint not null,
    person uuid not null, -- first 128 bits of the SHA-256 of the app user id
    erased_at timestamptz not null,
    primary key (environment_id, person)
);
create index erased_person_at on erased_person (erased_at);
