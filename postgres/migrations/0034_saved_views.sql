-- Scopes of reports under a name.

-- +goose Up
create table saved_views (
    id uuid not null,
    created_at timestamptz not null default current_timestamp,
    name varchar not null,
    scope jsonb not null,
    updated_at timestamptz not null,
    app_id uuid not null,
    primary key (id),
    constraint saved_views_apps_saved_views foreign key (app_id) references apps (id) on delete no action
);
create unique index savedview_app_id_name on saved_views (app_id, name);
