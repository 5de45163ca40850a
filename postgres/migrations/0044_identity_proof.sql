-- Proof of custom user ids: the server of an app signs them with a secret of the environment.

-- +goose Up

create table identity_proof (
    environment_id bigint primary key references environments on delete cascade,
    mode text not null check (mode in ('off', 'watch', 'required'))
);

-- What proofs are made with; two while one is replaced by another. The newest has the greatest id.
create table identity_secret (
    id uuid not null,
    environment_id bigint not null references environments on delete cascade,
    key_id text not null, -- of the server key that sealed is encrypted with
    sealed bytea not null,
    created_at timestamptz not null default now(),
    primary key (environment_id, id)
);

-- How often apps named a custom user id, by UTC day and by what proved it.
create table identity_proof_count (
    environment_id bigint not null references environments on delete cascade,
    day date not null,
    proved bigint not null,
    missing bigint not null,
    wrong bigint not null,
    primary key (environment_id, day)
);
create index identity_proof_count_expiry on identity_proof_count (day);
