-- What members of a workspace should know, and what each of them has read.

-- +goose Up

create table notification (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    kind text not null,
    key text not null, -- posted once
    severity text not null check (severity in ('info', 'warning', 'critical')),
    title text not null,
    body text not null,
    about jsonb not null,
    created_at timestamptz not null default now(),
    unique (workspace_id, kind, key)
);
create index notification_newest on notification (workspace_id, created_at desc, id desc);
create index notification_age on notification (created_at);

create table notification_read (
    notification_id uuid not null references notification on delete cascade,
    user_id uuid not null references users on delete cascade,
    read_at timestamptz not null default now(),
    primary key (notification_id, user_id)
);
create index notification_read_user on notification_read (user_id);
