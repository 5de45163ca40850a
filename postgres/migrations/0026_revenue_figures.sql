-- What the figures of revenue look for: money by the time of its charge, what a customer paid first (whose expression
-- stands in revenue/figures as well), what was taken back, and trials by their begin.

-- +goose NO TRANSACTION
-- +goose Up
drop index concurrently if exists revenue_ledger_charged;
create index concurrently revenue_ledger_charged
    on revenue_ledger (environment_id, (coalesce(charged_at, occurred_at)));
drop index concurrently if exists revenue_ledger_customer;
create index concurrently revenue_ledger_customer on revenue_ledger (environment_id, (
    case when app_user_id <> '' then 'person ' || app_user_id else provider || ' ' ||
        coalesce(nullif(subscription_key, ''), nullif(refers_to, ''), nullif(transaction_key, ''), provider_event_id) end),
    occurred_at)
    where kind in ('originating', 'renewal') and (amount_micros is null or amount_micros > 0);
drop index concurrently if exists revenue_ledger_taken_back;
create index concurrently revenue_ledger_taken_back on revenue_ledger (environment_id, provider, refers_to)
    where refers_to <> '' and kind in ('refund', 'refund_reversal');
drop index concurrently if exists subscription_period_trial;
create index concurrently subscription_period_trial on subscription_period (environment_id, starts_at)
    where period_type = 'trial';
