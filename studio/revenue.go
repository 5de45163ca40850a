package studio

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
)

// Purchase is a row of the revenue ledger.
type Purchase struct {
	Provider        string // revenuecat, superwall or stripe
	ProviderEventID string
	Kind            string // originating, renewal or refund
	AppUserID       string // empty until it is joined to a person
	OccurredAt      time.Time
	AmountMicros    int64 // micro-USD, positive; a refund is stored negative
	Currency        string
	ProductID       string
}

// RecordPurchase writes a ledger row by hand, for owners and admins. The same
// provider event again changes nothing; it tells whether the row is new.
func (s *Studio) RecordPurchase(ctx context.Context, app uuid.UUID, kind Kind, purchase Purchase) (bool, error) {
	a, env, err := s.environment(ctx, app, kind, account.RevenueRecord)
	if err != nil {
		return false, err
	}
	purchase.Currency = strings.ToUpper(purchase.Currency)
	for _, check := range []struct {
		ok             bool
		field, message string
	}{
		{text(purchase.ProviderEventID, 1, 256), "providerEventId", "must have 1 to 256 characters"},
		{text(purchase.AppUserID, 0, 256), "appUserId", "must have at most 256 characters"},
		{text(purchase.ProductID, 0, 256), "productId", "must have at most 256 characters"},
		{text(purchase.Currency, 3, 3), "currency", "must be three letters"},
		{purchase.AmountMicros > 0, "amount", "must be positive"},
		{!purchase.OccurredAt.After(s.now().Add(5 * time.Minute)), "occurredAt", "is in the future"},
	} {
		if !check.ok {
			return false, fault.Invalid(check.field, "%s", check.message)
		}
	}
	amount := purchase.AmountMicros
	if purchase.Kind == "refund" {
		amount = -amount
	}
	fresh := false
	detail := map[string]any{"provider": purchase.Provider, "kind": purchase.Kind, "amountMicros": amount}
	err = s.transact(ctx, record{a.WorkspaceID, "revenue.record", purchase.ProviderEventID, detail}, func(tx *ent.Tx) error {
		result, err := tx.ExecContext(ctx, `
			insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at, amount_micros, currency, product_id)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			on conflict (environment_id, provider, provider_event_id) do nothing`,
			env.ID, purchase.Provider, purchase.ProviderEventID, purchase.Kind, purchase.AppUserID, purchase.OccurredAt,
			amount, purchase.Currency, purchase.ProductID)
		if err != nil {
			return fmt.Errorf("write the ledger: %w", err)
		}
		rows, err := result.RowsAffected()
		fresh = rows > 0
		return err
	})
	return fresh, err
}

func text(value string, shortest, longest int) bool {
	return len(value) >= shortest && len(value) <= longest && !strings.ContainsRune(value, 0)
}
