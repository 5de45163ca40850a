package transaction

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

type dryRunKey struct{}

// errDryRun ends the transaction of a dry run that would have been committed.
var errDryRun = errors.New("a dry run changes nothing")

// DryRun returns a context in which Run and RunIn roll back what they would commit when on is true: every check is
// made, what would be is returned, and nothing is kept.
func DryRun(ctx context.Context, on bool) context.Context {
	return context.WithValue(ctx, dryRunKey{}, on)
}

// IsDryRun tells whether the context is one of a dry run, in which nothing may be delivered either.
func IsDryRun(ctx context.Context) bool {
	on, _ := ctx.Value(dryRunKey{}).(bool)
	return on
}

// Beginner is a pool or a connection.
type Beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// RunIn does what Run does on a connection of pgx.
func RunIn(ctx context.Context, db Beginner, work func(tx pgx.Tx) error) error {
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if err := work(tx); err != nil {
			return err
		}
		if IsDryRun(ctx) {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}
