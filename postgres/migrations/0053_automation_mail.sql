-- Email that automations send to people, and the addresses that get none.
-- environment_id is the tenant key, as in 0002.

-- +goose Up

-- One row a message, without its words: they are made when it is sent, of what is known of the person then.
create table automation_mail (
    environment_id bigint not null,
    id uuid not null, -- of the Message-ID of every attempt
    automation_id uuid not null,
    enrolment_id bigint not null,
    node text not null,
    app_user_id text not null,
    state text not null default 'pending' check (state in ('pending', 'sent', 'suppressed', 'failed')),
    reason text not null default '',
    attempts int not null default 0,
    failures int not null default 0, -- attempts that the SMTP server did not take
    next_attempt_at timestamptz not null default now(), -- a claim moves it on
    counted_at timestamptz, -- when it was taken from what the workspace may send within a day
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    unsubscribed_at timestamptz, -- by the link in the message
    primary key (environment_id, id),
    unique (environment_id, enrolment_id, node)
);
create index automation_mail_pending on automation_mail (environment_id, next_attempt_at) where state = 'pending';
create index automation_mail_person on automation_mail (environment_id, app_user_id, created_at);
create index automation_mail_figures on automation_mail (automation_id, node, state);
create index automation_mail_counted on automation_mail (environment_id, counted_at) where counted_at is not null;
create index automation_mail_finished on automation_mail (finished_at) where finished_at is not null;

-- Addresses that get no email of an environment any more. The key is made of the address, which itself is not kept: so
-- it holds for whoever has the address, also once the person is erased.
create table mail_suppression (
    environment_id bigint not null,
    address_key bytea not null,
    automation_id uuid, -- whose message led here
    created_at timestamptz not null default now(),
    primary key (environment_id, address_key)
);

-- +goose Down
drop table mail_suppression;
drop table automation_mail;
