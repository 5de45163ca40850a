-- People as apps identify them, what ties their purchases to them, and payments
-- by link. environment_id is the tenant key, as in 0002.

-- +goose Up

-- One row a person (wire.md §8.1). A person is one device until an app says with
-- custom_user_id who uses it; devices with one custom id are one person.
create table person (
    environment_id bigint not null,
    id uuid not null,
    custom_user_id text not null default '',
    email text not null default '',
    marketing_consent text not null default 'unknown' check (marketing_consent in ('granted', 'denied', 'unknown')),
    marketing_consent_at timestamptz, -- when the app last said so; null while it never did
    topic_consents jsonb not null default '{}', -- topic to {"consent": …, "at": …}
    first_name text not null default '',
    last_name text not null default '',
    phone text not null default '',
    locale text not null default '',
    country text not null default '', -- two upper-case letters
    timezone text not null default '', -- IANA name
    attributes jsonb not null default '{}', -- flat: strings, numbers, booleans
    created_at timestamptz not null,
    identified_at timestamptz not null, -- the last time
    primary key (environment_id, id),
    -- A grant is for an address.
    check (marketing_consent <> 'granted' or email <> '')
);
create unique index person_custom_user on person (environment_id, custom_user_id) where custom_user_id <> '';

-- Which person uses a device (an appUserId).
create table person_device (
    environment_id bigint not null,
    app_user_id text not null,
    person_id uuid not null,
    linked_at timestamptz not null,
    primary key (environment_id, app_user_id),
    foreign key (environment_id, person_id) references person (environment_id, id) on delete cascade
);
create index person_device_person on person_device (environment_id, person_id);

-- The ids by which billing providers know a device's person (wire.md §8.3). A
-- provider's webhook names external_id; several devices may have the same.
create table billing_identity (
    environment_id bigint not null,
    provider text not null check (provider in ('revenuecat', 'superwall')),
    external_id text not null,
    app_user_id text not null,
    linked_at timestamptz not null, -- the last time
    primary key (environment_id, provider, external_id, app_user_id)
);
create index billing_identity_device on billing_identity (environment_id, app_user_id);

-- One row a payment that was begun on a payment link (wire.md §8.4). The status
-- is not stored: confirmed_at, cancelled_at and expires_at say it, in this order.
create table checkout_attempt (
    environment_id bigint not null,
    id uuid not null,
    channel_id bigint not null,
    app_user_id text not null,
    flow_id uuid not null,
    version_id uuid not null,
    experiment_id uuid,
    variant_id text not null default '',
    surface_id text not null,
    payment_link_url text not null,
    attribution jsonb not null default '{}',
    created_at timestamptz not null,
    expires_at timestamptz not null,
    cancelled_at timestamptz,
    confirmed_at timestamptz,
    primary key (environment_id, id)
);
-- Clean-up removes rows oldest first; rows arrive in that order.
create index checkout_attempt_created on checkout_attempt using brin (created_at);
