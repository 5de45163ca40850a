package store

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// cursor reads a query of many rows piece by piece. No statement takes long then, however many rows there
// are, so that a limit on statements does not decide how large a table may be, and a reader may stop, or
// use the connection, between two pieces without taking the rest.
type cursor struct {
	query   string
	args    []any
	formats pgx.QueryResultFormats
	piece   int // rows
}

// each calls row with every row of the query; the values are valid during the call. It calls between
// after every piece. It needs a transaction, whose snapshot it reads.
func (c cursor) each(ctx context.Context, tx pgx.Tx, row func(raw [][]byte) error, between func() error) error {
	if _, err := tx.Exec(ctx, `declare rows no scroll cursor for `+c.query, c.args...); err != nil {
		return err
	}
	fetch := `fetch ` + strconv.Itoa(c.piece) + ` from rows`
	for {
		// pgx does not take the formats of results for a statement that it does not prepare, and a fetch can't be
		// prepared once for all cursors.
		result := tx.Conn().PgConn().ExecParams(ctx, fetch, nil, nil, nil, c.formats)
		var failed error
		for failed == nil && result.NextRow() {
			failed = row(result.Values())
		}
		tag, err := result.Close()
		if failed == nil {
			failed = err
		}
		if failed == nil {
			failed = between()
		}
		if failed != nil {
			return failed
		}
		if tag.RowsAffected() < int64(c.piece) {
			break
		}
	}
	if _, err := tx.Exec(ctx, `close rows`); err != nil {
		return fmt.Errorf("closing the cursor: %w", err)
	}
	return nil
}
