-- Notes people of the environments of a workspace ($1) in a month ($2), each once, by the day on which they came, and
-- counts those who were not there yet.
with fresh as (
    insert into live_user (environment_id, month, person)
    select n.environment_id, $2, n.person from unnest($3::bigint[], $4::uuid[]) as n (environment_id, person)
    on conflict do nothing
    returning environment_id, person
), days as (
    insert into live_user_day (environment_id, day, people)
    select environment_id, n.day, count(*)
    from fresh join unnest($3::bigint[], $4::uuid[], $5::date[]) as n (environment_id, person, day)
        using (environment_id, person)
    group by environment_id, n.day
    on conflict (environment_id, day) do update set people = live_user_day.people + excluded.people
)
update live_user_total set people = people + (select count(*) from fresh)
where workspace_id = $1 and month = $2
