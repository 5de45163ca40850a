-- Invitations of their own: their tokens open one workspace, and nobody has an
-- account before they chose its password.

-- +goose Up

create table invitations (
    id uuid not null,
    created_at timestamptz not null default current_timestamp,
    email varchar not null,
    role varchar not null,
    hash bytea not null,
    expires_at timestamptz not null,
    invited_by uuid not null,
    workspace_id uuid not null,
    primary key (id),
    constraint invitations_users_invitations foreign key (invited_by) references users (id) on delete no action,
    constraint invitations_workspaces_invitations foreign key (workspace_id) references workspaces (id) on delete no action
);
create unique index invitations_hash_key on invitations (hash);
create unique index invitation_workspace_id_email on invitations (workspace_id, email);
create index invitation_invited_by on invitations (invited_by);
create index invitation_expires_at on invitations (expires_at);

-- A workspace whose ownership was transferred to somebody who never chose a
-- password gets the admin of the longest standing as its owner.
with lost as (
    select m.workspace_id from memberships m join users u on u.id = m.user_id
    where m.role = 'owner' and u.password_hash = ''
), heir as (
    select distinct on (m.workspace_id) m.id from memberships m join users u on u.id = m.user_id join lost using (workspace_id)
    where m.role = 'admin' and u.password_hash <> ''
    order by m.workspace_id, m.created_at, m.id
)
update memberships set role = 'owner' where id in (select id from heir);

-- Members who never chose a password were only invited. Any earlier link may be
-- with somebody who invited them elsewhere, so all of these links end: the rows
-- are expired from the start, and whoever manages the members invites again.
insert into invitations (id, created_at, email, role, hash, expires_at, invited_by, workspace_id)
select m.id, m.created_at, u.email, case m.role when 'owner' then 'admin' else m.role end,
    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), current_timestamp, owner.user_id, m.workspace_id
from memberships m
join users u on u.id = m.user_id and u.password_hash = ''
join memberships owner on owner.workspace_id = m.workspace_id and owner.role = 'owner'
join users inviter on inviter.id = owner.user_id and inviter.password_hash <> '';

delete from setup_tokens where user_id is not null or used_at is not null;
alter table setup_tokens drop column user_id, drop column used_at;

delete from memberships where user_id in (select id from users where password_hash = '');
delete from users where password_hash = '';
alter table users alter column password_hash drop default;

-- How often something was done in a time: failed sign-ins of an e-mail or from
-- an address, invitations of a person. The subject is a SHA-256, so that the
-- table keeps no addresses. It is unlogged because anonymous requests write it:
-- after a crash of the database, counting begins anew.
create unlogged table rate_limit (
    subject bytea primary key,
    taken int not null,
    ends_at timestamptz not null -- of the window that taken counts in
);
create index rate_limit_ends_at on rate_limit (ends_at);
