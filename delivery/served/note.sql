-- Notes people ($5) to whom an arm ($4) of an experiment ($2) of an environment ($1) was given on a day ($3), unless they
-- are erased. Whoever was noted before, under whatever day, stays as they are.
insert into experiment_served (environment_id, experiment_id, person, day, arm)
select $1, $2, person, $3, $4 from unnest($5) as person
where person not in (select e.person from erased_person e where e.environment_id = $1)
on conflict do nothing
