package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/postgres"
)

// batchRows is how many rows a transaction removes: few enough that no lock is
// held for long, and many enough that the transaction itself costs little.
const batchRows = 5000

// deletion removes rows whose time is before a limit, oldest first. The time has
// an index that serves the condition.
type deletion struct {
	table, column string
	condition     string // more that a row must meet, in SQL; may be empty
}

// before makes the run that removes everything older than limit. Of a distributed table it removes rows of one
// environment at a time, since a batch is on one node.
func (d deletion) before(limit time.Time) batch {
	var run batch
	return func(ctx context.Context, conn *pgx.Conn) (rows int64, more bool, err error) {
		if run == nil {
			distributed, err := postgres.IsDistributed(ctx, conn, d.table)
			if err != nil {
				return 0, false, err
			}
			run = d.among("", limit)
			if distributed {
				run = eachEnvironment(d.table, func(environment int64) batch {
					return d.among(fmt.Sprintf(" and environment_id = %d", environment), limit)
				})
			}
		}
		return run(ctx, conn)
	}
}

// among makes the run for the rows that meet one condition more. It follows the
// index from where the last batch ended, so that it does not walk again over
// entries of rows that are removed and not vacuumed yet.
func (d deletion) among(condition string, limit time.Time) batch {
	if d.condition != "" {
		condition += " and " + d.condition
	}
	// A row's place may be taken by another row until it is removed, so the
	// conditions are asked again.
	sql := fmt.Sprintf(`
		with expired as materialized (
			select ctid, %[2]s as at from %[1]s
			where %[2]s >= $1 and %[2]s < $2%[3]s order by %[2]s limit $3
		), removed as (
			delete from %[1]s where ctid = any (array(select ctid from expired)) and %[2]s < $2%[3]s returning true
		)
		select (select count(*) from removed), count(*) = $3, coalesce(max(at), $1) from expired`,
		d.table, d.column, condition)
	from := pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
	return func(ctx context.Context, conn *pgx.Conn) (rows int64, more bool, err error) {
		err = conn.QueryRow(ctx, sql, from, limit, batchRows).Scan(&rows, &more, &from)
		return rows, more, err
	}
}
