-- What people agreed to and when, and looking people up.

-- +goose Up

-- One row each time an app said something else about a consent than before; a thousand a person.
create table person_consent (
    environment_id bigint not null,
    person_id uuid not null,
    id bigint generated always as identity,
    at timestamptz not null,
    topic text not null default '', -- empty is marketing by e-mail
    consent text not null check (consent in ('granted', 'denied', 'unknown')),
    app_user_id text not null, -- the device that said so
    primary key (environment_id, person_id, id),
    foreign key (environment_id, person_id) references person (environment_id, id) on delete cascade
);

-- Beginnings of ids and addresses are looked for byte by byte.
create index person_newest on person (environment_id, created_at desc, id desc);
create index person_email on person (environment_id, lower(email) collate "C") where email <> '';
create index person_custom_user_text on person (environment_id, custom_user_id collate "C") where custom_user_id <> '';
create index person_device_text on person_device (environment_id, app_user_id collate "C");
