-- Experiments that a channel points at, one row an arm in stored order. An
-- experiment without arms is one row without an arm.
select
    x.id,
    x.salt,
    x.status,
    x.split_by,
    v.id,
    v.key,
    v.weight,
    v.flow_version_id
from channels c
join experiments x on x.id = c.experiment_id and x.channel_id = c.id
left join variants v on v.experiment_id = x.id
where c.environment_id = any($1::bigint[])
    and c.assignment = 'experiment'
    and c.archived_at is null
order by x.id, v.position, v.id
