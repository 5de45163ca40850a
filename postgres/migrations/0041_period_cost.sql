-- The amount of a period is what its plan costs, whatever cash its invoice moved. Deliveries that were booked by earlier
-- rules are booked again while the server runs (revenue.Ledger.Rebook): fold_version says by which each was, and servers
-- of earlier versions write 0.

-- +goose NO TRANSACTION
-- +goose Up
alter table subscription_period
    add column if not exists whole_seconds bigint; -- of the period that amount_micros is for, where it is not starts_at to ends_at
alter table provider_event add column if not exists fold_version smallint not null default 0;
drop index concurrently if exists provider_event_outdated;
create index concurrently provider_event_outdated on provider_event (environment_id, provider, event_id)
    where fold_version < 1;
