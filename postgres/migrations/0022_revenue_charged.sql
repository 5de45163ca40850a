-- When the charge was made that a row of the ledger is, or takes back: null where that is occurred_at.

-- +goose Up
alter table revenue_ledger add column charged_at timestamptz;
