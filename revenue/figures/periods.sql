-- Periods of subscriptions with what figures need of them; the hash of the subject is that of ledger.sql.
-- The seconds are those of the whole period that the amount is for.
select id, app_user_id, period_type, provider, store, product_id, country, amount_micros, auto_renew, starts_at,
    ends_at, coalesce(ended_at, greatest(ends_at, grace_until)) as access_end,
    hashtextextended(provider || ' ' || transaction_key, 0) as key,
    hashtextextended(provider || ' ' || subscription_key, 0) as subject,
    coalesce(whole_seconds, extract(epoch from ends_at - starts_at))::float8 as seconds
from
