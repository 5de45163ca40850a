-- What somebody who may edit a flow asked to be published.

-- +goose Up
alter table flows add column publish_request jsonb;

-- +goose Down
alter table flows drop column publish_request;
