-- Makes the periods that come from some deliveries ($3) what they come to ($4), of an environment ($1) and a
-- provider ($2). Returns the transactions of those that have ended, as was not known before of a known person.
with wanted as (
    select * from jsonb_to_recordset($4::jsonb) as row (
        transaction_key text, subscription_key text, provider_event_id text, period_type text,
        starts_at timestamptz, ends_at timestamptz, grace_until timestamptz, ended_at timestamptz,
        auto_renew boolean, amount_micros bigint, whole_seconds bigint, product_id text, store text, country text,
        app_user_id text, person_ids text[])
), gone as (
    delete from subscription_period p
    where p.environment_id = $1 and p.provider = $2 and p.provider_event_id = any ($3::text[])
        and not exists (select from wanted w where w.transaction_key = p.transaction_key)
    returning p.id
), removed as (
    insert into revenue_removed (environment_id, relation, id) select $1, 'subscription_period', id from gone
), known as (
    select p.transaction_key from subscription_period p join wanted w using (transaction_key)
    where p.environment_id = $1 and p.provider = $2 and p.ended_at is not null and p.app_user_id <> ''
), written as (
    insert into subscription_period as p (environment_id, provider,
        transaction_key, subscription_key, provider_event_id, period_type, starts_at, ends_at, grace_until,
        ended_at, auto_renew, amount_micros, whole_seconds, product_id, store, country, app_user_id, person_ids)
    select $1, $2,
        transaction_key, subscription_key, provider_event_id, period_type, starts_at, ends_at, grace_until,
        ended_at, auto_renew, amount_micros, whole_seconds, product_id, store, country, app_user_id, person_ids from wanted
    on conflict (environment_id, provider, transaction_key) do update
    set subscription_key = excluded.subscription_key, provider_event_id = excluded.provider_event_id,
        period_type = excluded.period_type, starts_at = excluded.starts_at, ends_at = excluded.ends_at,
        grace_until = excluded.grace_until, ended_at = excluded.ended_at, auto_renew = excluded.auto_renew,
        amount_micros = excluded.amount_micros, whole_seconds = excluded.whole_seconds, product_id = excluded.product_id, store = excluded.store,
        country = excluded.country, app_user_id = excluded.app_user_id, person_ids = excluded.person_ids,
        changed_xid = pg_current_xact_id()
    where (p.subscription_key, p.provider_event_id, p.period_type, p.starts_at, p.ends_at, p.grace_until,
        p.ended_at, p.auto_renew, p.amount_micros, p.whole_seconds, p.product_id, p.store, p.country, p.app_user_id,
        p.person_ids)
        is distinct from (excluded.subscription_key, excluded.provider_event_id, excluded.period_type, excluded.starts_at,
        excluded.ends_at, excluded.grace_until, excluded.ended_at, excluded.auto_renew, excluded.amount_micros, excluded.whole_seconds,
        excluded.product_id, excluded.store, excluded.country, excluded.app_user_id, excluded.person_ids)
    returning transaction_key, app_user_id, ended_at
)
select transaction_key from written
where ended_at is not null and app_user_id <> '' and transaction_key not in (select transaction_key from known)
