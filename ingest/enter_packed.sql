-- Puts ids into the packed ledger, a row for each maker and slot, and returns the rows as they are afterwards. What comes
-- is put before the rest unread: who asked finds out what was there before. In a row that stays in its page the log then
-- has what came and not the rest, whose end stays as it was. A row that has no place for all of them takes none.
insert into event_seen_packed as s (environment_id, slot, maker, seen_at, closed, keys)
select * from unnest($1::bigint[], $2::int[], $3::int[], $4::timestamptz[], $5::boolean[], $6::bytea[])
on conflict (environment_id, slot, maker) do update set
    seen_at = greatest(s.seen_at, excluded.seen_at),
    closed = s.closed or excluded.closed or octet_length(s.keys) + octet_length(excluded.keys) > /*limit*/,
    keys = case when s.closed or excluded.closed or octet_length(s.keys) + octet_length(excluded.keys) > /*limit*/
        then s.keys else excluded.keys || s.keys end
returning environment_id, slot, maker, closed, keys
