package postgres

import (
	"context"
	"sync"
	"time"
)

// maintenanceInterval is a day: partitions are made two months ahead and retention is counted in days.
const maintenanceInterval = 24 * time.Hour

// Maintenance runs [MaintainEvents] once a day. Every server may run one.
type Maintenance struct {
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// StartMaintenance begins the daily maintenance; the first one runs at once. An error is logged and tried again a
// day later: events are stored in the meantime, in the default partition if need be.
func StartMaintenance(db *DB, opts MigrateOptions) *Maintenance {
	opts = opts.withDefaults()
	ctx, cancel := context.WithCancel(context.Background())
	m := &Maintenance{cancel: cancel}
	m.ended.Go(func() {
		ticker := time.NewTicker(maintenanceInterval)
		defer ticker.Stop()
		for {
			if err := MaintainEvents(ctx, db, opts); err != nil && ctx.Err() == nil {
				opts.Logger.Error("maintaining the event storage", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
	return m
}

// Stop ends the maintenance and waits for a run in progress to give up. A nil Maintenance has nothing to stop.
func (m *Maintenance) Stop() {
	if m == nil {
		return
	}
	m.cancel()
	m.ended.Wait()
}
