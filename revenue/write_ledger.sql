-- Makes the rows of the ledger that come from some deliveries ($3) what they come to ($4), of an environment ($1) and a
-- provider ($2). Says whether dollars that reports may have counted are gone, and the ids of rows that are new or whose
-- person was not known before.
with wanted as (
    select * from jsonb_to_recordset($4::jsonb) as row (
        transaction_key text, kind text, provider_event_id text, refers_to text, subscription_key text,
        app_user_id text, occurred_at timestamptz, charged_at timestamptz, amount_micros bigint,
        original_amount bigint, currency text, currency_exponent smallint, usd_rate numeric,
        usd_rate_source text, tax_ppm int, commission_ppm int, product_id text, store text, country text,
        period_type text, period_start timestamptz, period_end timestamptz, offer text, person_ids text[])
), uncounted as (
    select from revenue_ledger l left join wanted w using (transaction_key, kind)
    where l.environment_id = $1 and l.provider = $2 and l.source = 'webhook' and l.provider_event_id = any ($3::text[])
        and l.amount_micros is not null and w.amount_micros is null
), known as (
    select l.id from revenue_ledger l join wanted w using (transaction_key, kind)
    where l.environment_id = $1 and l.provider = $2 and l.source = 'webhook' and l.app_user_id <> ''
), gone as (
    delete from revenue_ledger l
    where l.environment_id = $1 and l.provider = $2 and l.source = 'webhook' and l.provider_event_id = any ($3::text[])
        and not exists (select from wanted w where w.transaction_key = l.transaction_key and w.kind = l.kind)
    returning l.id
), removed as (
    insert into revenue_removed (environment_id, relation, id) select $1, 'revenue_ledger', id from gone
), forgotten as (
    delete from revenue_removed
    where environment_id = $1 and removed_at < now() - interval '1 day' and exists (select from gone)
), written as (
    insert into revenue_ledger as l (environment_id, provider, source,
        transaction_key, kind, provider_event_id, refers_to, subscription_key, app_user_id, occurred_at,
        charged_at, amount_micros, original_amount, currency, currency_exponent, usd_rate, usd_rate_source,
        tax_ppm, commission_ppm, product_id, store, country, period_type, period_start, period_end, offer,
        person_ids)
    select $1, $2, 'webhook',
        transaction_key, kind, provider_event_id, refers_to, subscription_key, app_user_id, occurred_at,
        charged_at, amount_micros, original_amount, currency, currency_exponent, usd_rate, usd_rate_source,
        tax_ppm, commission_ppm, product_id, store, country, period_type, period_start, period_end, offer,
        person_ids from wanted
    on conflict (environment_id, provider, transaction_key, kind) where source = 'webhook' do update
    set provider_event_id = excluded.provider_event_id, refers_to = excluded.refers_to,
        subscription_key = excluded.subscription_key, app_user_id = excluded.app_user_id,
        occurred_at = excluded.occurred_at, charged_at = excluded.charged_at,
        amount_micros = excluded.amount_micros, original_amount = excluded.original_amount,
        currency = excluded.currency, currency_exponent = excluded.currency_exponent,
        usd_rate = excluded.usd_rate, usd_rate_source = excluded.usd_rate_source,
        tax_ppm = excluded.tax_ppm, commission_ppm = excluded.commission_ppm,
        product_id = excluded.product_id, store = excluded.store, country = excluded.country,
        period_type = excluded.period_type, period_start = excluded.period_start,
        period_end = excluded.period_end, offer = excluded.offer, person_ids = excluded.person_ids,
        changed_xid = pg_current_xact_id()
    where (l.provider_event_id, l.refers_to, l.subscription_key, l.app_user_id, l.occurred_at, l.charged_at,
        l.amount_micros, l.original_amount, l.currency, l.currency_exponent, l.usd_rate, l.usd_rate_source,
        l.tax_ppm, l.commission_ppm, l.product_id, l.store, l.country, l.period_type, l.period_start,
        l.period_end, l.offer, l.person_ids)
        is distinct from (excluded.provider_event_id, excluded.refers_to, excluded.subscription_key, excluded.app_user_id,
        excluded.occurred_at, excluded.charged_at, excluded.amount_micros, excluded.original_amount,
        excluded.currency, excluded.currency_exponent, excluded.usd_rate, excluded.usd_rate_source,
        excluded.tax_ppm, excluded.commission_ppm, excluded.product_id, excluded.store, excluded.country,
        excluded.period_type, excluded.period_start, excluded.period_end, excluded.offer,
        excluded.person_ids)
    returning id, app_user_id
)
select exists (select from uncounted),
    array(select id from written where app_user_id <> '' and id not in (select id from known))
