-- Hourly counts for the health of ingest, with the toolkit's mergeable sketches.
-- 4096 registers count visitors within about 1.6 %; 200 buckets at 0.1 % keep every delay percentile within 0.1 % for four decades.
create materialized view product_event_hourly
with (timescaledb.continuous, timescaledb.materialized_only = false) as
select environment_id,
       time_bucket(interval '1 hour', occurred_at) as bucket,
       count(*) as events,
       hyperloglog(4096, app_user_id) as visitors,
       uddsketch(200, 0.001, extract(epoch from received_at - occurred_at)::double precision) as receive_delay
from product_event
group by environment_id, bucket
with no data;
