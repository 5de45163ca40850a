-- Publishable keys that open an environment: a revoked key is not one of them.
select k.key, k.environment_id
from publishable_keys k
where k.revoked_at is null
    and k.environment_id = any($1::bigint[])
