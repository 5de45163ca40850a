// Package rebuild recomputes sessions, first touches and runs of flows from the raw
// events, with the same folds that ingest uses, compares them with what is stored and
// puts right what differs. There is nothing to put right unless something was broken,
// or events were stored by a version that did not merge them yet.
//
// What the raw events can't tell is left alone: sessions and runs that began before
// the oldest raw event, first touches of people first seen before it, sessions whose
// retention is over, and a first_seen_at that is earlier than the raw events say
// (analytics.md §4).
package rebuild

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
)

// Options of a run. HitLimit and Retention are those of ingest.
type Options struct {
	EnvironmentID int64
	HitLimit      int           // hits of a session in reports
	RunHitLimit   int           // hits of a run in reports
	Retention     time.Duration // of raw events, sessions and runs
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
	Table     string   `json:"table"` // product_session, product_analytics_first_touch or flow_run
	Kind      Kind     `json:"kind"`
	AppUserID string   `json:"appUserId"`
	SessionID string   `json:"sessionId,omitempty"`
	FlowID    string   `json:"flowId,omitempty"`
	RunKey    string   `json:"runKey,omitempty"` // with the person and the flow the key of a run
	Fields    []string `json:"fields,omitempty"` // of a row that is different
}

// compare puts the sessions of a person before their first touch.
func (d Difference) compare(o Difference) int {
	return cmp.Or(
		strings.Compare(d.AppUserID, o.AppUserID), strings.Compare(o.Table, d.Table),
		strings.Compare(d.SessionID, o.SessionID), strings.Compare(d.FlowID, o.FlowID), strings.Compare(d.RunKey, o.RunKey),
	)
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
	Runs         Tally `json:"runs"`
}

// Wrong returns the number of rows of all tables that were not right.
func (r Result) Wrong() int64 { return r.Sessions.Wrong() + r.FirstTouches.Wrong() + r.Runs.Wrong() }

func (r *Result) tally(table string) *Tally {
	switch table {
	case sessionTable:
		return &r.Sessions
	case touchTable:
		return &r.FirstTouches
	}
	return &r.Runs
}

const (
	sessionTable = "product_session"
	touchTable   = "product_analytics_first_touch"
	runTable     = "flow_run"

	// fetchEvents are held in memory at once, besides those of one visitor.
	fetchEvents = 20_000
	// fixVisitors are put right in one transaction, which keeps writers waiting.
	fixVisitors = 200
)

// rebuild is one under way, of the rows that the events of one path make.
type rebuild struct {
	Options
	pool    *pgxpool.Pool
	oldest  time.Time // first raw event of the path
	expired time.Time // rows that ended before are about to be removed
	summary *Result
}

// Run compares the environment in one snapshot a path and puts each person with a
// difference right in a short transaction that looks again, so events may arrive
// meanwhile.
func Run(ctx context.Context, pool *pgxpool.Pool, options Options) (Result, error) {
	var summary Result
	r := rebuild{Options: options, pool: pool, expired: options.Now.Add(-options.Retention), summary: &summary}
	sessions := r
	err := sessions.inSnapshot(ctx, "product_event", func(tx pgx.Tx) error {
		if err := sessions.visitorsWithEvents(ctx, tx); err != nil {
			return err
		}
		return sessions.visitorsWithoutEvents(ctx, tx)
	})
	if err != nil {
		return summary, fmt.Errorf("rebuild sessions from raw events: %w", err)
	}
	runs := runRebuild{rebuild: &r, events: ingest.NewRunEvents(pool)}
	if err := r.inSnapshot(ctx, "flow_event", func(tx pgx.Tx) error { return runs.run(ctx, tx) }); err != nil {
		return summary, fmt.Errorf("rebuild runs from raw events: %w", err)
	}
	return summary, nil
}

// inSnapshot calls compare in a transaction that sees one state of the database,
// unless the path has no raw event: then nothing is known better than what is stored.
func (r *rebuild) inSnapshot(ctx context.Context, table string, compare func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, r.pool, pgx.TxOptions{
		IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly,
	}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(
			ctx, `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`,
		); err != nil {
			return err
		}
		var oldest *time.Time
		if err := tx.QueryRow(
			ctx, `select (select occurred_at from `+table+` where environment_id = $1 order by `+postgres.InTime+` limit 1)`,
			r.EnvironmentID,
		).Scan(&oldest); err != nil || oldest == nil {
			return err
		}
		r.oldest = *oldest
		return compare(tx)
	})
}

// lookBackTo takes an event into account that may have arrived after the snapshot and be older than all in it: then
// what it begins can be told, too.
func (r *rebuild) lookBackTo(unixMillis int64) {
	if unixMillis < r.oldest.UnixMilli() {
		r.oldest = time.UnixMilli(unixMillis)
	}
}

// addEvents counts raw events that were read.
func (r *rebuild) addEvents(n int) {
	r.summary.Events += int64(n)
	if r.Progress != nil {
		r.Progress(r.summary.Events)
	}
}

// visitorsWithEvents goes over all raw events, visitor by visitor.
func (r *rebuild) visitorsWithEvents(ctx context.Context, tx pgx.Tx) error {
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
		r.addEvents(len(events))
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
func (r *rebuild) visitorsWithoutEvents(ctx context.Context, tx pgx.Tx) error {
	return r.eachOrphan(ctx, tx, `
		select distinct s.app_user_id from product_session s
		where s.environment_id = $1 and s.started_at >= $2 and s.last_at >= $3 and not exists (
			select from product_event e where e.environment_id = $1 and e.app_user_id = s.app_user_id
			and e.name_id is not null)`, func(visitors []string) error {
		held := visitorSessions{}
		for _, v := range visitors {
			held[v] = nil
		}
		return r.check(ctx, tx, held)
	})
}

// eachOrphan calls check with the people that a query finds, some at a time.
func (r *rebuild) eachOrphan(ctx context.Context, tx pgx.Tx, query string, check func(people []string) error) error {
	if _, err := tx.Exec(ctx, `declare orphans no scroll cursor for `+query,
		pgx.QueryExecModeExec, r.EnvironmentID, r.oldest, r.expired); err != nil {
		return err
	}
	for {
		rows, err := tx.Query(ctx, fmt.Sprintf(`fetch %d from orphans`, fetchEvents))
		if err != nil {
			return err
		}
		people, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(people) == 0 {
			return err
		}
		if err := check(people); err != nil {
			return err
		}
	}
}

// check compares visitors in the snapshot and puts right those that differ.
func (r *rebuild) check(ctx context.Context, tx pgx.Tx, held visitorSessions) error {
	if len(held) == 0 {
		return nil
	}
	found, err := r.compare(ctx, tx, held)
	if err != nil {
		return err
	}
	r.summary.Sessions.Compared += found.sessions
	r.summary.FirstTouches.Compared += found.touches
	return r.repair(ctx, found.differences, r.repairSome)
}
