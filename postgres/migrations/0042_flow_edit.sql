-- Drafts are edited by operations. An edit is a row; flows.draft is a checkpoint of the document, which is the draft at
-- draft_stored_revision (null: at draft_revision). A revision above it that has no row was saved as a whole, by saveDraft
-- or by a server of an earlier version, and flows.draft holds it.

-- +goose Up
alter table flows add column draft_stored_revision bigint;

create table flow_edit (
    flow_id uuid not null references flows (id) on delete cascade,
    revision bigint not null, -- of the draft after the edit
    client_id uuid not null,
    sequence bigint not null, -- of the client's batches
    digest bytea not null, -- SHA-256 of the steps as they were sent
    steps jsonb not null, -- as they were applied: a replay never refuses
    inverse jsonb not null, -- a list of operations for each of steps
    refused jsonb not null, -- [{index, code, node, by}], index among all steps that were sent
    removed text[], -- ids of nodes; null for none
    renamed jsonb, -- operations; null for none
    user_id uuid references users (id) on delete set null,
    api_key_id uuid,
    created_at timestamptz not null default current_timestamp,
    primary key (flow_id, revision),
    unique (flow_id, client_id, sequence)
);
create index flow_edit_created_at on flow_edit (created_at);
