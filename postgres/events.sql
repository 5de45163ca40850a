-- The raw event tables. The marker after each column list is replaced by the partitioning clause on stock PostgreSQL and by
-- nothing on TimescaleDB, where the tables become hypertables in the same transaction.
-- No unique index: event_seen is the deduplication ledger, and a unique index would be paid again for every event.
-- Texts are '' rather than null, so that filters and groups need one spelling of "nothing".
--
-- What an event shares with others is not repeated in it (docs/decisions/event-bytes.md). Read the views product_events,
-- flow_events and track_events (event_views.sql), which put it together:
--   event_id      '' when event_key says it: the id is that UUID in lower case
--   session_id    '' when session_uuid says it
--   page          '' when name_id says it
--   place_id, device_id, attribution_id   rows of event_detail; null when the event has the values in its own columns
-- Rows of older versions have all texts in place. Columns of 8, 16 and 4 bytes come first, so that no byte aligns.

create table if not exists product_event (
    environment_id    bigint      not null,
    occurred_at       timestamptz not null,
    received_at       timestamptz not null,
    event_key         uuid        not null,
    session_uuid      uuid,
    name_id           int,
    place_id          int,
    device_id         int,
    attribution_id    int,
    latitude          real,
    longitude         real,
    organic           boolean,
    organic_unknown   boolean     not null default false,
    event_id          text        not null default '',
    name              text        not null default '',
    app_user_id       text        not null default '',
    custom_user_id    text        not null default '',
    session_id        text        not null default '',
    page              text        not null default '',
    source            text        not null default '',
    medium            text        not null default '',
    campaign          text        not null default '',
    content           text        not null default '',
    term              text        not null default '',
    adset             text        not null default '',
    creative          text        not null default '',
    referrer          text        not null default '',
    landing_url       text        not null default '',
    country           text        not null default '',
    region            text        not null default '',
    city              text        not null default '',
    platform          text        not null default '',
    device            text        not null default '',
    browser           text        not null default '',
    os                text        not null default '',
    app_version       text        not null default '',
    locale            text        not null default '',
    attribution       jsonb, -- keys that the columns don't hold
    custom_properties jsonb,
    properties        jsonb
) /*storage*/;

create table if not exists flow_event (
    environment_id       bigint      not null,
    occurred_at          timestamptz not null,
    received_at          timestamptz not null,
    channel_id           bigint      not null,
    event_key            uuid        not null,
    session_uuid         uuid,
    flow_id              uuid        not null,
    version_id           uuid        not null,
    run_id               uuid,
    experiment_id        uuid,
    seq                  int,
    assignment_version   int,
    place_id             int,
    device_id            int,
    event_id             text        not null default '',
    name                 text        not null default '',
    variant_id           text        not null default '',
    step_id              text        not null default '',
    from_step_id         text, -- '' at the start of a run, null when the client did not say
    app_user_id          text        not null default '',
    custom_user_id       text        not null default '',
    session_id           text        not null default '',
    country              text        not null default '',
    region               text        not null default '',
    city                 text        not null default '',
    platform             text        not null default '',
    device               text        not null default '',
    browser              text        not null default '',
    os                   text        not null default '',
    app_version          text        not null default '',
    locale               text        not null default '',
    field_classification text        not null default '',
    attribution          jsonb, -- all of it
    custom_properties    jsonb,
    properties           jsonb
) /*storage*/;

create table if not exists track_event (
    environment_id    bigint      not null,
    occurred_at       timestamptz not null,
    received_at       timestamptz not null,
    event_key         uuid        not null,
    session_uuid      uuid,
    place_id          int,
    device_id         int,
    event_id          text        not null default '',
    name              text        not null default '',
    app_user_id       text        not null default '',
    custom_user_id    text        not null default '',
    session_id        text        not null default '',
    page              text        not null default '',
    country           text        not null default '',
    region            text        not null default '',
    city              text        not null default '',
    platform          text        not null default '',
    device            text        not null default '',
    browser           text        not null default '',
    os                text        not null default '',
    app_version       text        not null default '',
    locale            text        not null default '',
    attribution       jsonb, -- all of it
    custom_properties jsonb,
    properties        jsonb
) /*storage*/;
