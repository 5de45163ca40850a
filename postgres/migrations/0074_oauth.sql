-- OAuth clients of /mcp: what a member allows one is an API key without a secret, by which its tokens act.

-- +goose Up
alter table api_keys add column client_host varchar;

create table oauth_token (
    hash bytea primary key,
    key_id uuid not null references api_keys on delete cascade,
    kind text not null, -- access or refresh
    client bytea not null, -- SHA-256 of the id of the client that has it
    spent boolean not null default false, -- a refresh token that was used: using it again ends the key
    expires_at timestamptz not null
);
create index oauth_token_key on oauth_token (key_id);
create index oauth_token_expires_at on oauth_token (expires_at);

-- +goose Down
drop table oauth_token;
alter table api_keys drop column client_host;
