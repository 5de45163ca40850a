-- Email: what is to be sent, whose addresses are confirmed, and which notifications a member gets.

-- +goose Up

-- Who is to be written to and why. The words are made when they are sent.
create table mail_outbox (
    id uuid primary key, -- of the Message-ID
    purpose text not null,
    key text not null, -- each message once
    workspace_id uuid references workspaces on delete cascade, -- whose allowance it uses; null for what nobody pays for
    user_id uuid not null references users on delete cascade,
    state text not null default 'pending' check (state in ('pending', 'sent', 'dropped', 'failed')),
    attempts int not null default 0,
    failures int not null default 0, -- attempts that the SMTP server did not take
    next_attempt_at timestamptz not null default now(),
    error text not null default '',
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    unique (purpose, key)
);
create index mail_outbox_due on mail_outbox (next_attempt_at) where state = 'pending';
create index mail_outbox_sent on mail_outbox (workspace_id, finished_at) where state = 'sent';
create index mail_outbox_age on mail_outbox (created_at);
create index mail_outbox_user on mail_outbox (user_id);

-- Addresses that somebody proved to read. Another one of the same person has to be confirmed anew.
create table mail_address (
    user_id uuid primary key references users on delete cascade,
    address text not null,
    confirmed_at timestamptz not null default now()
);

-- Which notifications a member gets by email; who has chosen nothing gets those of harm and loss.
create table notification_mail (
    workspace_id uuid not null,
    user_id uuid not null,
    kinds text[] not null,
    primary key (workspace_id, user_id),
    foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
);

-- +goose Down
drop table notification_mail;
drop table mail_address;
drop table mail_outbox;
