-- The links in emails of invitations.

-- +goose Up
create table invitation_mail (
    invitation_id uuid primary key references invitations on delete cascade,
    hash bytea not null unique -- of the token, which opens the invitation as that of the inviter does
);

-- +goose Down
drop table invitation_mail;
