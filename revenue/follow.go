package revenue

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/revenue/fold"
)

// Follower does what follows from money, in the transaction that books it.
type Follower interface {
	// Wants tells whether something may follow from money in an environment.
	Wants(environmentID int64) bool
	// Booked is told of what is new and whose person is known: once, when it is booked or when its person becomes
	// known. It may be told again when a delivery changes what an earlier one came to, with the same Key.
	Booked(ctx context.Context, tx pgx.Tx, changes []Change) error
}

// Change is a new row of the ledger, or a period of a subscription that ended.
type Change struct {
	EnvironmentID int64
	Provider      fold.Provider
	// Key names what is booked within the provider: the transaction, the taking back of one or the end of its period.
	Key        string
	Kind       Kind // SubscriptionExpired for the end of a period
	Converted  bool // the first payment after a trial
	AppUserID  string
	OccurredAt time.Time
	// AmountMicros are signed micro-USD; nil when the amount has no rate.
	AmountMicros *int64
	Currency     string
	ProductID    string
}

// SubscriptionExpired is the kind of a [Change] that says that access ended.
const SubscriptionExpired Kind = "expired"

// tell tells the follower of rows of the ledger, by their ids, and of periods that ended, by their transactions.
func (b *book) tell(ctx context.Context, ledgerIDs []int64, ended []string) error {
	if b.follower == nil || len(ledgerIDs) == 0 && len(ended) == 0 || !b.follower.Wants(b.environment) {
		return nil
	}
	rows, err := b.tx.Query(ctx, `
		select transaction_key || case when kind in ('trial', 'originating', 'renewal') then '' else ' ' || kind end,
			kind, kind = 'originating' and subscription_key <> '' and exists (
				select from subscription_period t where t.environment_id = l.environment_id and t.provider = l.provider
					and t.subscription_key = l.subscription_key and t.period_type = 'trial'),
			app_user_id, occurred_at, amount_micros, currency, product_id
		from revenue_ledger l where environment_id = $1 and app_user_id <> '' and (id = any ($3)
			or provider = $2 and source = 'webhook' and kind = 'originating' and transaction_key in (
				-- paid after a trial that is told of only now
				select n.transaction_key from revenue_ledger t
				join subscription_period n on n.environment_id = $1 and n.provider = $2
					and n.subscription_key = t.subscription_key
				where t.environment_id = $1 and t.id = any ($3) and t.kind = 'trial'))
		union all
		select transaction_key || ' expired', 'expired', false, app_user_id, ended_at, null, '', product_id
		from subscription_period p where environment_id = $1 and provider = $2 and transaction_key = any ($4)
			and app_user_id <> '' and ended_at is not null
			and not exists ( -- another period goes on
				select from subscription_period n where n.environment_id = $1 and n.provider = $2
					and n.subscription_key = p.subscription_key and n.starts_at > p.starts_at)
		order by 5, 1`, b.environment, b.provider, ledgerIDs, ended)
	if err != nil {
		return fmt.Errorf("read what is new: %w", err)
	}
	changes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Change, error) {
		c := Change{EnvironmentID: b.environment, Provider: b.provider}
		return c, row.Scan(&c.Key, &c.Kind, &c.Converted, &c.AppUserID, &c.OccurredAt, &c.AmountMicros, &c.Currency,
			&c.ProductID)
	})
	if err != nil {
		return fmt.Errorf("read what is new: %w", err)
	}
	if len(changes) == 0 {
		return nil
	}
	return b.follower.Booked(ctx, b.tx, changes)
}
