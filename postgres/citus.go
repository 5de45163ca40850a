package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Sharding says whether the tables of tenants are distributed over the nodes of a Citus cluster.
type Sharding string

const (
	// ShardingAuto distributes them where the database has the extension. It is the default.
	ShardingAuto Sharding = "auto"
	// ShardingCitus refuses a database without the extension.
	ShardingCitus Sharding = "citus"
	// ShardingOff distributes nothing. What is distributed already stays so.
	ShardingOff Sharding = "off"
)

// distributedTables grow with events. They are distributed by environment and co-located, so that all rows of an
// environment are on one node. The first gives the others their place. Whatever else the tenants have grows with their
// people and purchases, and stays on the coordinator with the control plane (docs/decisions/citus.md).
var distributedTables = []string{
	"event_name", "flow_name", "event_detail", "event_seen", "event_seen_packed", "product_session",
	"product_analytics_first_touch", "flow_run", "frame_invalidated", "product_event", "flow_event", "track_event",
}

//go:embed citus.sql
var citusSQL string

// IsDistributed tells whether the rows of a table are on the nodes of a cluster. Then statements that change or lock
// rows of one environment have to name it, and others may not be possible at all.
func IsDistributed(ctx context.Context, q querier, table string) (distributed bool, err error) {
	caps, err := readCapabilities(ctx, q)
	if err != nil || caps.Citus == "" {
		return false, err
	}
	err = q.QueryRow(
		ctx, `select exists (select from pg_dist_partition where logicalrelid = $1::text::regclass)`, table,
	).Scan(&distributed)
	if err != nil {
		return false, fmt.Errorf("looking for distributed tables: %w", err)
	}
	return distributed, nil
}

// isSharded tells whether the tables of tenants are distributed.
func isSharded(ctx context.Context, q querier) (bool, error) {
	return IsDistributed(ctx, q, distributedTables[0])
}

// RemoveOldest removes the oldest rows of a distributed table whose time is at or after from and before limit and that
// meet a condition, which may be empty: about as many as batch. It returns how many it removed, where the next batch
// begins, and whether there is one. A batch is a span of time on all nodes together, and rows of one time are not
// divided: places in files, which bound batches of other tables, are no condition that a cluster takes.
func RemoveOldest(
	ctx context.Context, conn interface {
		querier
		Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)
	}, table, column, condition string, from pgtype.Timestamptz, limit time.Time, batch int,
) (removed int64, next pgtype.Timestamptz, more bool, err error) {
	if condition != "" {
		condition = " and " + condition
	}
	upTo, last := "<=", pgtype.Timestamptz{}
	err = conn.QueryRow(ctx, fmt.Sprintf(
		`select %[2]s from %[1]s where %[2]s >= $1 and %[2]s < $2%[3]s order by 1 offset %[4]d limit 1`,
		table, column, condition, batch-1), from, limit).Scan(&last)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		upTo, last = "<", pgtype.Timestamptz{Time: limit, Valid: true}
	case err != nil:
		return 0, from, false, fmt.Errorf("looking for the oldest rows of %s: %w", table, err)
	}
	tag, err := conn.Exec(ctx, fmt.Sprintf(
		`delete from %[1]s where %[2]s >= $1 and %[2]s %[4]s $2%[3]s`, table, column, condition, upTo), from, last)
	if err != nil {
		return 0, from, false, fmt.Errorf("removing the oldest rows of %s: %w", table, err)
	}
	return tag.RowsAffected(), last, upTo == "<=", nil
}

// TransactionID returns the id of a transaction that is about to change rows of which others are told by it, as text.
// Such a statement has to be given the id: one that a distributed database passes on to a node would take the node's.
// The id is noted in the log of the database, so that it is not given again to another transaction after a crash,
// although the changes themselves may be noted elsewhere.
func TransactionID(ctx context.Context, tx pgx.Tx) (id string, err error) {
	err = tx.QueryRow(ctx, `select pg_current_xact_id()::text, pg_logical_emit_message(true, 'svc', '')`).Scan(&id, nil)
	if err != nil {
		return "", fmt.Errorf("reading the transaction's id: %w", err)
	}
	return id, nil
}

