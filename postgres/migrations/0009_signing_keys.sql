-- Secrets that servers of one database sign with, made when the first of them
-- needs one.

-- +goose Up

create table signing_keys (
    purpose text primary key,
    secret bytea not null check (octet_length(secret) >= 32),
    created_at timestamptz not null default current_timestamp
);
