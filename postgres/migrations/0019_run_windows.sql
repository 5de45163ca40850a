-- How long reports wait for what runs of flows lead to, as an app sets it.

-- +goose Up
alter table apps
    add column completion_window_days bigint not null default 1, -- 1, 3, 7 or 14
    add column purchase_window_days bigint not null default 3, -- 1, 3, 7 or 14
    add column lapse_minutes bigint not null default 30; -- 5 to 1,440
