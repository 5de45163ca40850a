-- How many periods were paid of subscriptions whose first paid period began in a range, and how many could have been: up
-- to when another one was due. A change of the product starts anew.
with paid as (
    select {length} as length, p.starts_at, p.ends_at,
        count(*) over anew as periods,
        row_number() over (anew order by p.starts_at, p.ends_at, p.transaction_key) as place,
        max(p.ends_at) over anew as last_ends_at,
        first_value(p.ends_at - p.starts_at) over (anew order by p.starts_at, p.ends_at, p.transaction_key) as lasts
    from subscription_period p
    where p.environment_id = @environment and p.period_type not in ('trial', 'promotional') and p.starts_at <= @now
        {periodFilter}
    window anew as (partition by p.provider, p.subscription_key, p.product_id)
)
select length, least(periods, @most::int + 1)::int as paid,
    least(@most::int, periods - 1 + case when last_ends_at <= @now
        then 1 + floor(extract(epoch from @now - last_ends_at) / greatest(1, extract(epoch from lasts))) else 0 end)::int as last_due,
    count(*)
from paid
where place = 1 and starts_at >= @start and starts_at < @end
group by 1, 2, 3
