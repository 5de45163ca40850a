package archive

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Range is half-open; a zero bound is none.
type Range struct{ Start, End time.Time }

// Export writes the environment's product events of the range to w, one a line,
// by time and then deduplication key, and returns how many. It reads one snapshot
// as a stream: what arrives meanwhile is not in it. progress, when not nil, is
// told the count now and then.
func Export(ctx context.Context, pool *pgxpool.Pool, environmentID int64, within Range, w io.Writer, progress func(int64)) (int64, error) {
	out := bufio.NewWriterSize(w, 1<<18)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	var written int64
	err := pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		// The reader sets the pace: a slow pipe is no reason to give up.
		if _, err := tx.Exec(ctx, `set local statement_timeout = 0`); err != nil {
			return err
		}
		sql, args := `select `+columns+` from product_event where environment_id = $1`, []any{environmentID}
		for _, bound := range []struct {
			at   time.Time
			test string
		}{{within.Start, ">="}, {within.End, "<"}} {
			if !bound.at.IsZero() {
				args = append(args, bound.at)
				sql += fmt.Sprintf(` and occurred_at %s $%d`, bound.test, len(args))
			}
		}
		rows, err := tx.Query(ctx, sql+` order by occurred_at, event_key`, args...)
		if err != nil {
			return err
		}
		var r row
		_, err = pgx.ForEachRow(rows, r.targets(), func() error {
			if written++; progress != nil && written%progressRows == 0 {
				progress(written)
			}
			return encoder.Encode(r.line())
		})
		return err
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return written, fmt.Errorf("export events: %w", err)
	}
	return written, nil
}

// progressRows is how many rows pass between two signs of life.
const progressRows = 2000
