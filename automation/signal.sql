-- Tells enrolments what happened to their people ($1, a JSON list of signal).
with input as (
    select * from jsonb_to_recordset($1::jsonb) as i (
        environment_id bigint, automation_id uuid, version int, app_user_id text, event_key uuid, occurred_at timestamptz,
        node text, exit_reason text, goal_days int)
), locked as (
    select e.environment_id, e.id,
        i.node <> '' and e.ended_at is null and e.waiting and e.node = i.node as came,
        case when e.ended_at is null then i.exit_reason else '' end as exit_reason,
        i.goal_days > 0 and e.converted_at is null
            and i.occurred_at < e.triggered_at + i.goal_days * interval '1 day' as converts,
        i.occurred_at
    from input i
    join automation_enrolment e on e.environment_id = i.environment_id and e.app_user_id = i.app_user_id
        and e.automation_id = i.automation_id and e.version = i.version
    where e.event_key <> i.event_key and i.occurred_at >= e.triggered_at
    order by e.environment_id, e.id
    for update of e
), told as (
    select environment_id, id, bool_or(came) as came, max(exit_reason) as exit_reason,
        min(occurred_at) filter (where converts) as converted_at
    from locked where came or exit_reason <> '' or converts
    group by environment_id, id
)
update automation_enrolment e set
    event_came = e.event_came or t.came,
    exit_reason = case when e.exit_reason = '' then t.exit_reason else e.exit_reason end,
    converted_at = coalesce(e.converted_at, t.converted_at),
    due_at = case when e.due_at is not null and (t.came or t.exit_reason <> '') then now() else e.due_at end,
    paused_due_at = case when e.paused_due_at is not null and (t.came or t.exit_reason <> '') then now()
        else e.paused_due_at end
from told t where e.environment_id = t.environment_id and e.id = t.id
