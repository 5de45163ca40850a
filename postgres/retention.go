package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

const (
	// expiredBatch bounds one delete from a default partition, so that no statement holds its locks for long.
	expiredBatch = 5000
	// dropLockTimeout bounds the wait for the locks of a partition: while it waits, writers wait behind it.
	dropLockTimeout = "2s"
)

// Expired is what [DB.RemoveExpiredEvents] removed.
type Expired struct {
	// Rows were deleted one by one; those of dropped partitions are not counted.
	Rows int64
	// Partitions were dropped whole.
	Partitions []string
	// More is true when expired rows are left for the next call.
	More bool
}

// PrepareEventStorage creates the partitions of the present months and of those to come. On TimescaleDB, which makes
// chunks by itself, it does nothing.
func (db *DB) PrepareEventStorage(ctx context.Context) error {
	for _, table := range eventTables {
		kind, err := eventTableKind(ctx, db.Pool, table)
		if err != nil {
			return err
		}
		if kind != kindPartitioned {
			continue
		}
		if err := ensureCurrentPartitions(ctx, db.Pool, table, time.Now()); err != nil {
			return fmt.Errorf("preparing %s: %w", table, err)
		}
	}
	return nil
}

// RemoveExpiredEvents removes raw events that are older than Options.EventRetention at the time now: it drops
// partitions that ended before, and deletes one batch of older rows of each default partition. Where TimescaleDB has
// no policies (the Apache-licensed build) it drops expired chunks; where policies exist they do the work, and this
// does nothing. An event of a partition lives up to a month longer, since partitions are dropped whole.
func (db *DB) RemoveExpiredEvents(ctx context.Context, now time.Time) (Expired, error) {
	var expired Expired
	if db.retention < 0 {
		return expired, nil
	}
	for _, table := range eventTables {
		kind, err := eventTableKind(ctx, db.Pool, table)
		if err != nil {
			return expired, err
		}
		switch kind {
		case kindPartitioned:
			err = db.removeExpiredMonths(ctx, table, now.Add(-db.retention), &expired)
		case kindHypertable:
			err = db.dropExpiredChunks(ctx, table)
		}
		if err != nil {
			return expired, fmt.Errorf("removing expired rows of %s: %w", table, err)
		}
	}
	return expired, nil
}

// removeExpiredMonths drops the months that ended before the limit, and deletes a batch of the default partition.
func (db *DB) removeExpiredMonths(ctx context.Context, table string, limit time.Time, expired *Expired) error {
	names, err := partitionNames(ctx, db, table)
	if err != nil {
		return err
	}
	for _, name := range names {
		start, err := time.Parse("200601", strings.TrimPrefix(name, table+"_"))
		if err != nil || (monthOf(start) + 1).start().After(limit) {
			continue // the default partition, one made by hand, or a month with rows to keep
		}
		if err := db.dropPartition(ctx, name); err != nil {
			return err
		}
		db.partitions.forget(monthOf(start))
		expired.Partitions = append(expired.Partitions, name)
	}
	distributed, err := IsDistributed(ctx, db.Pool, table)
	if err != nil {
		return err
	}
	if distributed {
		always := pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
		rows, _, more, err := RemoveOldest(ctx, db.Pool, table+"_default", "occurred_at", "", always, limit, expiredBatch)
		expired.Rows, expired.More = expired.Rows+rows, expired.More || more
		return err
	}
	tag, err := db.Pool.Exec(ctx, fmt.Sprintf(`
		delete from %[1]s_default where ctid = any (array(
			select ctid from %[1]s_default where occurred_at < $1 limit %[2]d))`, table, expiredBatch), limit)
	if err != nil {
		return fmt.Errorf("deleting rows: %w", err)
	}
	expired.Rows += tag.RowsAffected()
	expired.More = expired.More || tag.RowsAffected() == expiredBatch
	return nil
}

func (db *DB) dropPartition(ctx context.Context, name string) error {
	err := pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf(`set local lock_timeout = '%s'; drop table if exists %s`,
			dropLockTimeout, pgx.Identifier{name}.Sanitize()))
		return err
	})
	if err != nil {
		return fmt.Errorf("dropping the partition %s: %w", name, err)
	}
	return nil
}

func partitionNames(ctx context.Context, db *DB, table string) ([]string, error) {
	rows, err := db.Pool.Query(ctx, `
		select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
		where inhparent = to_regclass($1) order by relname`, table)
	if err != nil {
		return nil, fmt.Errorf("listing the partitions: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("listing the partitions: %w", err)
	}
	return names, nil
}

func (db *DB) dropExpiredChunks(ctx context.Context, table string) error {
	community, err := communityLicense(ctx, db.Pool)
	if err != nil || community {
		return err
	}
	_, err = db.Pool.Exec(ctx, `select drop_chunks($1::text::regclass, older_than => make_interval(secs => $2))`,
		table, db.retention.Seconds())
	if err != nil {
		return fmt.Errorf("dropping chunks: %w", err)
	}
	return nil
}
