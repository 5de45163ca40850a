-- Notes people of an environment ($1) and day ($2) who are neither there yet nor erased, as many as there is room for
-- ($6), and counts them, those beyond, and those who were left out before ($7).
with fresh as materialized (
    select n.experiment_id, n.person, n.arm
    from unnest($3::uuid[], $4::uuid[], $5::smallint[]) as n (experiment_id, person, arm)
    where not exists (
        select from experiment_served s
        where s.environment_id = $1 and s.experiment_id = n.experiment_id and s.person = n.person and s.arm = n.arm
    )
    and not exists (select from erased_person e where e.environment_id = $1 and e.person = n.person)
), noted as (
    insert into experiment_served (environment_id, experiment_id, person, day, arm)
    select $1, experiment_id, person, $2, arm from fresh limit $6
    on conflict do nothing -- noted meanwhile under another day
    returning true
)
update experiment_served_count
set people = people + (select count(*) from noted),
    left_out = left_out + $7 + greatest(0, (select count(*) from fresh) - $6)
where environment_id = $1 and day = $2
returning people
