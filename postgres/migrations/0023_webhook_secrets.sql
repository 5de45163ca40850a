-- Secrets of webhook endpoints are encrypted under keys of the server, as those of connections are.

-- +goose Up

-- What messages are signed with; two while one is replaced by another. The newest has the greatest id.
create table webhook_endpoint_secret (
    id uuid primary key,
    endpoint_id uuid not null references webhook_endpoint on delete cascade,
    key_id text not null, -- of the server key that sealed is encrypted with; empty until a server has started
    sealed bytea not null,
    created_at timestamptz not null default now()
);
create index webhook_endpoint_secret_endpoint on webhook_endpoint_secret (endpoint_id);
-- Servers encrypt these when they start. Ids of version 7 that are made later are greater.
insert into webhook_endpoint_secret (id, endpoint_id, key_id, sealed, created_at)
select ('00000000-0000-7000-8000-' || lpad(to_hex(row_number() over (order by p.id, s.position desc)), 12, '0'))::uuid,
    p.id, '', convert_to(s.secret, 'UTF8'), p.created_at
from webhook_endpoint p, unnest(p.secrets) with ordinality as s (secret, position);
alter table webhook_endpoint drop column secrets;
