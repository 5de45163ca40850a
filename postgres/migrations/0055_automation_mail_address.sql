-- How many emails an address gets, whoever says that it is theirs. The key is that of mail_suppression.

-- +goose Up
alter table automation_mail add column address_key bytea; -- set before the message is sent
create index automation_mail_address on automation_mail (environment_id, address_key, counted_at)
    where address_key is not null;

-- +goose Down
drop index automation_mail_address;
alter table automation_mail drop column address_key;
