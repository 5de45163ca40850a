-- What became of the watch over a new version of a channel, and whether harm takes the channel back.

-- +goose Up
alter table channels add column automatic_return boolean not null default false;

-- Watches that are over: harm was found, the planned runs came, or the time ran out. Others follow from assignments.
create table channel_watch (
    channel_id bigint not null references channels on delete cascade,
    assignment_version bigint not null, -- the first one that served the version
    version_id uuid not null references flow_versions on delete cascade,
    previous_id uuid not null references flow_versions on delete cascade,
    started_at timestamptz not null,
    decided_at timestamptz not null,
    state text not null check (state in ('fine', 'harm', 'ended')),
    judgement jsonb not null, -- the figures at that time
    returned boolean not null, -- whether the channel went back by itself
    primary key (channel_id, assignment_version)
);

-- +goose Down
drop table channel_watch;
alter table channels drop column automatic_return;
