-- +goose Up

-- The transactions that are committed and of which an environment's rows can't be read yet: none, since a database that
-- is one server commits at once. Where the tables are distributed another function takes this one's place
-- (postgres/citus.sql).
create function half_committed(environment bigint) returns xid8[] language sql immutable parallel safe as
$$ select '{}'::xid8[] $$;
