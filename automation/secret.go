package automation

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/internal/seal"
)

// secretTable has the secrets of endpoints, encrypted for their ids.
const secretTable = "webhook_endpoint_secret"

// addSecret stores a secret of an endpoint, encrypted.
func (a *Automations) addSecret(ctx context.Context, tx pgx.Tx, endpoint uuid.UUID, secret string) error {
	id := uuid.Must(uuid.NewV7())
	keyID, sealed, err := a.ring.Seal([]byte(secret), id.String())
	if err != nil {
		return err
	}
	_, err = affected(ctx, tx, `
		insert into webhook_endpoint_secret (id, endpoint_id, key_id, sealed) values ($1, $2, $3, $4)`,
		id, endpoint, keyID, sealed)
	return err
}

// keepNewestSecret removes the secrets of an endpoint but the newest one.
func keepNewestSecret(ctx context.Context, tx pgx.Tx, endpoint uuid.UUID) error {
	_, err := affected(ctx, tx, `
		delete from webhook_endpoint_secret s where endpoint_id = $1
			and exists (select from webhook_endpoint_secret n where n.endpoint_id = $1 and n.id > s.id)`, endpoint)
	return err
}

// errLocked says that the server lacks a key; the delivery log shows it.
var errLocked = errors.New("the server lacks the key that the endpoint's secret is encrypted with")

// secrets reads what messages to an endpoint are signed with, the newest first. The error is errLocked when the server
// can't decrypt one.
func (a *Automations) secrets(ctx context.Context, endpoint uuid.UUID) (secrets []webhook.Secret, err error) {
	rows, err := a.db.Pool.Query(ctx, `
		select id, key_id, sealed from webhook_endpoint_secret where endpoint_id = $1 order by id desc`, endpoint)
	if err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	var id uuid.UUID
	var keyID string
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &keyID, &sealed}, func() error {
		opened, err := a.ring.Open(keyID, sealed, id.String())
		if errors.Is(err, seal.ErrUnknownKey) {
			return errLocked
		}
		if err != nil {
			return err
		}
		secret, err := webhook.ParseSecret(string(opened))
		secrets = append(secrets, secret)
		return err
	})
	return secrets, err
}
