-- Ordered conditions on hits under a name, through which reports follow visitors.

-- +goose Up
create table funnels (
    id uuid primary key,
    created_at timestamptz not null default current_timestamp,
    name varchar not null,
    definition jsonb not null,
    updated_at timestamptz not null,
    app_id uuid not null,
    constraint funnels_apps_funnels foreign key (app_id) references apps (id) on delete no action
);
create unique index funnel_app_id_name on funnels (app_id, name);

-- +goose Down
drop table funnels;
