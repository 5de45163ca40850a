-- Replaces first touches whose rows this transaction has locked.
update product_analytics_first_touch as t set
    first_seen_at = n.first_seen_at, changed_xid = pg_current_xact_id(),
    custom_user_id = n.custom_user_id, custom_user_at = n.custom_user_at, custom_user_key = n.custom_user_key,
    session_rank = n.session_rank, session_started_at = n.session_started_at, session_id = n.session_id,
    source = n.source, campaign = n.campaign, country = n.country, platform = n.platform, device = n.device,
    medium = n.medium, referrer_host = n.referrer_host, organic = n.organic, organic_unknown = n.organic_unknown
from unnest(
    $1::bigint[], $2::text[], $3::timestamptz[], $4::text[], $5::timestamptz[], $6::uuid[],
    $7::smallint[], $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
    $15::text[], $16::text[], $17::boolean[], $18::boolean[]
) as n (environment_id, app_user_id, first_seen_at, custom_user_id, custom_user_at, custom_user_key,
    session_rank, session_started_at, session_id, source, campaign, country, platform, device,
    medium, referrer_host, organic, organic_unknown)
where t.environment_id = n.environment_id and t.app_user_id = n.app_user_id
