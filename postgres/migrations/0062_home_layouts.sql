-- Which cards a member's home page of an app shows, in order; who has chosen nothing has the usual ones.

-- +goose Up
create table home_layouts (
    app_id uuid not null references apps on delete cascade,
    workspace_id uuid not null,
    user_id uuid not null,
    cards text[] not null,
    primary key (app_id, user_id),
    foreign key (workspace_id, user_id) references memberships (workspace_id, user_id) on delete cascade
);
create index home_layouts_member on home_layouts (workspace_id, user_id);

-- +goose Down
drop table home_layouts;
