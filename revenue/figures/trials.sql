-- What became of the trials that began in a range, by value.
select {value} as value, count(*) as started, count(*) filter (where became.paid) as converted,
    count(*) filter (where not became.paid and p.auto_renew
        and coalesce(p.ended_at, greatest(p.ends_at, p.grace_until)) > @now) as pending
from subscription_period p {join}
cross join lateral (
    select exists (
        select from subscription_period later
        where later.environment_id = p.environment_id and later.provider = p.provider
            and later.subscription_key = p.subscription_key and later.period_type not in ('trial', 'promotional')
            and later.starts_at >= p.starts_at and later.starts_at <= @now) as paid
) as became
where p.environment_id = @environment and p.period_type = 'trial' and p.starts_at >= @start and p.starts_at < @end
    {periodFilter}
group by 1
limit @most::int
