-- The versions to prepare. The app is checked, so that a pointer into another
-- app serves nothing.
select
    v.id,
    v.flow_id,
    f.app_id,
    v.number,
    v.manifest
from flow_versions v
join flows f on f.id = v.flow_id
where v.id = any($1::uuid[])
