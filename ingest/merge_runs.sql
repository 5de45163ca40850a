-- Merges what a batch adds up to into flow_run: hits are put together, within the limits, which are written in (see
-- merge_sessions.sql). Rows come sorted by key, so that two transactions never wait in a circle.
insert into flow_run as r (
    environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at, home_day, changed_xid,
    hits, contexts, hits_over_limit)
select
    environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at,
    (first_at at time zone 'UTC')::date, pg_current_xact_id(), hits, contexts, over
from unnest(
    $1::bigint[], $2::text[], $3::uuid[], $4::uuid[], $5::boolean[], $6::boolean[], $7::timestamptz[],
    $8::timestamptz[], $9::bytea[], $10::bytea[], $11::bigint[]
) as batch (
    environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at, hits, contexts, over)
on conflict (environment_id, app_user_id, flow_id, run_key) do update set (
    derived, started, first_at, last_at, changed_xid, hits, contexts, hits_over_limit
) = (
    select
        r.derived or excluded.derived, r.started or excluded.started,
        least(r.first_at, excluded.first_at), greatest(r.last_at, excluded.last_at), excluded.changed_xid,
        -- A run that is full keeps its bytes where they are: hits beyond the limit must not write it anew.
        case when w.kept = 0 then r.hits else r.hits || substring(excluded.hits for w.kept) end,
        case when w.known or w.kept = 0 then r.contexts else r.contexts || excluded.contexts end,
        r.hits_over_limit + excluded.hits_over_limit + (octet_length(excluded.hits) - w.kept) / /*hit*/
    from (select known, case
            when known or octet_length(r.contexts) + octet_length(excluded.contexts) <= /*contexts*/
            then least(octet_length(excluded.hits), greatest(0, /*hits*/ - octet_length(r.hits)))
            else 0 end as kept
        -- Most batches of a run say what the first one said.
        from (select position(excluded.contexts in r.contexts) > 0 as known offset 0) as k
        offset 0 -- keeps each of the two computed once a row
    ) as w
)
