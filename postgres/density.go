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

// tenth says in SQL in which tenth of a second of something a time is.
type tenth struct{ of, number string } // the length of what it is counted in, and the type of its number

var (
	tenthOfDay = tenth{"1 day", "int"}      // of 864,000
	tenthInBin = tenth{"5 minutes", "int2"} // of 3,000
)

// at is the tenth of a time.
func (t tenth) at(time string) string {
	return fmt.Sprintf("floor(10 * date_part('epoch', %[1]s - date_bin('%[2]s', %[1]s, %[3]s)))::%[4]s",
		time, t.of, epoch, t.number)
}

// dense is what indexes have of a product event besides its five minutes or its day: the tenth of a dense event, -1 of
// a crowded one, null of a sparse one.
func (t tenth) dense() string {
	return "case density when 1 then " + t.at("occurred_at") + " when 2 then " + t.number + " '-1' end"
}

// denseCommon is the place of the common name of a dense product event, in SQL, by which the index of time tells them
// apart; -1 of another name: a null would be 8 bytes. Null of other events.
var denseCommon = func() string {
	place := "case when density = 1 then case name"
	for i, name := range commonNames {
		place += fmt.Sprintf(" when '%s' then int2 '%d'", name, i)
	}
	return place + " else int2 '-1' end end"
}()

// DenseIndex is how an index has the dense product events of a name, in SQL.
type DenseIndex struct {
	Condition string                   // by which it finds them, besides the name
	Begin     func(time string) string // what it has of a time first: its five minutes or its day
	Tenth     func(time string) string // and then: the tenth of a second of that
	Order     []string                 // what it has of an event of both
	Sparse    string                   // the condition by which it finds sparse events
}

// DenseNamed returns the index of time where a name is common, else that of rare names.
func DenseNamed(name string) DenseIndex {
	index := func(begin func(string) string, of tenth, condition string) DenseIndex {
		return DenseIndex{condition, begin, of.at, []string{begin("occurred_at"), of.dense()}, of.dense() + " is null"}
	}
	if place := slices.Index(commonNames, name); place >= 0 {
		return index(TimeBin, tenthInBin, fmt.Sprintf("%s = %d", denseCommon, place))
	}
	return index(DayOf, tenthOfDay, tenthOfDay.dense()+" >= 0 and "+IsRare)
}

// HasDensity reports whether events say their density: they do in native partitions. The index of hypertables has the
// time itself.
func (db *DB) HasDensity(ctx context.Context) (bool, error) {
	db.partitions.mu.Lock()
	defer db.partitions.mu.Unlock()
	return db.partitions.isNative(ctx, db.Pool)
}
