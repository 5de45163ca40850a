-- Reports that come to members by email, or to Slack for them, every week or month.

-- +goose Up
create table scheduled_reports (
    id uuid primary key,
    workspace_id uuid not null,
    user_id uuid not null, -- as who the report is made
    app_id uuid not null references apps on delete cascade,
    environment text not null check (environment in ('test', 'live')),
    frequency text not null check (frequency in ('weekly', 'monthly')),
    time_zone text not null,
    destination text not null check (destination in ('email', 'slack')),
    -- The URL of the incoming webhook, encrypted for the id; and what of it may be shown. None of email.
    key_id text,
    sealed bytea,
    shown text not null default '',
    active boolean not null default true,
    next_at timestamptz not null,
    created_at timestamptz not null default now(),
    -- Who leaves a workspace gets nothing more of it.
    foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
);
create index scheduled_report_due on scheduled_reports (next_at) where active;
create index scheduled_report_app on scheduled_reports (app_id);
create index scheduled_report_member on scheduled_reports (workspace_id, user_id);

-- +goose Down
drop table scheduled_reports;
