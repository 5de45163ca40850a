-- Rules that watch metrics of an environment, and where each of them stands.

-- +goose Up
create table alerts (
    id uuid primary key,
    created_at timestamptz not null default current_timestamp,
    name varchar not null,
    rule jsonb not null,
    paused boolean not null default false,
    state jsonb not null,
    due_at timestamptz not null,
    updated_at timestamptz not null,
    environment_id bigint not null,
    constraint alerts_environments_alerts foreign key (environment_id) references environments (id) on delete no action
);
create unique index alert_environment_id_name on alerts (environment_id, name);
create index alert_due_at on alerts (due_at);

-- +goose Down
drop table alerts;
