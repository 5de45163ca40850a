-- Environments with what their app and their workspace's subscription say about
-- them; package plan reads the latter.
select
    e.id,
    e.kind,
    a.id,
    a.workspace_id,
    a.allowed_origins,
    a.ignore_bots,
    a.integrations,
    b.data,
    p.key,
    p.features,
    p.limits,
    s.status,
    s.past_due_since
from environments e
join apps a on a.id = e.app_id
left join brandings b on b.app_id = a.id
left join subscriptions s on s.workspace_id = a.workspace_id
left join plans p on p.key = s.plan_id
where a.archived_at is null
    and ($1::uuid[] is null or a.id = any($1))
order by e.id
