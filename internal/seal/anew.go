package seal

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Anew encrypts the secrets of a table with the current key that are encrypted with another one, and returns how many
// it did; afterwards the other keys may be removed. Each is sealed for its id, a column beside key_id and sealed. A row
// without a key id holds the secret as it is: it is older than its encryption.
func (r *Ring) Anew(ctx context.Context, pool *pgxpool.Pool, table string) (done int, err error) {
	type secret struct {
		ID     uuid.UUID
		KeyID  string
		Sealed []byte
	}
	name := pgx.Identifier{table}.Sanitize()
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `select id, key_id, sealed from `+name+` where key_id <> $1 for update`, r.Current())
		if err != nil {
			return err
		}
		list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[secret])
		if err != nil {
			return err
		}
		for _, s := range list {
			opened, err := s.Sealed, error(nil)
			if s.KeyID != "" {
				opened, err = r.Open(s.KeyID, s.Sealed, s.ID.String())
			}
			if errors.Is(err, ErrUnknownKey) {
				continue // the key may come back
			}
			if err != nil {
				return err
			}
			keyID, sealed, err := r.Seal(opened, s.ID.String())
			if err != nil {
				return err
			}
			if _, err := tx.Exec(
				ctx, `update `+name+` set key_id = $2, sealed = $3 where id = $1`, s.ID, keyID, sealed,
			); err != nil {
				return err
			}
			done++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("encrypt the secrets of %s with the current key: %w", table, err)
	}
	return done, nil
}
