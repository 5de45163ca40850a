-- Goals that the results of an experiment measure, one of which may decide in place of completion.

-- +goose Up
alter table experiments add column goals jsonb;

-- +goose Down
alter table experiments drop column goals;
