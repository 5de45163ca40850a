-- The readable form of the event tables: every text in its column, wherever it is stored (events.sql). Rows of event_detail
-- and event_name are found by their whole key, so a reader that takes no such column joins nothing.

create or replace view product_events as
select e.environment_id, e.occurred_at, e.received_at, e.event_key, e.density,
       coalesce(nullif(e.event_id, ''), e.event_key::text) as event_id,
       e.name, e.name_id, e.app_user_id, coalesce(e.custom_user_id, '') as custom_user_id,
       coalesce(e.session_uuid::text, e.session_id, '') as session_id,
       coalesce(nullif(e.page, ''), view.text, '') as page,
       coalesce(attribution.source, e.source, '') as source,
       coalesce(attribution.medium, e.medium, '') as medium,
       coalesce(attribution.campaign, e.campaign, '') as campaign,
       coalesce(attribution.content, e.content, '') as content,
       coalesce(attribution.term, e.term, '') as term,
       coalesce(attribution.adset, e.adset, '') as adset,
       coalesce(attribution.creative, e.creative, '') as creative,
       coalesce(attribution.referrer, e.referrer, '') as referrer,
       coalesce(attribution.landing_url, e.landing_url, '') as landing_url,
       coalesce(attribution.organic, e.organic) as organic,
       coalesce(e.organic_unknown, false) as organic_unknown,
       coalesce(place.country, e.country, '') as country,
       coalesce(place.region, e.region, '') as region,
       coalesce(place.city, e.city, '') as city,
       coalesce(place.latitude, e.latitude) as latitude,
       coalesce(place.longitude, e.longitude) as longitude,
       coalesce(device.platform, e.platform, '') as platform,
       coalesce(device.device, e.device, '') as device,
       coalesce(device.browser, e.browser, '') as browser,
       coalesce(device.os, e.os, '') as os,
       coalesce(device.app_version, e.app_version, '') as app_version,
       coalesce(device.locale, e.locale, '') as locale,
       e.attribution, e.custom_properties, e.properties
from product_event e
left join event_detail place on place.environment_id = e.environment_id and place.kind = 1 and place.id = e.place_id
left join event_detail device on device.environment_id = e.environment_id and device.kind = 2 and device.id = e.device_id
left join event_detail attribution on attribution.environment_id = e.environment_id and attribution.kind = 3 and attribution.id = e.attribution_id
left join event_name view on view.environment_id = e.environment_id and view.id = e.name_id and view.kind in (4, 5);

create or replace view flow_events as
select e.environment_id, e.occurred_at, e.received_at, e.event_key,
       coalesce(nullif(e.event_id, ''), e.event_key::text) as event_id,
       e.name, e.channel_id, e.flow_id, e.version_id, e.assignment_version, e.experiment_id, coalesce(e.variant_id, '') as variant_id,
       e.run_id, e.seq, coalesce(e.step_id, '') as step_id, e.from_step_id, e.app_user_id, coalesce(e.custom_user_id, '') as custom_user_id,
       coalesce(e.session_uuid::text, e.session_id, '') as session_id,
       coalesce(place.country, e.country, '') as country,
       coalesce(place.region, e.region, '') as region,
       coalesce(place.city, e.city, '') as city,
       coalesce(device.platform, e.platform, '') as platform,
       coalesce(device.device, e.device, '') as device,
       coalesce(device.browser, e.browser, '') as browser,
       coalesce(device.os, e.os, '') as os,
       coalesce(device.app_version, e.app_version, '') as app_version,
       coalesce(device.locale, e.locale, '') as locale,
       coalesce(e.field_classification, '') as field_classification, e.attribution, e.custom_properties, e.properties
from flow_event e
left join event_detail place on place.environment_id = e.environment_id and place.kind = 1 and place.id = e.place_id
left join event_detail device on device.environment_id = e.environment_id and device.kind = 2 and device.id = e.device_id;

create or replace view track_events as
select e.environment_id, e.occurred_at, e.received_at, e.event_key,
       coalesce(nullif(e.event_id, ''), e.event_key::text) as event_id,
       e.name, e.app_user_id, coalesce(e.custom_user_id, '') as custom_user_id,
       coalesce(e.session_uuid::text, e.session_id, '') as session_id,
       coalesce(e.page, '') as page,
       coalesce(place.country, e.country, '') as country,
       coalesce(place.region, e.region, '') as region,
       coalesce(place.city, e.city, '') as city,
       coalesce(device.platform, e.platform, '') as platform,
       coalesce(device.device, e.device, '') as device,
       coalesce(device.browser, e.browser, '') as browser,
       coalesce(device.os, e.os, '') as os,
       coalesce(device.app_version, e.app_version, '') as app_version,
       coalesce(device.locale, e.locale, '') as locale,
       e.attribution, e.custom_properties, e.properties
from track_event e
left join event_detail place on place.environment_id = e.environment_id and place.kind = 1 and place.id = e.place_id
left join event_detail device on device.environment_id = e.environment_id and device.kind = 2 and device.id = e.device_id;
