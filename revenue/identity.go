package revenue

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/revenue/fold"
)

// BillingIdentity is the id by which a billing provider knows a device's person
// (wire.md §8.3).
type BillingIdentity struct {
	EnvironmentID int64
	AppUserID     string
	Provider      string // revenuecat or superwall
	ExternalID    string
}

// LinkIdentity keeps a billing identity. The same one again only renews its
// time; another id of the same device, or another device with the same id, is
// kept beside it. Of an erased person nothing is kept: [fault.PersonErased].
func (l *Ledger) LinkIdentity(ctx context.Context, identity BillingIdentity) error {
	err := pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		subject := privacy.Subject{EnvironmentID: identity.EnvironmentID, AppUserID: identity.AppUserID}
		if err := privacy.Allow(ctx, tx, subject); err != nil {
			return err
		}
		var first bool
		err := tx.QueryRow(ctx, `
			insert into billing_identity (environment_id, provider, external_id, app_user_id, linked_at, first_linked_at)
			values ($1, $2, $3, $4, $5, $5)
			on conflict (environment_id, provider, external_id, app_user_id) do update
			set linked_at = greatest(billing_identity.linked_at, excluded.linked_at)
			returning xmax = 0`,
			identity.EnvironmentID, identity.Provider, identity.ExternalID, identity.AppUserID, l.now()).Scan(&first)
		if err != nil || !first {
			return err
		}
		return l.Linked(ctx, tx, identity.EnvironmentID, fold.PersonID(fold.ByIdentity, identity.ExternalID))
	})
	if err != nil {
		return fmt.Errorf("keep a billing identity: %w", err)
	}
	return nil
}
