-- Passkeys, and what workspaces ask of sign-ins.

-- +goose Up
create table passkey (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    credential_id bytea not null unique,
    name text not null,
    data jsonb not null, -- the public key with its flags, as the library of WebAuthn writes it
    sign_count bigint not null,
    cloned boolean not null default false, -- its counter went back: there may be a copy
    created_at timestamptz not null,
    last_used_at timestamptz
);
create index passkey_user on passkey (user_id);

create table sign_in_rule (
    workspace_id uuid primary key references workspaces on delete cascade,
    rule text not null
);

-- Who somebody is at an OpenID provider.
create table user_identity (
    issuer text not null,
    subject text not null,
    user_id uuid not null references users on delete cascade,
    created_at timestamptz not null default now(),
    primary key (issuer, subject),
    unique (user_id, issuer)
);

-- +goose Down
drop table user_identity;
drop table sign_in_rule;
drop table passkey;
