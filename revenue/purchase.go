package revenue

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/revenue/fold"
)

// Kind is what a row of the ledger stands for.
type Kind = fold.Kind

// The kinds of rows that are recorded by hand.
const (
	Originating = fold.Originating
	Renewal     = fold.Renewal
	Refund      = fold.Refund
)

// Purchase is a row of the revenue ledger that is recorded by hand.
type Purchase struct {
	EnvironmentID   int64
	Provider        string // revenuecat, superwall or stripe
	ProviderEventID string // names the row: the same one again is the same purchase
	Kind            Kind
	AppUserID       string // empty until it is joined to a person
	OccurredAt      time.Time
	AmountMicros    int64  // micro-USD, positive; a refund is stored negative
	Currency        string // of the original charge; empty is USD
	ProductID       string
}

// SignedMicros returns the amount as the ledger keeps it, in micro-USD.
func (p Purchase) SignedMicros() int64 {
	if p.Kind == Refund {
		return -p.AmountMicros
	}
	return p.AmountMicros
}

// Execer is a transaction, or a database, of database/sql or ent.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// RecordPurchase writes a row of the ledger and reports whether it is new: the
// same provider event again changes nothing. The caller has checked the values.
// The purchase of an erased person is nobody's.
func RecordPurchase(ctx context.Context, tx Execer, p Purchase) (recorded bool, err error) {
	if p.Currency == "" {
		p.Currency = "USD"
	}
	if _, err := tx.ExecContext(ctx, privacy.JoinWriters); err != nil {
		return false, fmt.Errorf("write the revenue ledger: %w", err)
	}
	result, err := tx.ExecContext(ctx, `
		insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at,
			amount_micros, currency, product_id)
		select $1, $2, $3, $4,
			case when exists (select from erased_person where environment_id = $1 and person = $10) then '' else $5 end,
			$6, $7, $8, $9
		on conflict (environment_id, provider, provider_event_id) where source = 'hand' do nothing`,
		p.EnvironmentID, p.Provider, p.ProviderEventID, string(p.Kind), p.AppUserID, p.OccurredAt, p.SignedMicros(),
		p.Currency, p.ProductID, privacy.Person(p.AppUserID))
	if err != nil {
		return false, fmt.Errorf("write the revenue ledger: %w", err)
	}
	rows, err := result.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("write the revenue ledger: %w", err)
	}
	return rows > 0, nil
}
