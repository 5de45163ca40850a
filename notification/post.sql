with posted as (
    insert into notification (id, workspace_id, kind, key, severity, title, body, about)
    values ($1::uuid, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text::jsonb)
    on conflict (workspace_id, kind, key) do nothing
    returning id
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
