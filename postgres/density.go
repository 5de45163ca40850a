package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Density says of a product event among how many others of its environment it came, where events are in native
// partitions. The indexes have the five minutes and the day of an event; of dense events they have finer times, which
// would take much of the disk of the few events of most environments. Where it is wrong, reads take longer, and say the
// same.
type Density int

const (
	// Sparse events have at most SparseEvents before them in their five minutes. Their column is null.
	Sparse Density = iota
	// Dense events have more, and are found by their tenth of a second, of a rare name by that name, too.
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

const epoch = "timestamptz '1970-01-01 00:00:00+00'"

// TenthOf is the tenth of a second of its UTC day that a time is in, both in SQL: of 864,000 a day.
func TenthOf(at string) string {
	return "floor(10 * date_part('epoch', " + at + " - date_bin('1 day', " + at + ", " + epoch + ")))::int"
}

// DenseTenth is what indexes have of a product event besides its five minutes or its day, in SQL: the tenth of a second
// of a dense event, -1 of a crowded one, null of a sparse one.
var DenseTenth = "case density when 1 then " + TenthOf("occurred_at") + " when 2 then -1 end"

// denseCommon is the place of the common name of a dense product event, in SQL, by which the index of time tells them
// apart; -1 of another name: a null would be 8 bytes. Null of other events.
var denseCommon = func() string {
	place := "case when density = 1 then case name"
	for i, name := range commonNames {
		place += fmt.Sprintf(" when '%s' then %d", name, i)
	}
	return place + " else -1 end end"
}()

// DenseNamed is the condition in SQL by which an index finds the dense product events of a name besides the name: that
// of time where the name is common, else that of rare names.
func DenseNamed(name string) (condition string, isCommon bool) {
	if place := slices.Index(commonNames, name); place >= 0 {
		return fmt.Sprintf("%s = %d", denseCommon, place), true
	}
	return DenseTenth + " >= 0 and " + IsRare, false
}

// HasDensity reports whether events say their density: they do in native partitions. The index of hypertables has the
// time itself.
func (db *DB) HasDensity(ctx context.Context) (bool, error) {
	db.partitions.mu.Lock()
	defer db.partitions.mu.Unlock()
	return db.partitions.isNative(ctx, db.Pool)
}
