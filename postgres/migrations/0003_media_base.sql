-- What media addresses in delivered flows started with when a server last
-- started. When that changes, what everyone gets changes, so the assignment
-- versions must rise (wire.md §3.7).

-- +goose Up

create table media_base (
    only_row boolean primary key default true check (only_row),
    address text not null,
    changed_at timestamptz not null default current_timestamp
);
