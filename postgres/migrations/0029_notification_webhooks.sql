-- Endpoints that get the notifications of their workspace, too.

-- +goose Up
alter table webhook_endpoint add column notifications boolean not null default false;
create index webhook_endpoint_notified on webhook_endpoint (environment_id) where notifications;

-- A notification is of no automation and of no person.
alter table webhook_delivery
    alter column automation_id drop not null,
    alter column enrolment_id drop not null;
