-- What people who were first seen in a range paid, less what was taken back, by how many of their days are over and the
-- day of their life; and how many paid first on that day.
with money as (
    select t.app_user_id, least(@days::int, floor(extract(epoch from @now - t.first_seen_at) / 86400))::int as days_over,
        greatest(0, floor(extract(epoch from {at} - t.first_seen_at) / 86400))::int as day, l.amount_micros,
        l.kind in ('originating', 'renewal') and coalesce(l.amount_micros > 0, true) as is_paid
    from product_analytics_first_touch t
    join revenue_ledger l on l.environment_id = t.environment_id and l.app_user_id = t.app_user_id
    where t.environment_id = @environment and t.first_seen_at >= @start and t.first_seen_at < @end and t.first_seen_at <= @now
        and l.kind <> 'trial' and {at} < t.first_seen_at + make_interval(secs => 86400 * @days::int) {ledgerFilter}
), of_person as (
    select app_user_id, days_over, min(day) filter (where is_paid) as day from money group by app_user_id, days_over
)
select days_over, day, sum(net)::bigint, sum(payers)::bigint
from (
    select days_over, day, coalesce(sum(amount_micros), 0) as net, 0 as payers from money group by days_over, day
    union all
    select days_over, day, 0, count(*) from of_person where day is not null group by days_over, day
) as both_kinds
group by days_over, day
