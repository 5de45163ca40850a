package parquetfiles

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/postgres"
)

// inSnapshot calls use with transactions that read one snapshot of the database, each on a connection of its own.
func inSnapshot(ctx context.Context, pool *pgxpool.Pool, connections int, use func([]pgx.Tx) error) error {
	return readOnly(ctx, pool, func(first pgx.Tx) error {
		var snapshot string
		if err := first.QueryRow(ctx, `select pg_export_snapshot()`).Scan(&snapshot); err != nil {
			return err
		}
		return alike(ctx, pool, snapshot, connections, []pgx.Tx{first}, use)
	})
}

// alike adds transactions of a snapshot until there are enough of them.
func alike(
	ctx context.Context, pool *pgxpool.Pool, snapshot string, connections int, txs []pgx.Tx, use func([]pgx.Tx) error,
) error {
	if len(txs) == connections {
		return use(txs)
	}
	return readOnly(ctx, pool, func(tx pgx.Tx) error {
		// The statement takes no parameters; the database made the text of digits and hyphens.
		if _, err := tx.Exec(ctx, `set transaction snapshot '`+snapshot+`'`); err != nil {
			return err
		}
		return alike(ctx, pool, snapshot, connections, append(txs, tx), use)
	})
}

func readOnly(ctx context.Context, pool *pgxpool.Pool, use func(pgx.Tx) error) error {
	options := pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead}
	return pgx.BeginTxFunc(ctx, pool, options, func(tx pgx.Tx) error {
		// A disk may be slower than the statement timeout allows.
		if _, err := tx.Exec(ctx, postgres.LongRead); err != nil {
			return err
		}
		return use(tx)
	})
}
