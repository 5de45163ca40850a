-- Hourly counts for the health of ingest. Real-time: hours that are not materialised yet are read from the raw events.
create materialized view product_event_hourly
with (timescaledb.continuous, timescaledb.materialized_only = false) as
select environment_id,
       time_bucket(interval '1 hour', occurred_at) as bucket,
       count(*) as events
from product_event
group by environment_id, bucket
with no data;
