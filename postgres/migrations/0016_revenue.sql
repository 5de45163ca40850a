-- Money as billing providers report it: what they delivered, the ledger and the periods that are folded from it, and
-- where deliveries come from. environment_id is the tenant key, as in 0002.

-- +goose Up

-- Where an app's provider delivers to. Its stores never change, so that old deliveries are read as they were.
create table revenue_connection (
    id uuid primary key,
    app_id uuid not null references apps (id) on delete cascade,
    provider text not null check (provider in ('revenuecat', 'superwall', 'stripe')),
    name text not null,
    stores text[] not null, -- whose money it reports
    created_at timestamptz not null default now(),
    archived_at timestamptz,
    last_delivery_at timestamptz, -- the last one with a good signature
    last_error text not null default '',
    last_error_at timestamptz
);
create index revenue_connection_app on revenue_connection (app_id);

-- What deliveries are verified with; several while one is replaced by another.
create table revenue_connection_secret (
    id uuid primary key,
    connection_id uuid not null references revenue_connection (id) on delete cascade,
    key_id text not null, -- of the server key that sealed is encrypted with
    sealed bytea not null,
    last_four text not null,
    created_at timestamptz not null default now()
);
create index revenue_connection_secret_connection on revenue_connection_secret (connection_id);

-- Every verified delivery as it came. The ledger and the periods are folded from it.
create table provider_event (
    environment_id bigint not null,
    provider text not null check (provider in ('revenuecat', 'superwall', 'stripe')),
    event_id text not null,
    connection_id uuid not null,
    type text not null,
    occurred_at timestamptz not null,
    received_at timestamptz not null,
    body bytea not null,
    state text not null check (state in ('handled', 'unmapped', 'ignored', 'failed')),
    reason text not null default '', -- of any state but handled
    erased boolean not null default false, -- the ids of its person were removed from the body
    primary key (environment_id, provider, event_id)
);
create index provider_event_received on provider_event (environment_id, received_at);
create index provider_event_open on provider_event (environment_id, received_at) where state in ('unmapped', 'failed');

-- Which events speak of the same thing: those with a common key are folded together.
create table provider_event_key (
    environment_id bigint not null,
    provider text not null,
    key uuid not null, -- first 128 bits of the SHA-256
    event_id text not null,
    primary key (environment_id, provider, key, event_id)
);
create index provider_event_key_event on provider_event_key (environment_id, provider, event_id);

alter table revenue_ledger
    add column source text not null default 'hand' check (source in ('hand', 'webhook')), -- replay keeps what is by hand
    add column transaction_key text not null default '', -- unique with kind; empty by hand
    add column refers_to text not null default '', -- transaction_key of the charge that this takes back
    add column subscription_key text not null default '', -- empty for what is bought once
    add column original_amount bigint, -- in units of 10^-currency_exponent of currency, signed; null is unknown
    add column currency_exponent smallint not null default 2,
    add column usd_rate numeric, -- dollars for one unit of currency; null when there is none
    add column usd_rate_source text not null default 'provider' check (usd_rate_source in ('provider', 'table', 'none')),
    add column tax_ppm int, -- part of the amount in millionths; null is unknown
    add column commission_ppm int,
    add column store text not null default '',
    add column country text not null default '',
    add column period_type text not null default '', -- trial, intro, normal, promotional, prepaid
    add column period_start timestamptz,
    add column period_end timestamptz,
    add column offer text not null default '',
    add column person_ids text[] not null default '{}', -- by which a person is looked for, in this order
    alter column amount_micros drop not null, -- null when there is no rate
    drop constraint revenue_ledger_kind_check,
    add constraint revenue_ledger_kind_check check (kind in (
        'trial', 'originating', 'renewal', 'refund', 'refund_reversal', 'chargeback', 'chargeback_reversal')),
    drop constraint revenue_ledger_environment_id_provider_provider_event_id_key;
create unique index revenue_ledger_by_hand on revenue_ledger (environment_id, provider, provider_event_id)
    where source = 'hand';
create unique index revenue_ledger_transaction on revenue_ledger (environment_id, provider, transaction_key, kind)
    where source = 'webhook';
create index revenue_ledger_event on revenue_ledger (environment_id, provider, provider_event_id) where source = 'webhook';
create index revenue_ledger_app_user on revenue_ledger (environment_id, app_user_id) where app_user_id <> '';
create index revenue_ledger_without_person on revenue_ledger (environment_id, occurred_at) where app_user_id = '';
create index revenue_ledger_person_ids on revenue_ledger using gin (person_ids);

-- One row a paid or trial period of a subscription.
create table subscription_period (
    environment_id bigint not null,
    provider text not null check (provider in ('revenuecat', 'superwall', 'stripe')),
    transaction_key text not null, -- of its charge in the ledger
    subscription_key text not null,
    provider_event_id text not null,
    period_type text not null check (period_type in ('trial', 'intro', 'normal', 'promotional', 'prepaid')),
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    grace_until timestamptz, -- access goes on unpaid until then
    ended_at timestamptz, -- when access ended; null while it has not, or nobody said so
    auto_renew boolean not null, -- as it was said last
    amount_micros bigint, -- of its charge; null is not converted
    product_id text not null default '',
    store text not null,
    country text not null default '',
    app_user_id text not null default '', -- of its charge
    person_ids text[] not null default '{}',
    primary key (environment_id, provider, transaction_key)
);
create index subscription_period_span on subscription_period (environment_id, ends_at);
create index subscription_period_subscription on subscription_period (environment_id, provider, subscription_key);
create index subscription_period_event on subscription_period (environment_id, provider, provider_event_id);
create index subscription_period_app_user on subscription_period (environment_id, app_user_id) where app_user_id <> '';
create index subscription_period_person_ids on subscription_period using gin (person_ids);

-- Whose money a subscription or a single charge is, said by hand.
create table revenue_mapping (
    environment_id bigint not null,
    provider text not null,
    subject text not null, -- subscription_key, or transaction_key of what is bought once
    app_user_id text not null,
    mapped_at timestamptz not null,
    primary key (environment_id, provider, subject)
);
create index revenue_mapping_app_user on revenue_mapping (environment_id, app_user_id);

-- Dollars for a unit of a currency, by day: the operator's.
create table currency_rate (
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    day date not null,
    usd numeric not null check (usd > 0),
    primary key (currency, day)
);

-- When a device first named its billing identity: naming it again must not move old money.
alter table billing_identity add column first_linked_at timestamptz;
update billing_identity set first_linked_at = linked_at;
alter table billing_identity alter column first_linked_at set not null;
