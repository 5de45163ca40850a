-- The ids of events that are UUIDs of version 7 are remembered packed (docs/decisions/ledger.md). All others keep rows of
-- their own in event_seen, and so do those for which a packed row has no place.

-- +goose Up
create table event_seen_packed (
    environment_id int not null,
    slot int not null, -- of the ids' own time: Unix milliseconds / 2^20
    maker int not null, -- the path, and the bits of the ids that a client of our SDKs gives all of its own
    seen_at timestamptz not null, -- the end of the ten minutes in which the latest of the ids came
    closed boolean not null, -- ids that are not in keys are in event_seen
    keys bytea not null, -- 12 bytes an id: what the slot does not say of its time, and its other bits
    primary key (environment_id, slot, maker)
) with (fillfactor = 80); -- rows grow where they are
alter table event_seen_packed alter column keys set storage plain;
create index event_seen_packed_expiry on event_seen_packed (seen_at);

-- Since when the ids are packed. Servers of earlier versions know event_seen alone, so for a day they are in both, and
-- event_seen is asked for them as long as it remembers those from before.
create table event_seen_packed_since (since timestamptz not null);
insert into event_seen_packed_since
select case when exists (select from environments) then now() else '-infinity' end;

-- +goose Down
drop table event_seen_packed_since;
drop table event_seen_packed;
