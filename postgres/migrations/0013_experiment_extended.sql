-- When an experiment was extended: its fixed interval at the planned end is spent from then on.

-- +goose Up

alter table experiments add column extended_at timestamptz null;
update experiments x set extended_at = e.at
from (
    select subject, max(created_at) as at from audit_entries where action = 'experiment.extend' group by subject
) e
where e.subject = x.id::text;
