-- What each channel served from which time on, newest first: the versions that
-- somebody may have got. An experiment stands for the versions of its arms.
select h.channel_id, h.assignment_version, h.created_at, h.versions
from channels c
cross join lateral (
    select
        a.channel_id,
        a.assignment_version,
        a.created_at,
        coalesce(
            (select array_agg(v.flow_version_id) filter (where v.flow_version_id is not null)
             from variants v where a.assignment = 'experiment' and v.experiment_id = a.experiment_id),
            array_remove(array[a.flow_version_id], null)
        ) as versions
    from assignments a
    where a.channel_id = c.id
    order by a.assignment_version desc
    limit $2
) h
where c.environment_id = any($1::bigint[])
order by h.channel_id, h.assignment_version desc
