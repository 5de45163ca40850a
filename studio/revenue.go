package studio

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/revenue"
)

// RecordPurchase writes a row of the revenue ledger by hand, for owners and
// admins, and reports whether it is new: the same provider event again changes
// nothing. The environment of the purchase is that of the app and kind.
func (s *Studio) RecordPurchase(ctx context.Context, app uuid.UUID, kind Kind, purchase revenue.Purchase) (recorded bool, err error) {
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
	purchase.EnvironmentID = env.ID
	detail := map[string]any{"provider": purchase.Provider, "kind": purchase.Kind, "amountMicros": purchase.SignedMicros()}
	err = s.transact(ctx, record{a.WorkspaceID, "revenue.record", purchase.ProviderEventID, detail}, func(tx *ent.Tx) error {
		recorded, err = revenue.RecordPurchase(ctx, tx, purchase)
		return err
	})
	return recorded && err == nil, err
}

func text(value string, shortest, longest int) bool {
	return len(value) >= shortest && len(value) <= longest && !strings.ContainsRune(value, 0)
}
