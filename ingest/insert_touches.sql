-- Inserts the first touches of new visitors. A row that another server inserted a moment ago came from other sessions,
-- so the better candidate, the earlier first hit and the later custom user id are taken. Sessions that start together
-- are ordered by the key of their ids, as session.KeyOf makes it: the bytes of a UUID, else of the SHA-256, 16 of them;
-- convert_to would not be immutable.
insert into product_analytics_first_touch as t (
    environment_id, app_user_id, first_seen_at, custom_user_id, custom_user_at, custom_user_key,
    session_rank, session_started_at, session_id, source, campaign, country, platform, device,
    medium, referrer_host, organic, organic_unknown, changed_xid)
select *, pg_current_xact_id()
from unnest(
    $1::bigint[], $2::text[], $3::timestamptz[], $4::text[], $5::timestamptz[], $6::uuid[],
    $7::smallint[], $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
    $15::text[], $16::text[], $17::boolean[], $18::boolean[])
on conflict (environment_id, app_user_id) do update set (
    first_seen_at, changed_xid, custom_user_id, custom_user_at, custom_user_key,
    session_rank, session_started_at, session_id, source, campaign, country, platform, device,
    medium, referrer_host, organic, organic_unknown
) = (
    select
        least(t.first_seen_at, excluded.first_seen_at), excluded.changed_xid,
        case when w.custom then excluded.custom_user_id else t.custom_user_id end,
        case when w.custom then excluded.custom_user_at else t.custom_user_at end,
        case when w.custom then excluded.custom_user_key else t.custom_user_key end,
        case when w.session then excluded.session_rank else t.session_rank end,
        case when w.session then excluded.session_started_at else t.session_started_at end,
        case when w.session then excluded.session_id else t.session_id end,
        case when w.session then excluded.source else t.source end,
        case when w.session then excluded.campaign else t.campaign end,
        case when w.session then excluded.country else t.country end,
        case when w.session then excluded.platform else t.platform end,
        case when w.session then excluded.device else t.device end,
        case when w.session then excluded.medium else t.medium end,
        case when w.session then excluded.referrer_host else t.referrer_host end,
        case when w.session then excluded.organic else t.organic end,
        case when w.session then excluded.organic_unknown else t.organic_unknown end
    from (select
        excluded.custom_user_at is not null and (t.custom_user_at is null
            or (excluded.custom_user_at, excluded.custom_user_key) > (t.custom_user_at, t.custom_user_key)) as custom,
        (excluded.session_rank, excluded.session_started_at, k.excluded)
            < (t.session_rank, t.session_started_at, k.stored) as session
        from (select
            case when excluded.session_id ~ '^[[:xdigit:]]{8}(-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12}$'
                then uuid_send(excluded.session_id::uuid)
                else substr(sha256(replace(excluded.session_id, '\', '\\')::bytea), 1, 16) end as excluded,
            case when t.session_id ~ '^[[:xdigit:]]{8}(-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12}$'
                then uuid_send(t.session_id::uuid)
                else substr(sha256(replace(t.session_id, '\', '\\')::bytea), 1, 16) end as stored
        ) as k
        offset 0
    ) as w
)
