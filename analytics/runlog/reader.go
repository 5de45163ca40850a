package runlog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// Querier is what a Reader asks: a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Reader reads the runs of one flow in one environment.
type Reader struct {
	DB            Querier
	EnvironmentID int64
	Flow          session.Key

	portion  int // events that Newest reads at first; 0 means eventsAtOnce
	furthest int // events that a page of Newest reads; 0 means maxWalk
}

func (r *Reader) walkLimit() int {
	if r.furthest > 0 {
		return r.furthest
	}
	return maxWalk
}

func (r *Reader) firstBatch() int {
	if r.portion > 0 {
		return r.portion
	}
	return eventsAtOnce
}

// runColumns are those of scanRun.
const runColumns = `app_user_id, run_key, derived, first_at, last_at, hits, contexts`

// scanRun reads a row of flow_run. What it holds stays valid.
func (r *Reader) scanRun(rows pgx.Rows) (row run.Row, err error) {
	var key pgtype.UUID
	var first, last time.Time
	err = rows.Scan(&row.Person, &key, &row.Derived, &first, &last, &row.Hits, &row.Contexts)
	row.Flow, row.Key, row.FirstAt, row.LastAt = r.Flow, key.Bytes, first.UnixMilli(), last.UnixMilli()
	return row, err
}

// names are the texts of ids in hits. They are read when first met: an environment may have millions.
type names map[int32]string

// text returns the text of an id, empty for none and for the start of a run.
func (n names) text(id int32) string { return n[max(id, 0)] }

// load reads the texts of the ids that rows use and n lacks.
func (r *Reader) load(ctx context.Context, n names, rows []run.Row) error {
	missing := map[int32]bool{}
	for i := range rows {
		last := int32(0) // the hits of a step follow each other
		if err := rows[i].EachName(func(id int32) {
			if id == last {
				return
			}
			last = id
			if _, known := n[id]; !known {
				missing[id] = true
			}
		}); err != nil {
			return err
		}
	}
	return r.loadNames(ctx, n, slices.Collect(maps.Keys(missing)))
}

// loadNames reads the texts of ids.
func (r *Reader) loadNames(ctx context.Context, n names, ids []int32) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := r.DB.Query(ctx, `select id, text from flow_name where environment_id = $1 and id = any($2)`,
		r.EnvironmentID, ids)
	if err != nil {
		return fmt.Errorf("read the names of events: %w", err)
	}
	var id int32
	var text string
	if _, err = pgx.ForEachRow(found, []any{&id, &text}, func() error { n[id] = text; return nil }); err != nil {
		return fmt.Errorf("read the names of events: %w", err)
	}
	return nil
}

// rowKey names a row of the reader's flow.
type rowKey struct {
	person string
	key    session.Key
}

// rowsAtOnce is how many rows are held at once: each has at most some 120 KB of hits and contexts.
const rowsAtOnce = 200

// eachRows calls use with the rows of keys, some at a time.
func (r *Reader) eachRows(ctx context.Context, keys []rowKey, use func([]run.Row) error) error {
	for part := range slices.Chunk(keys, rowsAtOnce) {
		people, ids := make([]string, len(part)), make([]pgtype.UUID, len(part))
		for i, k := range part {
			people[i], ids[i] = k.person, pgtype.UUID{Bytes: k.key, Valid: true}
		}
		rows, err := r.DB.Query(ctx, `
			select `+runColumns+`
			from unnest($3::text[], $4::uuid[]) as wanted (person, id)
			join flow_run on environment_id = $1 and flow_id = $2 and app_user_id = wanted.person and run_key = wanted.id`,
			r.EnvironmentID, pgtype.UUID{Bytes: r.Flow, Valid: true}, people, ids)
		if err != nil {
			return fmt.Errorf("read runs: %w", err)
		}
		held, err := r.collect(rows)
		if err != nil {
			return err
		}
		if err := use(held); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) collect(rows pgx.Rows) ([]run.Row, error) {
	held, err := pgx.CollectRows(rows, func(pgx.CollectableRow) (run.Row, error) { return r.scanRun(rows) })
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	return held, nil
}
