-- The event tables as the first version made them: upgrades begin here.

create table if not exists product_event (
    environment_id  bigint      not null,
    occurred_at     timestamptz not null,
    event_id        text        not null default '',
    event_key       uuid        not null,
    received_at     timestamptz not null,
    name            text        not null default '',
    name_id         int,
    app_user_id     text        not null default '',
    custom_user_id  text        not null default '',
    session_id      text        not null default '',
    page            text        not null default '',
    source          text        not null default '',
    medium          text        not null default '',
    campaign        text        not null default '',
    content         text        not null default '',
    term            text        not null default '',
    adset           text        not null default '',
    creative        text        not null default '',
    referrer        text        not null default '',
    landing_url     text        not null default '',
    organic         boolean,
    organic_unknown boolean     not null default false,
    country         text        not null default '',
    region          text        not null default '',
    city            text        not null default '',
    latitude        real,
    longitude       real,
    platform        text        not null default '',
    device          text        not null default '',
    browser         text        not null default '',
    os              text        not null default '',
    app_version     text        not null default '',
    locale          text        not null default '',
    properties      jsonb
) /*storage*/;

create table if not exists flow_event (
    environment_id       bigint      not null,
    occurred_at          timestamptz not null,
    event_id             text        not null default '',
    event_key            uuid        not null,
    received_at          timestamptz not null,
    name                 text        not null default '',
    channel_id           bigint      not null,
    flow_id              uuid        not null,
    version_id           uuid        not null,
    assignment_version   int,
    experiment_id        uuid,
    variant_id           text        not null default '',
    step_id              text        not null default '',
    app_user_id          text        not null default '',
    custom_user_id       text        not null default '',
    session_id           text        not null default '',
    platform             text        not null default '',
    app_version          text        not null default '',
    locale               text        not null default '',
    country              text        not null default '',
    region               text        not null default '',
    city                 text        not null default '',
    device               text        not null default '',
    browser              text        not null default '',
    os                   text        not null default '',
    custom_properties    jsonb,
    properties           jsonb,
    field_classification text        not null default ''
) /*storage*/;

create table if not exists track_event (
    environment_id bigint      not null,
    occurred_at    timestamptz not null,
    event_id       text        not null default '',
    event_key      uuid        not null,
    received_at    timestamptz not null,
    name           text        not null default '',
    app_user_id    text        not null default '',
    custom_user_id text        not null default '',
    session_id     text        not null default '',
    page           text        not null default '',
    platform       text        not null default '',
    app_version    text        not null default '',
    locale         text        not null default '',
    country        text        not null default '',
    region         text        not null default '',
    city           text        not null default '',
    device         text        not null default '',
    browser        text        not null default '',
    os             text        not null default '',
    properties     jsonb
) /*storage*/;
create index if not exists product_event_recent on product_event (environment_id, occurred_at desc);
create index if not exists product_event_name on product_event (environment_id, name, occurred_at desc);
create index if not exists product_event_visitor on product_event (environment_id, app_user_id, session_id, occurred_at);
create index if not exists flow_event_flow on flow_event (environment_id, flow_id, occurred_at);
create index if not exists flow_event_visitor on flow_event (environment_id, app_user_id, occurred_at);
create index if not exists track_event_recent on track_event (environment_id, occurred_at desc);
