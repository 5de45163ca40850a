-- Login roles that read the views of the schema svc_read (read_views.sql).

-- +goose Up
create table sql_roles (
    id uuid primary key,
    created_at timestamptz not null default now(),
    name text not null unique, -- of the role of PostgreSQL
    workspace_id uuid not null references workspaces (id) on delete cascade,
    environment_id bigint references environments (id) on delete cascade, -- null is all of the workspace
    rotated_at timestamptz not null default now()
);
create index sql_role_workspace on sql_roles (workspace_id);

-- +goose Down
drop table sql_roles;
