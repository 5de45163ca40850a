-- How the numbers of subscriptions, and what they come to a month, change by bucket and value.
{spans}, of_subscription as (
    select value, is_trial, bucket, sum(active) as active, sum(ended) as ended, sum(monthly) as monthly,
        sum(unconverted) as unconverted,
        sum(sum(active)) over (partition by provider, subscription_key, value, is_trial order by bucket) as active_after
    from steps
    group by provider, subscription_key, value, is_trial, bucket
)
select bucket, value,
    coalesce(sum(active) filter (where not is_trial), 0)::bigint as active,
    coalesce(sum(active) filter (where is_trial), 0)::bigint as trials,
    coalesce(sum(monthly) filter (where not is_trial), 0)::bigint as monthly,
    coalesce(sum(unconverted) filter (where not is_trial), 0)::bigint as unconverted,
    count(*) filter (where not is_trial and ended > 0 and active_after = 0) as churned
from of_subscription
group by bucket, value
order by bucket, value
limit @most::int
