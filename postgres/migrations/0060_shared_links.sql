-- Links to reports of an environment for whoever has their token.

-- +goose Up
create table shared_links (
    id uuid primary key,
    created_at timestamptz not null default current_timestamp,
    name varchar not null,
    hash bytea not null,
    password_hash varchar not null default '',
    reports jsonb not null,
    scope jsonb not null,
    frame_origins jsonb not null,
    powered_by boolean not null default true,
    expires_at timestamptz,
    last_opened_at timestamptz,
    revoked_at timestamptz,
    environment_id bigint not null,
    user_id uuid not null,
    constraint shared_links_environments_shared_links foreign key (environment_id) references environments (id)
        on delete no action,
    constraint shared_links_users_shared_links foreign key (user_id) references users (id) on delete no action
);
create unique index shared_links_hash_key on shared_links (hash);
create index sharedlink_environment_id on shared_links (environment_id);

-- +goose Down
drop table shared_links;
