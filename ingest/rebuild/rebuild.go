// Package rebuild recomputes sessions and first touches from the raw events, with
// the same fold that ingest uses, compares them with what is stored and puts right
// what differs. There is nothing to put right unless something was broken.
//
// What the raw events can't tell is left alone: sessions that began before the
// oldest raw event, first touches of people first seen before it, sessions whose
// retention is over, and a first_seen_at that is earlier than the raw events say
// (analytics.md §4).
package rebuild

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options of a run. HitLimit and Retention are those of ingest.
type Options struct {
	EnvironmentID int64
	HitLimit      int           // hits of a session in reports
	Retention     time.Duration // of raw events and sessions
	DryRun        bool          // compare only
	Now           time.Time
	Difference    func(Difference) // told each one; may be nil
	Progress      func(events int64)
}

// Kind says what is wrong with a row.
type Kind string

const (
	Missing    Kind = "missing"    // the raw events make it, it is not stored
	Unexpected Kind = "unexpected" // stored, no raw event makes it
	Different  Kind = "different"
)

// Difference is one stored row that is not what the raw events make.
type Difference struct {
	Table     string   `json:"table"` // product_session or product_analytics_first_touch
	Kind      Kind     `json:"kind"`
	AppUserID string   `json:"appUserId"`
	SessionID string   `json:"sessionId,omitempty"`
	Fields    []string `json:"fields,omitempty"` // of a row that is different
}

// Tally counts the rows of one table.
type Tally struct {
	Compared   int64 `json:"compared"`
	Missing    int64 `json:"missing"`
	Unexpected int64 `json:"unexpected"`
	Different  int64 `json:"different"`
	Fixed      int64 `json:"fixed"` // less than the rest when ingest put some right meanwhile
}

func (t *Tally) add(kind Kind) {
	switch kind {
	case Missing:
		t.Missing++
	case Unexpected:
		t.Unexpected++
	case Different:
		t.Different++
	}
}

// Wrong returns the number of rows that were not right.
func (t Tally) Wrong() int64 { return t.Missing + t.Unexpected + t.Different }

// Result is what a run found.
type Result struct {
	Events       int64 `json:"events"` // raw events read
	Sessions     Tally `json:"sessions"`
	FirstTouches Tally `json:"firstTouches"`
}

const (
	sessionTable = "product_session"
	touchTable   = "product_analytics_first_touch"

	// fetchEvents are held in memory at once, besides those of one visitor.
	fetchEvents = 20_000
	// fixVisitors are put right in one transaction, which keeps writers waiting.
	fixVisitors = 200
)

// run is a rebuild under way.
type run struct {
	Options
	pool    *pgxpool.Pool
	oldest  time.Time // first raw event
	expired time.Time // sessions that ended before are about to be removed
	summary Result
}

// Run compares the environment in one snapshot and puts each visitor with a
// difference right in a short transaction that looks again, so events may arrive
// meanwhile.
func Run(ctx context.Context, pool *pgxpool.Pool, options Options) (Result, error) {
	r := &run{Options: options, pool: pool, expired: options.Now.Add(-options.Retention)}
	err := pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{
		IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly,
	}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(
			ctx, `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`,
		); err != nil {
			return err
		}
		var oldest *time.Time
		if err := tx.QueryRow(
			ctx, `select min(occurred_at) from product_event where environment_id = $1`, r.EnvironmentID,
		).Scan(&oldest); err != nil {
			return err
		}
		if oldest == nil {
			return nil // nothing is known better than what is stored
		}
		r.oldest = *oldest
		if err := r.visitorsWithEvents(ctx, tx); err != nil {
			return err
		}
		return r.visitorsWithoutEvents(ctx, tx)
	})
	if err != nil {
		return r.summary, fmt.Errorf("rebuild from raw events: %w", err)
	}
	return r.summary, nil
}

// visitorsWithEvents goes over all raw events, visitor by visitor.
func (r *run) visitorsWithEvents(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `declare raw no scroll cursor for select `+eventColumns+` from product_events
		where environment_id = $1 and name_id is not null
		order by app_user_id`, pgx.QueryExecModeExec, r.EnvironmentID); err != nil {
		return err
	}
	held := visitorSessions{}
	last := ""
	for {
		events, err := readEvents(ctx, tx, fmt.Sprintf(`fetch %d from raw`, fetchEvents))
		if err != nil {
			return err
		}
		r.summary.Events += int64(len(events))
		if r.Progress != nil {
			r.Progress(r.summary.Events)
		}
		// The last visitor may go on in the next fetch.
		var open visitorSessions
		for _, e := range events {
			held.add(e)
			last = e.Visitor
		}
		if len(events) == fetchEvents {
			open = visitorSessions{last: held[last]}
			delete(held, last)
		}
		if err := r.check(ctx, tx, held); err != nil {
			return err
		}
		if len(events) < fetchEvents {
			return nil
		}
		held = open
	}
}

// visitorsWithoutEvents finds sessions of people of whom no raw event is stored.
func (r *run) visitorsWithoutEvents(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `declare orphans no scroll cursor for select distinct s.app_user_id from product_session s
		where s.environment_id = $1 and s.started_at >= $2 and s.last_at >= $3 and not exists (
			select from product_event e where e.environment_id = $1 and e.app_user_id = s.app_user_id
			and e.name_id is not null)`,
		pgx.QueryExecModeExec, r.EnvironmentID, r.oldest, r.expired); err != nil {
		return err
	}
	for {
		rows, err := tx.Query(ctx, fmt.Sprintf(`fetch %d from orphans`, fetchEvents))
		if err != nil {
			return err
		}
		visitors, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		if len(visitors) == 0 {
			return nil
		}
		held := visitorSessions{}
		for _, v := range visitors {
			held[v] = nil
		}
		if err := r.check(ctx, tx, held); err != nil {
			return err
		}
	}
}

// check compares visitors in the snapshot and puts right those that differ.
func (r *run) check(ctx context.Context, tx pgx.Tx, held visitorSessions) error {
	if len(held) == 0 {
		return nil
	}
	found, err := r.compare(ctx, tx, held)
	if err != nil {
		return err
	}
	r.summary.Sessions.Compared += found.sessions
	r.summary.FirstTouches.Compared += found.touches
	wrong := map[string]bool{}
	for _, d := range found.differences {
		wrong[d.AppUserID] = true
		if d.Table == sessionTable {
			r.summary.Sessions.add(d.Kind)
		} else {
			r.summary.FirstTouches.add(d.Kind)
		}
		if r.Difference != nil {
			r.Difference(d)
		}
	}
	if r.DryRun {
		return nil
	}
	return r.repair(ctx, wrong)
}
