-- Subtrees of layers that the flows of an app share. An instance in a draft names the component and the revision that it
-- was made from, so that it can be told what it changed itself; published versions hold plain layers.

-- +goose Up
create table components (
    id uuid primary key,
    created_at timestamptz not null default current_timestamp,
    app_id uuid not null,
    name varchar not null,
    revision bigint not null default 1,
    updated_at timestamptz not null,
    constraint components_apps_components foreign key (app_id) references apps (id) on delete no action
);
create unique index component_app_id_name on components (app_id, name);

create table component_revision (
    component_id uuid not null references components (id) on delete cascade,
    revision bigint not null,
    tree jsonb not null, -- the topmost layer
    slots jsonb not null, -- [{layerId, name}]: layers in which instances have children of their own
    overridable jsonb, -- [{layerId, path}]: what instances may have of their own; null for everything
    created_at timestamptz not null default current_timestamp,
    primary key (component_id, revision)
);

-- +goose Down
drop table component_revision;
drop table components;
