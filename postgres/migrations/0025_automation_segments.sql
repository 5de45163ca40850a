-- Who is in the segments that automations follow: whoever is new among them has entered.

-- +goose Up

create table automation_segment (
    environment_id bigint not null,
    segment_id uuid not null,
    evaluated_at timestamptz not null, -- the beginning of the latest evaluation; what is older than it was enrolled
    members int not null,
    digest bytea not null, -- of the members: equal ones need no comparison
    problem text not null default '', -- why the latest evaluation came to nothing
    primary key (environment_id, segment_id)
);

create table automation_segment_member (
    environment_id bigint not null,
    segment_id uuid not null,
    app_user_id text not null,
    primary key (environment_id, segment_id, app_user_id),
    foreign key (environment_id, segment_id) references automation_segment on delete cascade
);
create index automation_segment_member_person on automation_segment_member (environment_id, app_user_id);
