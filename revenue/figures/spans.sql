with ordered as (
    select p.provider, p.subscription_key, {subscriber} as customer, p.product_id, p.store, p.country, p.starts_at,
        p.ends_at, p.period_type, p.amount_micros, {value} as value, {lengthNumber} as length_number,
        coalesce(p.ended_at, greatest(p.ends_at, p.grace_until)) as access_ends_at,
        lead(p.starts_at) over (
            partition by p.provider, p.subscription_key order by p.starts_at, p.ends_at, p.transaction_key) as next_at
    from subscription_period p {join}
    where p.environment_id = @environment and p.starts_at < @end
), spans as (
    -- When a subscription has access by a period: until the period or the access ends, or the next period begins.
    select p.provider, p.subscription_key, p.customer, p.value, p.starts_at, least(p.access_ends_at, p.next_at) as until,
        p.period_type = 'trial' as is_trial, (p.amount_micros is null)::int as unconverted, {monthly} as monthly
    from ordered p
    where p.starts_at < least(p.access_ends_at, p.next_at) and p.period_type <> 'promotional' {periodFilter}
), steps as (
    -- What changes in a bucket, the number of bounds up to a time.
    select provider, subscription_key, customer, value, is_trial, width_bucket(starts_at, @bounds::timestamptz[]) as bucket,
        1 as active, 0 as ended, monthly, unconverted from spans
    union all
    select provider, subscription_key, customer, value, is_trial, width_bucket(until, @bounds::timestamptz[]),
        -1, 1, -monthly, -unconverted from spans
)
