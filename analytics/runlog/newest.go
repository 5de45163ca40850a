package runlog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

const (
	// eventsAtOnce is how many events the walk to the newest runs reads at first. A walk that goes on, because the filter
	// takes few of the runs, reads twice as many each time, up to maxAtOnce.
	eventsAtOnce = 500
	maxAtOnce    = 8_000
	// maxWalk and walkTime are how far a page may walk, but for the events of one moment: then it ends, with a cursor to
	// go on from.
	maxWalk  = 200_000
	walkTime = 2 * time.Second
)

// Page is a part of a list of runs, latest start first.
type Page struct {
	Runs      []Run
	HasNext   bool
	EndCursor string // where the next page begins; not the last run's when others were passed that the filter left out
	Complete  bool   // false when it ended before it was full, because reading reached its bound
}

// Newest returns the newest runs of the flow that the filter takes, latest start first, ties by id. After is the
// EndCursor of the page before, or empty. A filter that takes few runs makes pages that are shorter than limit, or
// empty, and yet have a next one.
//
// It walks the flow's events back in time, because a run has an event at its start: whatever starts between two
// places of the walk has been met between them. That is exact for runs that lost their start or have late events, and
// costs no index of its own.
func (r *Reader) Newest(ctx context.Context, filter *Filter, after string, limit int) (*Page, error) {
	from, past, err := parsePosition(after, filter.scope.End)
	if err != nil {
		return nil, err
	}
	w := walk{Reader: r, filter: filter, from: from, past: past, limit: limit, texts: names{}, seen: map[rowKey]bool{}}
	w.batch = r.firstBatch()
	began := time.Now()
	// Keys of events are below the highest one, so the walk begins with all of the moment.
	at := walked{time.UnixMilli(from.At), lastKey}
	for {
		events, err := w.events(ctx, at)
		if err != nil {
			return nil, err
		}
		if err := w.meet(ctx, events); err != nil {
			return nil, err
		}
		done := len(events) < w.batch
		w.batch = min(2*w.batch, max(w.batch, maxAtOnce))
		w.walked += len(events)
		// What starts at the last event's moment may have an event that was not read yet.
		complete := int64(-1)
		if !done {
			last := events[len(events)-1]
			at, complete = walked{last.at, last.eventKey}, last.at.UnixMilli()
		}
		page, full := w.page(complete)
		if full || done {
			page.Complete = true
			return page, nil
		}
		// The next page begins with all of the last moment again, so a page passes one, however many events that has.
		if complete < from.At && (w.walked >= r.walkLimit() || time.Since(began) > walkTime) {
			page.HasNext = true
			page.EndCursor = position{At: complete}.String()
			return page, nil
		}
	}
}

// walked is a place among the events of the flow, which are read backwards.
type walked struct {
	at  time.Time
	key session.Key
}

var lastKey = session.Key(slices.Repeat([]byte{0xff}, 16))

// walk goes back over the events of a flow and remembers the runs that they belong to.
type walk struct {
	*Reader
	filter *Filter
	from   position // of the page
	past   ID       // of from
	limit  int      // of the page
	texts  names
	seen   map[rowKey]bool
	found  []run.Run // that the filter takes, in order, and at most one more than the page has
	walked int
	batch  int // events to read next
}

// seenEvent is an event that was met, with the key of its row.
type seenEvent struct {
	at       time.Time
	eventKey session.Key
	row      rowKey
}

func (w *walk) events(ctx context.Context, from walked) ([]seenEvent, error) {
	rows, err := w.DB.Query(ctx, `
		select occurred_at, event_key, app_user_id, session_id, channel_id, version_id, experiment_id, variant_id, run_id
		from flow_events
		where environment_id = $1 and flow_id = $2 and occurred_at >= $3 and occurred_at <= $4
			and (occurred_at < $4 or event_key < $5) and name not in ('banner_impression', 'banner_dismissed')
		order by occurred_at desc, event_key desc limit $6`,
		w.EnvironmentID, pgtype.UUID{Bytes: w.Flow, Valid: true}, w.filter.scope.Start, from.at,
		pgtype.UUID{Bytes: from.key, Valid: true}, w.batch)
	if err != nil {
		return nil, fmt.Errorf("read the newest events of a flow: %w", err)
	}
	events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s seenEvent, err error) {
		var e run.Event
		var key, version, experiment, runID pgtype.UUID
		release := &e.Context.Release
		err = row.Scan(
			&s.at, &key, &e.Person, &e.SessionID, &release.Channel, &version, &experiment, &release.Variant, &runID,
		)
		release.Version, release.Experiment, e.RunID = version.Bytes, experiment.Bytes, runID.Bytes
		e.Hit.At, s.eventKey = s.at.UnixMilli(), key.Bytes
		s.row.person = e.Person
		s.row.key, _ = run.KeyOf(&e)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the newest events of a flow: %w", err)
	}
	return events, nil
}

// meet reads the rows of events that were not met before.
func (w *walk) meet(ctx context.Context, events []seenEvent) error {
	var fresh []rowKey
	for _, e := range events {
		if !w.seen[e.row] {
			w.seen[e.row] = true
			fresh = append(fresh, e.row)
		}
	}
	return w.eachRows(ctx, fresh, func(rows []run.Row) error {
		if err := w.load(ctx, w.texts, rows); err != nil {
			return err
		}
		for i := range rows {
			runs, err := rows[i].Runs(w.texts.text)
			if err != nil {
				return err
			}
			for j := range runs {
				if w.behind(&runs[j]) && w.filter.Takes(&runs[j]) {
					w.found = append(w.found, runs[j])
				}
			}
		}
		slices.SortFunc(w.found, func(a, b run.Run) int { return compareRuns(&a, &b) })
		if more := w.limit + 1; len(w.found) > more {
			clear(w.found[more:])
			w.found = w.found[:more]
		}
		return nil
	})
}

// behind tells whether a run comes after the place that the page begins at.
func (w *walk) behind(r *run.Run) bool {
	return r.StartedAt < w.from.At ||
		r.StartedAt == w.from.At && (w.from.ID == "" || idOf(r).compare(w.past) > 0)
}

// page returns the runs that start after complete, and whether they fill a page.
func (w *walk) page(complete int64) (page *Page, full bool) {
	page = &Page{}
	for i := range w.found {
		r := &w.found[i]
		if r.StartedAt <= complete {
			break
		}
		if len(page.Runs) == w.limit {
			page.HasNext = true
			return page, true
		}
		page.Runs = append(page.Runs, w.describe(r))
		page.EndCursor = position{r.StartedAt, idOf(r).String()}.String()
	}
	return page, false
}

// compareRuns orders runs as Newest does.
func compareRuns(a, b *run.Run) int {
	if c := cmp.Compare(b.StartedAt, a.StartedAt); c != 0 {
		return c
	}
	return idOf(a).compare(idOf(b))
}
