-- What an experiment splits by, and the arms that signed-in people keep on all their devices.

-- +goose Up
alter table experiments add column split_by varchar not null default 'device';

-- Devices and custom user ids that an experiment split by custom user id gave an arm, each with the first one.
create table experiment_unit (
    environment_id bigint not null,
    experiment_id uuid not null,
    is_custom boolean not null, -- whether person is a custom user id, or else an app user id
    person uuid not null, -- the first 128 bits of the SHA-256 of the id
    custom_user uuid null, -- of a device: the same of the custom user id that was first signed in on it
    arm smallint not null, -- place of the variant, from 0; of a device with a custom_user, that one's row decides
    day date not null, -- of the first time, in UTC
    primary key (environment_id, experiment_id, is_custom, person)
);
create index experiment_unit_day on experiment_unit (day, environment_id);

-- +goose Down
drop table experiment_unit;
alter table experiments drop column split_by;
