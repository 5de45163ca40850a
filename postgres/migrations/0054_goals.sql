-- Conditions on hits under a name, which reports count over what is stored.

-- +goose Up
create table goals (
    id uuid primary key,
    created_at timestamptz not null default current_timestamp,
    name varchar not null,
    condition jsonb not null,
    updated_at timestamptz not null,
    app_id uuid not null,
    constraint goals_apps_goals foreign key (app_id) references apps (id) on delete no action
);
create unique index goal_app_id_name on goals (app_id, name);

-- +goose Down
drop table goals;
