-- People who were served an experiment, and live users, as rows of packed hashes instead of a row each.

-- +goose Up

-- The people of a packed column: hashes of 16 bytes, one behind the other. What is left of a hash that was cut off is
-- nobody.
create function unpack_people(people bytea) returns setof uuid language sql immutable parallel safe as $$
    select encode(substr(people, i, 16), 'hex')::uuid from generate_series(1, octet_length(people) - 15, 16) as i
$$;

-- A packed column without some people.
create function remove_people(people bytea, removed uuid[]) returns bytea language sql immutable parallel safe as $$
    select coalesce(string_agg(uuid_send(person), ''), '') from unpack_people(people) as person
    where person <> all (removed)
$$;

alter table experiment_served rename to experiment_served_rows;

-- A row has people to whom an arm was first given on a day, as far as the server knew that wrote it: they may be in
-- other rows too. Servers append rows; the upkeep merges them.
create table experiment_served_packed (
    environment_id bigint not null,
    experiment_id uuid not null,
    day date not null,
    arm smallint not null, -- place of the variant, from 0; frozen once an experiment started
    id bigint generated always as identity,
    merged boolean not null default false,
    people bytea not null check (octet_length(people) % 16 = 0),
    primary key (environment_id, experiment_id, day, arm, id)
);
alter table experiment_served_packed alter people set storage external; -- hashes can't be compressed
insert into experiment_served_packed (environment_id, experiment_id, day, arm, merged, people)
select environment_id, experiment_id, day, arm, true, string_agg(uuid_send(person), '')
from (
    select *, (row_number() over (partition by environment_id, experiment_id, day, arm) - 1) / 65536 as n
    from experiment_served_rows
) as numbered
group by environment_id, experiment_id, day, arm, n;
drop table experiment_served_rows;
create index experiment_served_packed_day on experiment_served_packed (day);
create index experiment_served_packed_new on experiment_served_packed (environment_id, experiment_id, day, arm)
    where not merged;

-- One row a person and arm, with the UTC day on which it was first given.
create view experiment_served as
select environment_id, experiment_id, person, min(day) as day, arm
from experiment_served_packed, unpack_people(people) as person
group by environment_id, experiment_id, person, arm;

alter table live_user rename to live_user_rows;

-- A row has people who were not there yet when it was appended, by whoever had locked the row of live_user_total: the
-- rows of a workspace and month have ascending ids in the order in which they are seen. Those of past months are removed.
create table live_user_packed (
    environment_id bigint not null,
    month date not null, -- its first day, UTC
    id bigint generated always as identity,
    people bytea not null check (octet_length(people) % 16 = 0),
    primary key (environment_id, month, id)
);
alter table live_user_packed alter people set storage external;
insert into live_user_packed (environment_id, month, people)
select environment_id, month, string_agg(uuid_send(person), '')
from (
    select *, (row_number() over (partition by environment_id, month) - 1) / 65536 as n from live_user_rows
) as numbered
group by environment_id, month, n;
drop table live_user_rows;
create index live_user_packed_month on live_user_packed (month);

-- One row a person and month.
create view live_user as
select environment_id, month, person from live_user_packed, unpack_people(people) as person;
