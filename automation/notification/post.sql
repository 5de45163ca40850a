with posted as (
    insert into notification (id, workspace_id, kind, key, severity, title, body, about)
    values ($1::uuid, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text::jsonb)
    on conflict (workspace_id, kind, key) do nothing
    returning *
),

-- Those who enabled it are sent it as a webhook, in the same transaction.
announced as (
    insert into webhook_delivery (environment_id, id, endpoint_id, node, app_user_id, body, next_attempt_at)
    select p.environment_id, gen_random_uuid(), p.id, '', '', json_build_object(
        'type', 'notification.' || n.kind,
        'timestamp', to_char(n.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'data', json_build_object('id', n.id, 'workspaceId', n.workspace_id, 'kind', n.kind, 'severity', n.severity,
            'title', n.title, 'text', n.body, 'about', n.about))::text, now()
    from posted n
    join apps a on a.workspace_id = n.workspace_id
    join environments e on e.app_id = a.id
    join webhook_endpoint p on p.environment_id = e.id
    where p.notifications and p.disabled_reason = ''
),

-- Members get it by email who have confirmed the address of their account, and who chose the kind or nothing.
mailed as (
    insert into mail_outbox (id, purpose, key, workspace_id, user_id)
    select gen_random_uuid(), 'notification', n.id || ' ' || m.user_id, n.workspace_id, m.user_id
    from posted n
    join memberships m on m.workspace_id = n.workspace_id
    join users u on u.id = m.user_id
    join mail_address a on a.user_id = u.id and a.address = u.email
    left join notification_mail c on c.workspace_id = n.workspace_id and c.user_id = m.user_id
    where n.kind = any(coalesce(c.kinds, $10::text[]))
),

-- The oldest make room. The statement does not see the row that it adds.
crowded_out as (
    select id from notification
    where workspace_id = $2::uuid
    order by created_at desc, id desc
    offset $9::int - 1
)

delete from notification
where exists (select from posted) and id in (select id from crowded_out)
