-- People whom resolve gave an arm of an experiment.

-- +goose Up

-- One row a person and arm, with the UTC day on which it was first given. Fixed in size whatever ids people have, and
-- small: a stranger with the public key can make rows, up to a bound a day.
create table experiment_served (
    environment_id bigint not null,
    experiment_id uuid not null,
    person uuid not null, -- first 128 bits of the SHA-256 of the app user id
    day date not null,
    arm smallint not null, -- place of the variant, from 0; frozen once an experiment started
    primary key (environment_id, experiment_id, person, arm)
);
create index experiment_served_day on experiment_served (day);

-- What an environment noted on a day, and what it could not.
create table experiment_served_count (
    environment_id bigint not null,
    day date not null,
    people bigint not null default 0, -- rows of experiment_served
    left_out bigint not null default 0, -- beyond the bound of the day, or of what waits while the database is away
    primary key (environment_id, day)
);
create index experiment_served_count_day on experiment_served_count (day);
