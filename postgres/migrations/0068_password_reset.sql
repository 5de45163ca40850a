-- Links that set a new password.

-- +goose Up
create table password_reset (
    user_id uuid primary key references users on delete cascade, -- one link each: a newer one ends it
    hash bytea not null unique, -- of the token
    expires_at timestamptz not null
);

-- +goose Down
drop table password_reset;
