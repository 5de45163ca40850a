-- How much entered the automations of an environment on a UTC day: whoever has its public key must not fill the disk.

-- +goose Up

create table automation_intake (
    environment_id bigint not null,
    day date not null,
    entered bigint not null, -- people, and one more for each kB of the events that they entered with
    primary key (environment_id, day)
);
create index automation_intake_day on automation_intake (day);
