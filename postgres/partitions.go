package postgres

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// futureMonths are made ahead, so that the change of the month needs no DDL under load.
const futureMonths = 2

// month counts calendar months (UTC) since year 0, which makes ranges of months plain arithmetic.
type month int

func monthOf(t time.Time) month {
	t = t.UTC()
	return month(t.Year()*12 + int(t.Month()) - 1)
}

func (m month) start() time.Time {
	return time.Date(int(m)/12, time.Month(int(m)%12+1), 1, 0, 0, 0, 0, time.UTC)
}

func (m month) partition(table string) string {
	return table + "_" + m.start().Format("200601")
}

// partitionCache remembers which months have partitions, so that the writer's question costs no round trip.
type partitionCache struct {
	mu     sync.Mutex
	native *bool // nil until the first look
	known  map[month]bool
}

// isNative looks once whether events are in native partitions. The caller has locked the cache.
func (c *partitionCache) isNative(ctx context.Context, q querier) (bool, error) {
	if c.native == nil {
		kind, err := eventTableKind(ctx, q, eventTables[0])
		if err != nil {
			return false, err
		}
		native := kind == kindPartitioned
		c.native = &native
		c.known = map[month]bool{}
	}
	return *c.native, nil
}

func (c *partitionCache) forget(m month) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.known, m)
}

// EnsurePartitions makes the monthly partitions of all event tables that events at these times belong to.
// On TimescaleDB it does nothing. It remembers what exists, so that the usual call makes no round trip.
//
// A month older than Options.EventRetention or more than two months ahead gets no partition of its own: those rows,
// and the rows of a call that failed, go to the default partition, so that an error here never loses an event.
//
// Call it before the transaction that writes the events: making a partition locks the default partition for a
// moment, which a transaction of the same process that wrote there would block.
func (db *DB) EnsurePartitions(ctx context.Context, occurredAt iter.Seq[time.Time]) error {
	cache := &db.partitions
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if native, err := cache.isNative(ctx, db.Pool); err != nil || !native {
		return err
	}
	now := time.Now()
	oldest, newest := db.oldestMonth(now), monthOf(now)+futureMonths
	last := month(-1)
	for t := range occurredAt {
		m := monthOf(t)
		if m == last || m < oldest || m > newest || cache.known[m] {
			continue
		}
		last = m
		for _, table := range eventTables {
			if err := createPartition(ctx, db.Pool, table, m); err != nil {
				return err
			}
		}
		cache.known[m] = true
	}
	return nil
}

// oldestMonth returns the first month that gets a partition: the one that the retention cuts, or with unlimited
// retention that of the default, since a clock that is wrong by decades must not make hundreds of tables.
func (db *DB) oldestMonth(now time.Time) month {
	if db.retention < 0 {
		return monthOf(now.Add(-defaultEventRetention))
	}
	return monthOf(now.Add(-db.retention))
}

// ensureCurrentPartitions makes the default partition and those from the last month to futureMonths ahead.
func ensureCurrentPartitions(ctx context.Context, db txBeginner, table string, now time.Time) error {
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf(`create table if not exists %[1]s_default partition of %[1]s default`, table))
		return err
	})
	if err != nil {
		return fmt.Errorf("making the default partition: %w", err)
	}
	current := monthOf(now)
	for m := current - 1; m <= current+futureMonths; m++ {
		if err := createPartition(ctx, db, table, m); err != nil {
			return err
		}
	}
	return nil
}

// txBeginner is a pool or a connection.
type txBeginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// distributePartition puts a month beside the environments' other rows before it gets any.
const distributePartition = `select create_distributed_table('%[2]s', 'environment_id', colocate_with => '%[1]s')`

// createPartition makes one month's partition unless it exists, and moves rows that the default partition took
// for that month. The table is made apart and attached, because "create … partition of" would lock out readers.
// Writers do wait for a moment: an insert that chose the default partition just before the new one appeared would
// be refused (23514) instead of routed again.
func createPartition(ctx context.Context, db txBeginner, table string, m month) error {
	name := m.partition(table)
	from, to := m.start().Format(time.RFC3339), (m + 1).start().Format(time.RFC3339)
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		// One maker at a time, also among servers: the loser finds the table made.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtext('svc event partitions'))`); err != nil {
			return err
		}
		var exists bool
		if err := tx.QueryRow(ctx, `select to_regclass($1) is not null`, name).Scan(&exists); err != nil || exists {
			return err
		}
		// A long read of the default partition would make every writer wait behind this; the rows then stay in the
		// default partition until the next attempt.
		distributed, err := IsDistributed(ctx, tx, table)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `set local lock_timeout = '2s'`); err != nil {
			return err
		}
		for _, statement := range []string{ // one by one: Citus passes on the text that a statement came in
			`lock table %[1]s in share row exclusive mode`,
			`create table %[2]s (like %[1]s including defaults,
				constraint %[2]s_range check (occurred_at >= '%[3]s' and occurred_at < '%[4]s'))`,
			distributePartition,
			`lock table %[1]s_default in access exclusive mode`,
			`with moved as (
				delete from %[1]s_default where occurred_at >= '%[3]s' and occurred_at < '%[4]s' returning *
			) insert into %[2]s select * from moved`,
			`alter table %[1]s attach partition %[2]s for values from ('%[3]s') to ('%[4]s')`,
			`alter table %[2]s drop constraint %[2]s_range`,
		} {
			if statement == distributePartition && !distributed {
				continue
			}
			if _, err := tx.Exec(ctx, fmt.Sprintf(statement, table, name, from, to)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("making the partition %s: %w", name, err)
	}
	return nil
}
