-- How environments prove custom user ids, and with what: the newest secret first.
select e.environment_id, e.mode, s.id, s.key_id, s.sealed
from identity_proof e
left join identity_secret s on s.environment_id = e.environment_id
where e.environment_id = any($1)
order by s.id desc
