-- How long an app keeps what people did, where that is shorter than the server keeps it.

-- +goose Up
create table app_retention (
    app_id uuid not null references apps (id) on delete cascade,
    kind text not null check (kind in ('product', 'flow', 'track')),
    days int not null check (days > 0),
    primary key (app_id, kind)
);
