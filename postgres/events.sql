-- The raw event tables. The marker after each column list is replaced by the partitioning clause on stock PostgreSQL and by
-- nothing on TimescaleDB, where the tables become hypertables in the same transaction.
-- No unique index: event_seen is the deduplication ledger, and a unique index would be paid again for every event.
-- A text that is empty is null: '' would take a byte in every row, and most texts of most rows are empty. The views say ''.
-- So is organic_unknown when it is false.
--
-- What an event shares with others is not repeated in it (docs/decisions/event-bytes.md). Read the views product_events,
-- flow_events and track_events (event_views.sql), which put it together:
--   event_id      null when event_key says it: the id is that UUID in lower case
--   session_id    null when session_uuid says it
--   page          null when name_id says it
--   place_id, device_id, attribution_id   rows of event_detail; null when the event has the values in its own columns
-- Rows of older versions have all texts in place, and '' for null. Columns of 8, 16 and 4 bytes come first, so that no byte aligns.

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
    density           int, -- null where few events came in the same five minutes (density.go)
    latitude          real,
    longitude         real,
    organic           boolean,
    organic_unknown   boolean,
    event_id          text,
    name              text        not null default '',
    app_user_id       text        not null default '',
    custom_user_id    text,
    session_id        text,
    page              text,
    source            text,
    medium            text,
    campaign          text,
    content           text,
    term              text,
    adset             text,
    creative          text,
    referrer          text,
    landing_url       text,
    country           text,
    region            text,
    city              text,
    platform          text,
    device            text,
    browser           text,
    os                text,
    app_version       text,
    locale            text,
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
    event_id             text,
    name                 text        not null default '',
    variant_id           text,
    step_id              text,
    from_step_id         text, -- '' at the start of a run, null when the client did not say
    app_user_id          text        not null default '',
    custom_user_id       text,
    session_id           text,
    country              text,
    region               text,
    city                 text,
    platform             text,
    device               text,
    browser              text,
    os                   text,
    app_version          text,
    locale               text,
    field_classification text,
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
    event_id          text,
    name              text        not null default '',
    app_user_id       text        not null default '',
    custom_user_id    text,
    session_id        text,
    page              text,
    country           text,
    region            text,
    city              text,
    platform          text,
    device            text,
    browser           text,
    os                text,
    app_version       text,
    locale            text,
    attribution       jsonb, -- all of it
    custom_properties jsonb,
    properties        jsonb
) /*storage*/;
