-- Erasures are reported done when nobody who was erased is in the files in which servers keep what reports read.

-- +goose Up
alter table servers add column frames_checked_at timestamptz; -- who was erased before is in no file; null without files
