package studio

import (
	"context"
	"fmt"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/appchange"
	"github.com/svc-dev/svc/postgres/transaction"
)

// AdoptMediaBase makes address what media URLs start with. When the last server
// that started used another one, the bodies that channels deliver have changed,
// so every assigned channel's assignment version rises and all servers are told
// (wire.md §3.7); an app that holds a cached body then gets the new one. The
// first address is only stored. It returns how many channels it raised.
//
// Call it before anything is delivered. Servers that share a database must agree
// on the address.
func AdoptMediaBase(ctx context.Context, client *ent.Client, address string) (raised int64, err error) {
	err = transaction.Run(ctx, client, func(tx *ent.Tx) error {
		// Of two servers that start at once the second waits here for the first.
		first, err := tx.ExecContext(ctx, `insert into media_base (address) values ($1) on conflict do nothing`, address)
		if err != nil {
			return fmt.Errorf("store the media address: %w", err)
		}
		if stored, err := first.RowsAffected(); err != nil || stored == 1 {
			return err
		}
		changed, err := tx.ExecContext(
			ctx, `update media_base set address = $1, changed_at = now() where address <> $1`, address,
		)
		if err != nil {
			return fmt.Errorf("store the media address: %w", err)
		}
		if rows, err := changed.RowsAffected(); err != nil || rows == 0 {
			return err
		}
		// One statement, as there may be thousands. Channels are locked in the
		// order of their ids, as everywhere. Archived ones rise when they come back.
		bumped, err := tx.ExecContext(ctx, `
			with assigned as (
				select id from channels where archived_at is null and assignment <> 'none' order by id for update
			), bumped as (
				update channels set assignment_version = assignment_version + 1, updated_at = now()
				from assigned where channels.id = assigned.id
				returning channels.id, assignment_version, assignment, flow_version_id, experiment_id
			)
			insert into assignments (channel_id, assignment_version, assignment, flow_version_id, experiment_id, reason)
			select id, assignment_version, assignment, flow_version_id, experiment_id, 'media_base' from bumped`)
		if err != nil {
			return fmt.Errorf("raise the assignment versions: %w", err)
		}
		if raised, err = bumped.RowsAffected(); err != nil {
			return err
		}
		return notify(ctx, tx, appchange.All)
	})
	return raised, err
}
