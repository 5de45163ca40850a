-- +goose Up

-- Exports read subscriptions by the day on which their periods start.
create index subscription_period_start on subscription_period (environment_id, starts_at);

-- +goose Down
drop index subscription_period_start;
