-- Suppressed addresses as a list: each has an id, the user whose message led there, and whether they left or the mailbox
-- does not exist. The address itself is still not kept: it is shown while the user has it.

-- +goose Up
alter table mail_suppression
    add column id uuid not null default gen_random_uuid(),
    add column reason text not null default 'unsubscribed' check (reason in ('unsubscribed', 'bounced')),
    add column app_user_id text;
update mail_suppression s set app_user_id = (
    select m.app_user_id from automation_mail m
    where m.environment_id = s.environment_id and m.address_key = s.address_key
    order by m.unsubscribed_at limit 1);
-- Not unique: keys of tenants begin with the environment, by which a cluster distributes them, and ids are random.
create index mail_suppression_id on mail_suppression (id);
create index mail_suppression_newest on mail_suppression (environment_id, created_at desc, id desc);
create index mail_suppression_user on mail_suppression (environment_id, app_user_id) where app_user_id is not null;

-- +goose Down
drop index mail_suppression_user;
drop index mail_suppression_newest;
drop index mail_suppression_id;
alter table mail_suppression drop column id, drop column reason, drop column app_user_id;
