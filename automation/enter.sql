-- Enrols people ($1, a JSON list of entry), and says by environment how many: who enters with more than a kB of properties
-- counts once more for each. Rows go in sorted, so that two servers wait for each other in one direction.
with input as (
    select i.* from jsonb_to_recordset($1::jsonb) as i (
        environment_id bigint, automation_id uuid, version int, app_user_id text, entry_key text, event_key uuid,
        event_name text, event jsonb, triggered_at timestamptz, node text, always boolean, days int)
    join automation a on a.id = i.automation_id and a.state = 'active'
    where not exists (
        select from erased_person p where p.environment_id = i.environment_id
            and p.person = encode(substr(sha256(convert_to(i.app_user_id, 'UTF8')), 1, 16), 'hex')::uuid)
        and not exists ( -- told again
            select from automation_enrolment n where n.environment_id = i.environment_id
                and n.automation_id = i.automation_id and n.app_user_id = i.app_user_id and n.event_key = i.event_key)
    for share of a -- who pauses it waits, and then pauses these people too
), entered as (
    insert into automation_entry as e (environment_id, automation_id, app_user_id, entry_key, entered_at, again_at)
    select environment_id, automation_id, app_user_id, entry_key, now(),
        coalesce(now() + days * interval '1 day', 'infinity')
    from input where not always order by 1, 2, 3, 4
    on conflict (environment_id, automation_id, app_user_id, entry_key)
    do update set entered_at = excluded.entered_at, again_at = excluded.again_at where e.again_at <= now()
    returning environment_id, automation_id, app_user_id, entry_key
), enrolled as (
    insert into automation_enrolment (
        environment_id, automation_id, version, app_user_id, entry_key, event_key, event_name, event, triggered_at, node, due_at)
    select environment_id, automation_id, version, app_user_id, entry_key, event_key, event_name, event, triggered_at, node,
        now()
    from input
    where always or (environment_id, automation_id, app_user_id, entry_key) in (select * from entered)
    on conflict (environment_id, automation_id, app_user_id, event_key) do nothing
    returning environment_id, event
)
select environment_id, count(*) + sum(octet_length(event::text) / 1024)::bigint from enrolled group by 1
