-- What many events say alike is stored once, and the correction of clocks is counted. The columns of the event tables
-- themselves are added by the event storage step (package postgres).

-- +goose Up

-- Groups of values that events of several people have in common. An event has the id of its group and leaves the
-- group's own columns empty; events whose group is not here have the values in their columns. A row fills the columns
-- of one group. Ids are dense from 1 in each group, and rows stay.
create table event_detail (
    environment_id bigint not null,
    kind smallint not null check (kind between 1 and 3),
    id int not null check (id > 0),
    created_at timestamptz not null default now(),
    hash uuid not null, -- first 128 bits of the SHA-256 of all values
    -- kind 1, place
    latitude real,
    longitude real,
    country text not null default '',
    region text not null default '',
    city text not null default '',
    -- kind 2, device
    platform text not null default '',
    device text not null default '',
    browser text not null default '',
    os text not null default '',
    app_version text not null default '',
    locale text not null default '',
    -- kind 3, attribution
    organic boolean,
    source text not null default '',
    medium text not null default '',
    campaign text not null default '',
    content text not null default '',
    term text not null default '',
    adset text not null default '',
    creative text not null default '',
    referrer text not null default '',
    landing_url text not null default '',
    primary key (environment_id, kind, id),
    unique (environment_id, kind, hash)
);

-- Accepted events whose times were shifted because their client's clock was wrong (analytics.md §1).
alter table ingest_stat add column skewed bigint not null default 0;

-- The ledger has a row and a key for every event of eight days: four bytes less in each. The rewrite takes a few seconds a
-- million rows, in which events are refused with 503 and clients keep them.
alter table event_seen alter column environment_id type int;

-- Every merge changes changed_xid, which is indexed, so no update of these rows stays on its page: the space that was
-- kept free for it was never used.
alter table product_session set (fillfactor = 100);
alter table product_analytics_first_touch set (fillfactor = 100);
