-- Environments with what their app and their workspace's plan say about them.
-- A workspace without a subscription is on a self-hosted server: it has
-- everything. A cancelled subscription includes nothing any more.
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
    case when s.status = 'cancelled' then '[]' else p.features end,
    p.limits,
    case when s.status = 'past_due' then s.past_due_since end
from environments e
join apps a on a.id = e.app_id
left join brandings b on b.app_id = a.id
left join subscriptions s on s.workspace_id = a.workspace_id
left join plans p on p.key = s.plan_id
where a.archived_at is null
    and ($1::uuid[] is null or a.id = any($1))
order by e.id
