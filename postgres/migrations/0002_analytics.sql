-- The analytics side: deduplication ledger, names, sessions, first touch,
-- money, and what tells readers that rows changed. The three event tables
-- themselves are made by the event storage step (package postgres), as
-- hypertables or native partitions.
--
-- environment_id is the tenant key: it leads every primary key, index and join,
-- so that the tables can be distributed by it.

-- +goose Up

-- One row an event id inside the deduplication window (analytics.md §1).
-- event_key is the id when it is a UUID, else the first 128 bits of its SHA-256.
create table event_seen (
    environment_id bigint not null,
    path smallint not null, -- 1 product, 2 flow, 3 track
    event_key uuid not null,
    seen_at timestamptz not null,
    primary key (environment_id, path, event_key)
);
-- Clean-up removes rows oldest first; rows arrive in that order, so the index is
-- a few pages for a whole table.
create index event_seen_seen_at on event_seen using brin (seen_at);

-- What a hit's name id stands for. kind: 1 session_start, 2 first_visit,
-- 3 first_open, 4 page_view (text is the page), 5 screen_view (text is the
-- screen), 6 custom event (text is its name). Ids are below 2^22.
-- Pages may be longer than a btree key, so uniqueness goes over their hash.
create table event_name (
    environment_id bigint not null,
    id int not null check (id > 0 and id < 4194304),
    kind smallint not null check (kind between 1 and 6),
    text text not null,
    text_hash uuid not null, -- first 128 bits of the SHA-256 of text
    created_at timestamptz not null default now(),
    primary key (environment_id, id),
    unique (environment_id, kind, text_hash)
);

-- One row a session, merged in the ingest transaction. Every merge is
-- commutative: each attribute group keeps the rank, time and key of the hit it
-- came from and the smallest wins, whatever order events arrive in
-- (analytics.md §2).
create table product_session (
    environment_id bigint not null,
    app_user_id text not null,
    session_id text not null,
    started_at timestamptz not null,
    last_at timestamptz not null,
    home_day date not null, -- UTC day of the earliest hit of the first insert; never changes
    changed_xid xid8 not null default pg_current_xact_id(),
    -- latest custom user id seen in the session
    custom_user_id text not null default '',
    custom_user_at timestamptz,
    custom_user_key uuid,
    -- attribution group; rank 0: session_start with signal, 1: any hit with
    -- signal, 2: session_start with only landing URL or organic flag, 3: any hit
    -- with only these, null: none
    attribution_rank smallint,
    attribution_at timestamptz,
    attribution_key uuid,
    source text not null default '',
    medium text not null default '',
    campaign text not null default '',
    content text not null default '',
    term text not null default '',
    adset text not null default '',
    creative text not null default '',
    referrer text not null default '',
    landing_url text not null default '',
    organic boolean,
    organic_unknown boolean not null default false,
    -- place group
    place_at timestamptz,
    place_key uuid,
    country text not null default '',
    region text not null default '',
    city text not null default '',
    latitude real,
    longitude real,
    -- device group
    device_at timestamptz,
    device_key uuid,
    platform text not null default '',
    device text not null default '',
    browser text not null default '',
    os text not null default '',
    -- (ms since 2020-01-01T00:00Z) << 22 | event_name.id, in order of arrival
    hits bigint[] not null,
    hits_over_limit bigint not null default 0,
    primary key (environment_id, app_user_id, session_id)
) with (fillfactor = 80);
-- The bounds let a reader of reports learn which days have hits in a range without touching the rows.
create index product_session_home_day on product_session (environment_id, home_day) include (started_at, last_at);
create index product_session_changed on product_session (changed_xid);

-- One row a visitor; outlives raw events and sessions (analytics.md §4).
-- The attributes are those of the candidate session with the smallest
-- (session_rank, session_started_at, session_id); rank 0 has a source, campaign,
-- country or device, rank 1 has none.
create table product_analytics_first_touch (
    environment_id bigint not null,
    app_user_id text not null,
    first_seen_at timestamptz not null,
    custom_user_id text not null default '',
    custom_user_at timestamptz,
    custom_user_key uuid,
    session_rank smallint not null,
    session_started_at timestamptz not null,
    session_id text not null,
    source text not null default '',
    campaign text not null default '',
    country text not null default '',
    platform text not null default '',
    device text not null default '',
    changed_xid xid8 not null default pg_current_xact_id(),
    primary key (environment_id, app_user_id)
) with (fillfactor = 80);
create index product_analytics_first_touch_changed on product_analytics_first_touch (changed_xid);

-- Money, written by verified providers only. Amounts are micro-USD; refunds are
-- negative.
create table revenue_ledger (
    environment_id bigint not null,
    id bigint generated by default as identity,
    provider text not null check (provider in ('revenuecat', 'superwall', 'stripe')),
    provider_event_id text not null,
    kind text not null check (kind in ('originating', 'renewal', 'refund')),
    app_user_id text not null default '', -- empty until the purchase is joined to a person
    occurred_at timestamptz not null,
    amount_micros bigint not null,
    currency text not null default 'USD', -- of the original charge
    product_id text not null default '',
    created_at timestamptz not null default now(),
    changed_xid xid8 not null default pg_current_xact_id(),
    primary key (environment_id, id),
    unique (environment_id, provider, provider_event_id)
);
create index revenue_ledger_occurred_at on revenue_ledger (environment_id, occurred_at);
create index revenue_ledger_changed on revenue_ledger (changed_xid);

-- Days whose sessions were removed or rebuilt: retention, erasure and rebuild
-- write here, frame readers reload the day.
create table frame_invalidated (
    environment_id bigint not null,
    home_day date not null,
    xid xid8 not null default pg_current_xact_id(),
    at timestamptz not null default now()
);
create index frame_invalidated_xid on frame_invalidated (xid);

-- What ingest did with what it was sent, by hour of receipt. Servers add to it
-- about once a second, so that the hot path takes no shared row lock.
create table ingest_stat (
    environment_id bigint not null,
    path smallint not null, -- as in event_seen
    hour timestamptz not null,
    accepted bigint not null default 0,
    duplicates bigint not null default 0,
    ignored bigint not null default 0,
    rejected jsonb not null default '{}', -- code to count
    names_over_budget bigint not null default 0,
    session_hits_over_limit bigint not null default 0,
    primary key (environment_id, path, hour)
);
