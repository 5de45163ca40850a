-- Channels with the pointer that decides what they serve.
select
    c.environment_id,
    c.id,
    c.public_id,
    c.archived_at is not null,
    c.assignment,
    c.assignment_version,
    c.flow_version_id,
    c.experiment_id
from channels c
where c.environment_id = any($1::bigint[])
order by c.id
