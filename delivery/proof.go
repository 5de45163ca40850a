package delivery

import (
	"context"
	_ "embed"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/people/proof"
)

//go:embed queries/proofs.sql
var proofsSQL string

// readProofs returns the rules of the environments that have one. A secret that this server can't decrypt proves
// nothing: where proof is required, ids are then taken for absent.
func (l *loader) readProofs(ctx context.Context, environments []int64) (map[int64]proof.Rule, error) {
	rows, err := l.tx.Query(ctx, proofsSQL, environments)
	if err != nil {
		return nil, err
	}
	rules := map[int64]proof.Rule{}
	var (
		environment int64
		mode        proof.Mode
		id          *uuid.UUID
		keyID       *string
		sealed      []byte
	)
	_, err = pgx.ForEachRow(rows, []any{&environment, &mode, &id, &keyID, &sealed}, func() error {
		rule := rules[environment]
		rule.Mode = mode
		if id != nil && l.ring != nil {
			secret, err := proof.Open(l.ring, *keyID, sealed, *id)
			if err != nil {
				l.logger.ErrorContext(ctx, "a secret of custom user ids proves nothing",
					"environment_id", environment, "key", *keyID, "error", err)
			} else {
				rule.Secrets = append(rule.Secrets, secret)
			}
		}
		rules[environment] = rule
		return nil
	})
	return rules, err
}
