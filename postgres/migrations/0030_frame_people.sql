-- Readers of reports take an erased person out of what they have in memory instead of reading the environment anew.

-- +goose Up

-- Whose sessions, runs and first touches went, of all days, as erased_person names people: home_day is null then. A row
-- with neither says, as before, that what has no day went: readers read all of the environment anew.
alter table frame_invalidated add column people uuid[];
