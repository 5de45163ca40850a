-- Merges what a batch adds up to into product_session. Every rule is commutative: each attribute group keeps the
-- rank, time and key of the hit it came from and the smallest wins, taken whole; the custom user id keeps the
-- latest (analytics.md §2). The transaction's id comes with the row, and the limit is written in, because a
-- distributed database takes neither functions that are not immutable nor parameters behind ON CONFLICT. Rows come
-- sorted by key, so that two transactions never wait in a circle.
insert into product_session as s (
    environment_id, app_user_id, session_id, started_at, last_at, home_day, changed_xid,
    custom_user_id, custom_user_at, custom_user_key,
    attribution_rank, attribution_at, attribution_key,
    source, medium, campaign, content, term, adset, creative, referrer, landing_url, organic,
    place_at, place_key, country, region, city, latitude, longitude,
    device_at, device_key, platform, device, browser, os,
    hits, hits_over_limit, organic_unknown)
select
    environment_id, app_user_id, session_id, started_at, last_at, (started_at at time zone 'UTC')::date,
    pg_current_xact_id(),
    custom_user_id, custom_user_at, custom_user_key,
    attribution_rank, attribution_at, attribution_key,
    source, medium, campaign, content, term, adset, creative, referrer, landing_url, organic,
    place_at, place_key, country, region, city, latitude, longitude,
    device_at, device_key, platform, device, browser, os,
    hits::bigint[], hits_over_limit, organic_unknown
from unnest(
    $1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[],
    $6::text[], $7::timestamptz[], $8::uuid[],
    $9::smallint[], $10::timestamptz[], $11::uuid[],
    $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::boolean[],
    $22::timestamptz[], $23::uuid[], $24::text[], $25::text[], $26::text[], $27::real[], $28::real[],
    $29::timestamptz[], $30::uuid[], $31::text[], $32::text[], $33::text[], $34::text[],
    $35::text[], $36::bigint[], $37::boolean[]
) as batch (
    environment_id, app_user_id, session_id, started_at, last_at,
    custom_user_id, custom_user_at, custom_user_key,
    attribution_rank, attribution_at, attribution_key,
    source, medium, campaign, content, term, adset, creative, referrer, landing_url, organic,
    place_at, place_key, country, region, city, latitude, longitude,
    device_at, device_key, platform, device, browser, os,
    hits, hits_over_limit, organic_unknown)
on conflict (environment_id, app_user_id, session_id) do update set (
    started_at, last_at, changed_xid,
    custom_user_id, custom_user_at, custom_user_key,
    attribution_rank, attribution_at, attribution_key,
    source, medium, campaign, content, term, adset, creative, referrer, landing_url, organic,
    place_at, place_key, country, region, city, latitude, longitude,
    device_at, device_key, platform, device, browser, os,
    hits, hits_over_limit, organic_unknown
) = (
    select
        least(s.started_at, excluded.started_at), greatest(s.last_at, excluded.last_at), excluded.changed_xid,
        case when w.custom then excluded.custom_user_id else s.custom_user_id end,
        case when w.custom then excluded.custom_user_at else s.custom_user_at end,
        case when w.custom then excluded.custom_user_key else s.custom_user_key end,
        case when w.attribution then excluded.attribution_rank else s.attribution_rank end,
        case when w.attribution then excluded.attribution_at else s.attribution_at end,
        case when w.attribution then excluded.attribution_key else s.attribution_key end,
        case when w.attribution then excluded.source else s.source end,
        case when w.attribution then excluded.medium else s.medium end,
        case when w.attribution then excluded.campaign else s.campaign end,
        case when w.attribution then excluded.content else s.content end,
        case when w.attribution then excluded.term else s.term end,
        case when w.attribution then excluded.adset else s.adset end,
        case when w.attribution then excluded.creative else s.creative end,
        case when w.attribution then excluded.referrer else s.referrer end,
        case when w.attribution then excluded.landing_url else s.landing_url end,
        case when w.attribution then excluded.organic else s.organic end,
        case when w.place then excluded.place_at else s.place_at end,
        case when w.place then excluded.place_key else s.place_key end,
        case when w.place then excluded.country else s.country end,
        case when w.place then excluded.region else s.region end,
        case when w.place then excluded.city else s.city end,
        case when w.place then excluded.latitude else s.latitude end,
        case when w.place then excluded.longitude else s.longitude end,
        case when w.device then excluded.device_at else s.device_at end,
        case when w.device then excluded.device_key else s.device_key end,
        case when w.device then excluded.platform else s.platform end,
        case when w.device then excluded.device else s.device end,
        case when w.device then excluded.browser else s.browser end,
        case when w.device then excluded.os else s.os end,
        case when cardinality(s.hits) + cardinality(excluded.hits) <= /*limit*/ then s.hits || excluded.hits
             when cardinality(s.hits) >= /*limit*/ then s.hits
             else (s.hits || excluded.hits)[1:/*limit*/] end,
        s.hits_over_limit + excluded.hits_over_limit
            + greatest(0, least(
                cardinality(excluded.hits), cardinality(s.hits) + cardinality(excluded.hits) - /*limit*/)),
        s.organic_unknown or excluded.organic_unknown
    from (select
        excluded.custom_user_at is not null and (s.custom_user_at is null
            or (excluded.custom_user_at, excluded.custom_user_key) > (s.custom_user_at, s.custom_user_key)) as custom,
        excluded.attribution_at is not null and (s.attribution_at is null
            or (excluded.attribution_rank, excluded.attribution_at, excluded.attribution_key)
             < (s.attribution_rank, s.attribution_at, s.attribution_key)) as attribution,
        excluded.place_at is not null and (s.place_at is null
            or (excluded.place_at, excluded.place_key) < (s.place_at, s.place_key)) as place,
        excluded.device_at is not null and (s.device_at is null
            or (excluded.device_at, excluded.device_key) < (s.device_at, s.device_key)) as device
        offset 0 -- keeps each comparison computed once a row
    ) as w
)
returning environment_id, app_user_id, session_id, started_at, source, campaign, country, platform, device,
    medium, content, term, adset, creative, referrer, landing_url, organic, organic_unknown,
    custom_user_id, custom_user_at, custom_user_key, cardinality(hits), hits_over_limit
