package archive

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
)

// Range is half-open; a zero bound is none.
type Range struct{ Start, End time.Time }

// Kind is one of the three kinds of events, which are stored apart.
type Kind = ingest.Path

// The kinds.
const (
	Product = ingest.PathProduct
	Flow    = ingest.PathFlow
	Track   = ingest.PathTrack
)

// row is a place to scan a stored event into and the line that it makes.
type row interface {
	targets() []any
	line() any
}

// tables say how a kind is read.
var tables = map[Kind]struct {
	name, columns string
	row           func(channels) row
}{
	Product: {"product_events", productColumns, func(_ channels) row { return &productRow{} }},
	Flow:    {"flow_events", flowColumns, func(named channels) row { return &flowRow{channels: named} }},
	Track:   {"track_events", trackColumns, func(_ channels) row { return &trackRow{} }},
}

// ExportOptions says which events are written: the kinds one after another.
type ExportOptions struct {
	EnvironmentID int64
	Kinds         []Kind
	Within        Range
}

// Export writes the selected events to w, one a line, within a kind by time and
// then deduplication key, and returns how many. It reads one snapshot as a
// stream: what arrives meanwhile is not in it. progress, when not nil, is told
// the count now and then.
func Export(
	ctx context.Context, pool *pgxpool.Pool, what ExportOptions, w io.Writer, progress func(int64),
) (int64, error) {
	out := bufio.NewWriterSize(w, 1<<18)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	var written int64
	snapshot := pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead}
	err := pgx.BeginTxFunc(ctx, pool, snapshot, func(tx pgx.Tx) error {
		// The reader sets the pace: a slow pipe is no reason to give up.
		if _, err := tx.Exec(ctx, postgres.LongRead); err != nil {
			return err
		}
		named, err := readChannels(ctx, tx, what.EnvironmentID)
		if err != nil {
			return err
		}
		for _, kind := range what.Kinds {
			rows, err := what.readKind(ctx, tx, kind)
			if err != nil {
				return err
			}
			r := tables[kind].row(named)
			if _, err = pgx.ForEachRow(rows, r.targets(), func() error {
				if written++; progress != nil && written%progressRows == 0 {
					progress(written)
				}
				return encoder.Encode(r.line())
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return written, fmt.Errorf("export events: %w", err)
	}
	return written, nil
}

func (what ExportOptions) readKind(ctx context.Context, tx pgx.Tx, kind Kind) (pgx.Rows, error) {
	start := pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}
	end := pgtype.Timestamptz{InfinityModifier: pgtype.Infinity, Valid: true}
	if at := what.Within.Start; !at.IsZero() {
		start = pgtype.Timestamptz{Time: at, Valid: true}
	}
	if at := what.Within.End; !at.IsZero() {
		end = pgtype.Timestamptz{Time: at, Valid: true}
	}
	table := tables[kind]
	within, order := ` and `+postgres.WithinTime(`$2`, `$3`), postgres.InTime
	if kind == Flow { // found by their flow or person, not by time
		within, order = ``, `occurred_at`
	}
	// Planned with the values, which say how much is read.
	return tx.Query(ctx, `select `+table.columns+` from `+table.name+` where environment_id = $1 and occurred_at >= $2
		and occurred_at < $3`+within+` order by `+order+`, event_key`,
		pgx.QueryExecModeDescribeExec, what.EnvironmentID, start, end)
}

// progressRows is how many rows pass between two signs of life.
const progressRows = 2000
