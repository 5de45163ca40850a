-- How what customers come to a month changes by bucket.
{spans}, of_customer as (
    select bucket, sum(monthly) as change,
        sum(sum(monthly)) over (partition by customer order by bucket) as after,
        min(min(bucket) filter (where monthly > 0)) over (partition by customer) as first_bucket
    from steps
    where not is_trial
    group by customer, bucket
)
select bucket,
    coalesce(sum(change) filter (where after = change and after > 0 and bucket = first_bucket), 0)::bigint as new,
    coalesce(sum(change) filter (where after = change and after > 0 and bucket > first_bucket), 0)::bigint as reactivation,
    coalesce(sum(change) filter (where after > change and change > 0), 0)::bigint as expansion,
    coalesce(-sum(change) filter (where change < 0 and after > 0), 0)::bigint as contraction,
    coalesce(-sum(change) filter (where change < 0 and after = 0), 0)::bigint as churn
from of_customer
group by bucket
order by bucket