// ensureDistribution distributes those of the tenants' tables that are not distributed yet, with the rows that they
// have.
func ensureDistribution(ctx context.Context, conn *pgx.Conn, opts MigrateOptions) error {
	caps, err := readCapabilities(ctx, conn)
	if err != nil {
		return err
	}
	if caps.Citus == "" {
		if opts.Sharding == ShardingCitus {
			return errors.New("database_sharding is citus, and this database does not have the extension: put citus into " +
				"shared_preload_libraries of every node, run \"create extension citus\" in the database of each, and add the " +
				"workers with citus_add_node on the coordinator")
		}
		return nil
	}
	sharded, err := isSharded(ctx, conn)
	if err != nil || !sharded && opts.Sharding == ShardingOff {
		return err
	}
	if err := checkNodes(ctx, conn); err != nil {
		return err
	}
	for _, table := range distributedTables {
		if err := distribute(ctx, conn, table, opts); err != nil {
			return fmt.Errorf("distributing %s: %w", table, err)
		}
	}
	if _, err := conn.Exec(ctx, citusSQL); err != nil {
		return fmt.Errorf("making what a distributed database needs: %w", err)
	}
	return nil
}

// checkNodes refuses what would fail later, or be without shards.
func checkNodes(ctx context.Context, conn *pgx.Conn) error {
	var nodes int
	var coordinator bool
	err := conn.QueryRow(ctx, `
		select count(*) filter (where shouldhaveshards and isactive and noderole = 'primary'),
			coalesce((select groupid = 0 from pg_dist_local_group), true)
		from pg_dist_node`).Scan(&nodes, &coordinator)
	switch {
	case err != nil:
		return fmt.Errorf("looking for the nodes of the cluster: %w", err)
	case !coordinator:
		return errors.New("this database is a worker of a Citus cluster: database_url must be that of the coordinator")
	case nodes == 0:
		return errors.New("no node of the Citus cluster takes shards: add the workers with citus_add_node on the " +
			"coordinator, or set database_sharding to off")
	}
	return nil
}

// distribute distributes a table unless it is. Nobody may write to it meanwhile.
func distribute(ctx context.Context, conn *pgx.Conn, table string, opts MigrateOptions) error {
	if done, err := IsDistributed(ctx, conn, table); err != nil || done {
		return err
	}
	opts.Logger.Info("distributing a table by environment", "table", table)
	with := distributedTables[0]
	if table == with {
		with = "none"
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if err := widenEnvironment(ctx, tx, table); err != nil {
			return err
		}
		if err := dropTransactionDefault(ctx, tx, table); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `set local client_min_messages = warning`); err != nil {
			return err
		}
		var local bool
		if err := tx.QueryRow(ctx, `select exists (select from `+table+`)`).Scan(&local); err != nil {
			return err
		}
		if _, err := tx.Exec(
			ctx, `select create_distributed_table($1::text::regclass, 'environment_id', colocate_with => $2)`, table, with,
		); err != nil {
			return err
		}
		if !local {
			return nil
		}
		_, err := tx.Exec(ctx, `select truncate_local_data_after_distributing_table($1::text::regclass)`, table)
		return err
	})
}

// widenEnvironment gives the column by which a table is distributed the type that it has in the others: only then are
// they co-located. The ledger saves four bytes a row without.
func widenEnvironment(ctx context.Context, tx pgx.Tx, table string) error {
	var wide bool
	if err := tx.QueryRow(ctx, `
		select atttypid = 'bigint'::regtype from pg_attribute
		where attrelid = $1::text::regclass and attname = 'environment_id'`, table).Scan(&wide); err != nil || wide {
		return err
	}
	_, err := tx.Exec(ctx, `alter table `+table+` alter column environment_id type bigint`)
	return err
}

// dropTransactionDefault takes away the default of the column of the transaction that wrote a row: a node would fill in
// an id of its own, by which nobody would find the row. Without, a statement that does not name the column fails.
func dropTransactionDefault(ctx context.Context, tx pgx.Tx, table string) error {
	var column *string
	err := tx.QueryRow(ctx, `
		select (select quote_ident(attname) from pg_attribute
			where attrelid = $1::text::regclass and atttypid = 'xid8'::regtype and atthasdef and not attisdropped)`, table,
	).Scan(&column)
	if err != nil || column == nil {
		return err
	}
	_, err = tx.Exec(ctx, `alter table `+table+` alter column `+*column+` drop default`)
	return err
}
