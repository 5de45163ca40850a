-- Where people are signed in, and second factors beside passwords.

-- +goose Up
delete from web_session; -- those of before do not say whose they are: everybody signs in once more
alter table web_session
    add column id uuid not null unique default gen_random_uuid(),
    add column user_id uuid references users on delete cascade,
    add column created_at timestamptz not null default now(),
    add column seen_at timestamptz not null default now(), -- within minutes
    add column device text not null default '', -- browser and system
    add column address text not null default '', -- that of seen_at
    add column method text not null default '';
create index web_session_user on web_session (user_id, seen_at);

-- The secret of a person's authenticator app, encrypted for the id.
create table totp (
    id uuid primary key,
    user_id uuid not null unique references users on delete cascade,
    key_id text not null,
    sealed bytea not null,
    used_step bigint not null default 0, -- codes of this time step and of those before it are used up
    confirmed_at timestamptz, -- null until a code was given
    created_at timestamptz not null default now()
);

create table recovery_code (
    user_id uuid not null references users on delete cascade,
    hash bytea not null,
    primary key (user_id, hash)
);

-- +goose Down
drop table recovery_code;
drop table totp;
alter table web_session
    drop column id,
    drop column user_id,
    drop column created_at,
    drop column seen_at,
    drop column device,
    drop column address,
    drop column method;
