-- The servers that run on the database: what each does, and what it let pass of keys that come near a rate limit, so
-- that a limit is one for all of them. A row is written anew twice a second; it is unlogged because what a crash of the
-- database loses is there again half a second later.

-- +goose Up
create unlogged table servers (
    id uuid primary key,
    seen_at timestamptz not null,
    roles text[] not null,
    rates bytea not null -- see internal/peers
) with (fillfactor = 50);
