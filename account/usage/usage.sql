-- What each app of a workspace ($1) used on each UTC day from $2 to before $3: people who were active for the first
-- time in the month, and events that were stored, of its live environment.
with live as (
    select e.id, a.id as app_id, a.name from environments e join apps a on a.id = e.app_id
    where a.workspace_id = $1 and e.kind = 'live'
), stored as (
    select s.environment_id, (s.hour at time zone 'UTC')::date as day, sum(s.accepted) as events
    from ingest_stat s join live on live.id = s.environment_id
    where s.hour >= $2::timestamptz and s.hour < $3::timestamptz
    group by 1, 2
), came as (
    select d.environment_id, d.day, d.people from live_user_day d join live on live.id = d.environment_id
    where d.day >= ($2::timestamptz at time zone 'UTC')::date and d.day < ($3::timestamptz at time zone 'UTC')::date
)
select live.app_id, live.name, days.day, coalesce(came.people, 0)::bigint, coalesce(stored.events, 0)::bigint
from live
join (select environment_id, day from stored union select environment_id, day from came) days
    on days.environment_id = live.id
left join stored on stored.environment_id = live.id and stored.day = days.day
left join came on came.environment_id = live.id and came.day = days.day
order by live.name, live.app_id, days.day
