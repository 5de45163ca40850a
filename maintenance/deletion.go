package maintenance

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

// before makes the run that removes everything older than limit, in the way that the database allows.
func (d deletion) before(limit time.Time) batch {
	var remove batch
	return func(ctx context.Context, conn *pgx.Conn) (rows int64, more bool, err error) {
		if remove == nil {
			distributed, err := postgres.IsDistributed(ctx, conn, d.table)
			if err != nil {
				return 0, false, err
			}
			if remove = d.byPlace(limit); distributed {
				remove = d.bySpan(limit)
			}
		}
		return remove(ctx, conn)
	}
}

// byPlace follows the index from where the last batch ended, so that it does not
// walk again over entries of rows that are removed and not vacuumed yet.
func (d deletion) byPlace(limit time.Time) batch {
	from := pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
	remove := d.removal()
	return func(ctx context.Context, conn *pgx.Conn) (rows int64, more bool, err error) {
		err = conn.QueryRow(ctx, remove, from, limit, batchRows).Scan(&rows, &more, &from)
		return rows, more, err
	}
}

// bySpan does so where rows are on many nodes; see [postgres.RemoveOldest].
func (d deletion) bySpan(limit time.Time) batch {
	from := pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
	return func(ctx context.Context, conn *pgx.Conn) (rows int64, more bool, err error) {
		rows, from, more, err = postgres.RemoveOldest(ctx, conn, d.table, d.column, d.condition, from, limit, batchRows)
		return rows, more, err
	}
}

// removal returns the statement that removes one batch on one server.
func (d deletion) removal() string {
	condition := d.condition
	if condition != "" {
		condition = " and " + condition
	}
	// A row's place may be taken by another row until it is removed, so the
	// conditions are asked again.
	return fmt.Sprintf(`
		with expired as materialized (
			select ctid, %[2]s as at from %[1]s
			where %[2]s >= $1 and %[2]s < $2%[3]s order by %[2]s limit $3
		), removed as (
			delete from %[1]s where ctid = any (array(select ctid from expired)) and %[2]s < $2%[3]s returning true
		)
		select (select count(*) from removed), count(*) = $3, coalesce(max(at), $1) from expired`,
		d.table, d.column, condition)
}
