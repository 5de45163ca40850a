-- What a distributed database needs besides its tables. It is run whenever the database is migrated.

-- The transactions that are committed here and prepared on the worker of an environment: two-phase commit ends there
-- after the coordinator's own commit, at once or, when the worker was killed between the two, after its recovery
-- (docs/decisions/citus.md). Ask in a transaction that is read committed, after its snapshot was read and before rows
-- are.
create or replace function half_committed(environment bigint) returns xid8[] language plpgsql stable as $$
declare
    prepared text[];
begin
    -- The part over event_name makes it a question to the environment's worker; it reads at most one row.
    select array(select gid from pg_prepared_xact() where gid like 'citus\_%')
        into prepared
        from (select count(*) from (select from event_name where environment_id = environment limit 1) as one) as there;
    if prepared = '{}' then
        return '{}';
    end if;
    -- A transaction notes what it prepared where it commits. Its id is the row's, without the epoch.
    return array(
        select case when id > here.latest then id - (1::bigint << 32) else id end::text::xid8
        from pg_dist_transaction t
        cross join (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as latest) as here
        cross join lateral (select (here.latest >> 32 << 32) + t.xmin::text::bigint as id) as full_id
        where t.gid = any (prepared));
end $$;
