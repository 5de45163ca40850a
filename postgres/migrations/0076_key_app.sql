-- The one app that a key reaches: what members allow OAuth clients may be limited to one. A key without a row here reaches
-- all apps of its workspace.

-- +goose Up
create table api_key_app (
    key_id uuid primary key references api_keys on delete cascade,
    app_id uuid not null references apps on delete cascade
);
create index api_key_app_app on api_key_app (app_id);

-- +goose Down
drop table api_key_app;
