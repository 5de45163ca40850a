// Package transaction runs work in one database transaction of the control
// plane.
package transaction

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-dev/svc/ent"
)

// Run commits when work succeeds, unless the context is one of a dry run, and rolls back when it fails or panics.
func Run(ctx context.Context, client *ent.Client, work func(tx *ent.Tx) error) (err error) {
	tx, err := client.Tx(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	done := false
	defer func() {
		if !done { // work panicked
			_ = tx.Rollback()
		}
	}()
	err = work(tx)
	done = true
	if err != nil || IsDryRun(ctx) {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
