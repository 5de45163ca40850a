-- Rows of the ledger with what figures need of them. A subject is a subscription or a single charge; it and the charge
-- that a row is, or takes back, are hashes of what providers call them.
select id, app_user_id, kind, provider, store, product_id, country, amount_micros, tax_ppm, commission_ppm, occurred_at,
    coalesce(charged_at, occurred_at) as charged_at,
    hashtextextended(
        provider || ' ' || coalesce(nullif(refers_to, ''), nullif(transaction_key, ''), ' ' || provider_event_id), 0)
        as charge,
    hashtextextended(provider || ' ' || coalesce(nullif(subscription_key, ''), nullif(refers_to, ''),
        nullif(transaction_key, ''), ' ' || provider_event_id), 0) as subject,
    extract(epoch from period_end - period_start)::float8 as seconds
from
