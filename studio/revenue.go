package studio

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/revenue"
)

// RecordPurchase writes a row of the revenue ledger by hand, for owners and
// admins, and reports whether it is new: the same provider event again changes
// nothing. The environment of the purchase is that of the app and kind.
func (s *Studio) RecordPurchase(
	ctx context.Context, app uuid.UUID, kind Kind, purchase revenue.Purchase,
) (recorded bool, err error) {
	a, env, err := s.findEnvironment(ctx, app, kind, account.RevenueRecord)
	if err != nil {
		return false, err
	}
	purchase.Currency = strings.ToUpper(purchase.Currency)
	if err := s.validatePurchase(purchase); err != nil {
		return false, err
	}
	purchase.EnvironmentID = env.ID
	detail := map[string]any{"provider": purchase.Provider, "kind": purchase.Kind, "amountMicros": purchase.SignedMicros()}
	err = s.transact(ctx, record{
		a.WorkspaceID, "revenue.record", purchase.ProviderEventID, detail,
	}, func(tx *ent.Tx) error {
		recorded, err = revenue.RecordPurchase(ctx, tx, purchase)
		if err != nil || !recorded || s.automations == nil {
			return err
		}
		return s.automations.Recorded(ctx, tx, automation.OfPurchase(purchase))
	})
	return recorded && err == nil, err
}

func (s *Studio) validatePurchase(purchase revenue.Purchase) error {
	err := validate.Input(struct {
		ProviderEventID string `json:"providerEventId" validate:"name=256"`
		AppUserID       string `json:"appUserId" validate:"utf16max=256"`
		ProductID       string `json:"productId" validate:"utf16max=256"`
		Currency        string `json:"currency" validate:"len=3,alpha"`
		Amount          int64  `json:"amount" validate:"gt=0"`
	}{purchase.ProviderEventID, purchase.AppUserID, purchase.ProductID, purchase.Currency, purchase.AmountMicros})
	if err != nil {
		return err
	}
	if purchase.OccurredAt.After(s.now().Add(5 * time.Minute)) {
		return fault.Invalid("occurredAt", "is in the future")
	}
	return nil
}
