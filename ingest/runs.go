package ingest

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
)

// runContextBytes bounds what the hits of a run say of it, in bytes: the custom
// properties of a single hit are at most 24 KiB.
const runContextBytes = 64 << 10

// foldedRun is what the hits of a batch add up to in one run.
type foldedRun struct {
	environment int64
	run.Row
}

func (r *foldedRun) compare(o *foldedRun) int {
	return cmp.Or(cmp.Compare(r.environment, o.environment), r.Compare(&o.Row))
}

// foldRuns adds the flow events among items up to runs, in the order in which they
// are written.
func foldRuns(items []*item) []foldedRun {
	type runKey struct {
		environment int64
		person      string
		flow, key   session.Key
	}
	place := map[runKey]int{}
	var runs []foldedRun
	for _, it := range items {
		if it.path != PathFlow {
			continue
		}
		event, ok := it.runEvent()
		if !ok {
			continue
		}
		row := run.Of(&event)
		key := runKey{it.environment, row.Person, row.Flow, row.Key}
		if i, ok := place[key]; ok {
			runs[i].Row = run.Merge(runs[i].Row, row)
			continue
		}
		place[key] = len(runs)
		runs = append(runs, foldedRun{it.environment, row})
	}
	slices.SortFunc(runs, func(a, b foldedRun) int { return a.compare(&b) })
	return runs
}

// runEvent returns the flow event as a hit of its run, unless it belongs to none.
// The ids of its names are assigned.
func (it *item) runEvent() (run.Event, bool) {
	e := it.flow
	name, _ := run.ParseName(e.Name)
	if !name.OfRun() {
		return run.Event{}, false
	}
	event := run.Event{
		Person: e.AppUserID, SessionID: e.SessionID, Flow: session.Key(e.FlowID), RunID: session.Key(e.RunID),
		Hit: run.Hit{
			Key: session.Key(e.Key), At: e.OccurredAt.UnixMilli(), Seq: e.Seq, Name: name,
			Step: it.nameIDs[stepName], From: it.nameIDs[fromName],
			Subject: it.nameIDs[subjectName], Value: it.nameIDs[valueName],
		},
		Context: run.Context{
			Release: run.Release{
				Channel: it.channel, Version: session.Key(e.VersionID), AssignmentVersion: e.AssignmentVersion,
				Experiment: session.Key(e.ExperimentID), Variant: e.VariantID,
			},
			Client: run.Client{Platform: e.Platform, Locale: e.Locale, AppVersion: e.AppVersion},
			Place:  run.Place{Country: e.Place.Country, Region: e.Place.Region, City: e.Place.City},
			Device: run.Device{Device: e.Device, Browser: e.Browser, OS: e.OS},
		},
	}
	if e.FromStepID != nil && *e.FromStepID == "" {
		event.Hit.From = run.FromStart
	}
	if string(e.CustomProperties) != "{}" {
		event.Context.CustomProperties = string(e.CustomProperties)
	}
	return event, true
}

//go:embed merge_runs.sql
var mergeRunsText string

// mergeRunsSQL is the statement for a limit of hits.
func mergeRunsSQL(hitLimit int) string {
	return strings.NewReplacer(
		"/*hits*/", strconv.Itoa(hitLimit*run.HitSize), "/*contexts*/", strconv.Itoa(runContextBytes),
		"/*hit*/", strconv.Itoa(run.HitSize),
	).Replace(mergeRunsText)
}

// runColumns are the runs of a batch as one array a column, in the order of the
// parameters of merge_runs.sql.
type runColumns struct {
	environment      []int64
	user             []string
	flow, key        []pgtype.UUID
	derived, started []bool
	first, last      []time.Time
	hits, contexts   [][]byte
	over             []int64
}

// add appends one run, of which at most hitLimit hits are kept.
func (c *runColumns) add(r *foldedRun, hitLimit int) {
	over := r.Limit(hitLimit, runContextBytes)
	c.environment = append(c.environment, r.environment)
	c.user = append(c.user, r.Person)
	c.flow = append(c.flow, pgtype.UUID{Bytes: r.Flow, Valid: true})
	c.key = append(c.key, pgtype.UUID{Bytes: r.Key, Valid: true})
	c.derived = append(c.derived, r.Derived)
	c.started = append(c.started, r.Started)
	c.first = append(c.first, millis(r.FirstAt))
	c.last = append(c.last, millis(r.LastAt))
	c.hits = append(c.hits, notNull(r.Hits))
	c.contexts = append(c.contexts, notNull(r.Contexts))
	c.over = append(c.over, int64(over))
}

// notNull returns the bytes, which the database takes for null when there are none.
func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func (c *runColumns) args() []any {
	return []any{
		c.environment, c.user, c.flow, c.key, c.derived, c.started, c.first, c.last, c.hits, c.contexts, c.over,
	}
}

// mergeRuns merges sorted runs into flow_run. Rows are locked in the order of their
// keys, after those of sessions and visitors.
func mergeRuns(ctx context.Context, tx pgx.Tx, runs []foldedRun, hitLimit int) error {
	var columns runColumns
	for i := range runs {
		columns.add(&runs[i], hitLimit)
	}
	if _, err := tx.Exec(ctx, mergeRunsSQL(hitLimit), columns.args()...); err != nil {
		return fmt.Errorf("merge runs: %w", err)
	}
	return nil
}

// StoredFlow is a flow event as it is stored.
type StoredFlow struct {
	FlowEvent
	Channel int64
}

// RunEvents makes the hits of runs of flow events that are stored.
type RunEvents struct{ names *names }

// NewRunEvents makes RunEvents on pool. Names that are added are outside the daily
// budget, as imported ones are.
func NewRunEvents(pool *pgxpool.Pool) *RunEvents {
	yesterday := func() time.Time { return time.Now().AddDate(0, 0, -1) }
	return &RunEvents{newNames(pool, flowNames, maxNameID, yesterday)}
}

// Of returns the hits of events of an environment; those of banners have none. Ids
// of names that the database does not have are 0, unless they are to be added.
func (r *RunEvents) Of(
	ctx context.Context, environmentID int64, events []StoredFlow, addNames bool,
) ([]run.Event, error) {
	items := make([]*item, len(events))
	for i := range events {
		e := &events[i]
		items[i] = &item{environment: environmentID, path: PathFlow, key: e.Key, flow: &e.FlowEvent, channel: e.Channel}
	}
	var err error
	if addNames {
		_, err = r.names.assign(ctx, items)
	} else {
		err = r.names.assignStored(ctx, environmentID, items)
	}
	if err != nil {
		return nil, err
	}
	hits := make([]run.Event, 0, len(items))
	for _, it := range items {
		if hit, ok := it.runEvent(); ok {
			hits = append(hits, hit)
		}
	}
	return hits, nil
}
