package postgres

import (
	"context"
	"time"
)

// Density says of a product event among how many others of its environment it came, where events are in native
// partitions. The index of time has the five minutes of an event; dense events are found by finer times besides, which
// would take much of the disk of the few events of most environments. Where it is wrong, reads take longer, and say the
// same.
type Density int

const (
	// Sparse events have at most SparseEvents before them in their five minutes. Their column is null.
	Sparse Density = iota
	// Dense events have more, and are found by their name and tenth of a second.
	Dense
	// Crowded events have more than TenthEvents before them in their tenth of a second: somebody gives all that they send
	// one time. They are found by name, time and key.
	Crowded
)

const (
	// FiveMinutes is what the index of sparse events has as one time.
	FiveMinutes = 5 * time.Minute
	// Tenth is what the index of dense events has as one time.
	Tenth = 100 * time.Millisecond
	// SparseEvents is how many events of an environment are sparse in five minutes, as a server counts: reading them
	// takes 3 ms. A day of such five minutes is 576,000 events.
	SparseEvents = 2_000
	// TenthEvents is how many events of an environment are found by their tenth of a second, as a server counts.
	TenthEvents = 10_000
)

// TenthOf is the begin of the tenth of a second that a time is in, both in SQL.
func TenthOf(at string) string {
	return "date_bin('100 milliseconds', " + at + ", timestamptz '1970-01-01 00:00:00+00')"
}

// HasDensity reports whether events say their density: they do in native partitions. The index of hypertables has the
// time itself.
func (db *DB) HasDensity(ctx context.Context) (bool, error) {
	db.partitions.mu.Lock()
	defer db.partitions.mu.Unlock()
	return db.partitions.isNative(ctx, db.Pool)
}
