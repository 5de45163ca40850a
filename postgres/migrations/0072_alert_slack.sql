-- Alerts post to Slack, where an incoming webhook is set.

-- +goose Up
alter table alerts
    add column slack_url varchar not null default '', -- what of the URL may be shown
    -- The URL, encrypted for the id.
    add column key_id varchar,
    add column sealed bytea;

-- What is posted to a channel is sent to no user.
alter table mail_outbox alter column user_id drop not null;

-- +goose Down
delete from mail_outbox where user_id is null;
alter table mail_outbox alter column user_id set not null;
alter table alerts
    drop column slack_url,
    drop column key_id,
    drop column sealed;
