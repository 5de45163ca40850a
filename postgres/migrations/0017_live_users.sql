-- Monthly active users of live environments, of workspaces whose plan limits them.

-- +goose Up

-- One row a person and month, fixed in size whatever ids people have. Those of past months are removed.
create table live_user (
    environment_id bigint not null,
    month date not null, -- its first day, UTC
    person uuid not null, -- first 128 bits of the SHA-256 of the app user id
    primary key (environment_id, month, person)
);
create index live_user_month on live_user (month);

-- How many people were active for the first time in their month on a day.
create table live_user_day (
    environment_id bigint not null,
    day date not null,
    people bigint not null default 0,
    primary key (environment_id, day)
);
create index live_user_day_day on live_user_day (day);

-- How many people a workspace has had in a month, which servers compare with its limit. Whoever counts locks the row.
create table live_user_total (
    workspace_id uuid not null,
    month date not null,
    people bigint not null default 0,
    primary key (workspace_id, month)
);
create index live_user_total_month on live_user_total (month);
