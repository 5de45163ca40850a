-- +goose Up
-- Endpoints of a workspace are sent to in the order in which they were tried last, and one that gave no answer in time is
-- tried with one message at a time until it answers.
alter table webhook_endpoint
    add column tried_at timestamptz,
    add column silent_since timestamptz;
