package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// expiredBatch bounds one delete from a default partition, so that no statement holds its locks for long.
const expiredBatch = 10_000

// MaintainEvents does what no background job of the database does: on native partitions it makes the partitions of
// the coming months and drops those whose newest possible event is older than opts.EventRetention; on a TimescaleDB
// without policies (the Apache-licensed build) it drops the expired chunks. Where policies exist it does nothing.
//
// It is meant to run once a day on any server; running it on several at once is harmless.
func MaintainEvents(ctx context.Context, db *DB, opts MigrateOptions) error {
	opts = opts.withDefaults()
	now := time.Now()
	for _, table := range eventTables {
		kind, err := eventTableKind(ctx, db.Pool, table)
		if err != nil {
			return err
		}
		switch kind {
		case kindPartitioned:
			if err = ensureCurrentPartitions(ctx, db.Pool, table, now); err == nil && opts.EventRetention > 0 {
				err = dropExpired(ctx, db, table, now.Add(-opts.EventRetention), opts)
			}
		case kindHypertable:
			err = dropExpiredChunks(ctx, db, table, opts)
		}
		if err != nil {
			return fmt.Errorf("maintaining %s: %w", table, err)
		}
	}
	return nil
}

// dropExpired removes the months that ended before the limit, and older rows of the default partition.
func dropExpired(ctx context.Context, db *DB, table string, limit time.Time, opts MigrateOptions) error {
	names, err := partitionNames(ctx, db, table)
	if err != nil {
		return err
	}
	for _, name := range names {
		start, err := time.Parse("200601", strings.TrimPrefix(name, table+"_"))
		if err != nil || (monthOf(start) + 1).start().After(limit) {
			continue // the default partition, one made by hand, or a month with rows to keep
		}
		if _, err := db.Pool.Exec(ctx, "drop table if exists "+pgx.Identifier{name}.Sanitize()); err != nil {
			return fmt.Errorf("dropping the expired partition %s: %w", name, err)
		}
		db.partitions.forget(monthOf(start))
		opts.Logger.Info("dropped an expired partition", "partition", name)
	}
	for {
		tag, err := db.Pool.Exec(ctx, fmt.Sprintf(`
			delete from %[1]s_default where ctid = any (array(
				select ctid from %[1]s_default where occurred_at < $1 limit %[2]d))`, table, expiredBatch), limit)
		if err != nil {
			return fmt.Errorf("deleting expired rows: %w", err)
		}
		if tag.RowsAffected() < expiredBatch {
			return nil
		}
	}
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

func dropExpiredChunks(ctx context.Context, db *DB, table string, opts MigrateOptions) error {
	community, err := communityLicense(ctx, db.Pool)
	if err != nil || community || opts.EventRetention < 0 {
		return err
	}
	_, err = db.Pool.Exec(ctx, `select drop_chunks($1::text::regclass, older_than => make_interval(secs => $2))`, table, opts.EventRetention.Seconds())
	if err != nil {
		return fmt.Errorf("dropping expired chunks: %w", err)
	}
	return nil
}
