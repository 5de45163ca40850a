-- How many people were first seen in a range, by how many of their days are over.
select least(@days::int, floor(extract(epoch from @now - t.first_seen_at) / 86400))::int as days_over, count(*)
from product_analytics_first_touch t
where t.environment_id = @environment and t.first_seen_at >= @start and t.first_seen_at < @end and t.first_seen_at <= @now
group by 1
