package rebuild

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/ingest"
)

// personRuns are the runs that raw events make, by person and by flow and key.
type personRuns map[string]map[runID]run.Row

type runID struct{ flow, key session.Key }

func (p personRuns) add(e *run.Event) {
	row := run.Of(e)
	runs, id := p[row.Person], runID{row.Flow, row.Key}
	if runs == nil {
		runs = map[runID]run.Row{}
		p[row.Person] = runs
	}
	if known, ok := runs[id]; ok {
		row = run.Merge(known, row)
	}
	runs[id] = row
}

// runRebuild compares and repairs the runs of flows.
type runRebuild struct {
	*rebuild
	events *ingest.RunEvents
	other  map[int32]bool // ids of (other), which stand for names over the budget of their day
}

func (r *runRebuild) readOther(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `select id from flow_name where environment_id = $1 and text = $2`,
		r.EnvironmentID, ingest.OtherName)
	if err != nil {
		return err
	}
	r.other = map[int32]bool{}
	var id int32
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error { r.other[id] = true; return nil })
	return err
}

const flowColumns = `app_user_id, session_id, event_key, occurred_at, name, flow_id, version_id, experiment_id,
	variant_id, step_id, from_step_id, run_id, coalesce(seq, -1), coalesce(assignment_version, -1), channel_id,
	country, region, city, platform, device, browser, os, app_version, locale, custom_properties::text, properties::text`

// readFlows runs a query for flowColumns.
func readFlows(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]ingest.StoredFlow, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e ingest.StoredFlow, err error) {
		var key, flow, version, experiment, runID pgtype.UUID
		var custom, properties *string
		p := &e.Place
		err = row.Scan(&e.AppUserID, &e.SessionID, &key, &e.OccurredAt, &e.Name, &flow, &version, &experiment,
			&e.VariantID, &e.StepID, &e.FromStepID, &runID, &e.Seq, &e.AssignmentVersion, &e.Channel,
			&p.Country, &p.Region, &p.City, &e.Platform, &e.Device, &e.Browser, &e.OS, &e.AppVersion, &e.Locale,
			&custom, &properties)
		e.Key, e.FlowID, e.VersionID = key.Bytes, flow.Bytes, version.Bytes
		e.ExperimentID, e.RunID = experiment.Bytes, runID.Bytes // zero when null
		if custom != nil {
			e.CustomProperties = []byte(*custom)
		}
		if properties != nil {
			e.Properties = []byte(*properties)
		}
		return e, err
	})
}

// storedRun is a row of flow_run.
type storedRun struct {
	run.Row
	over int64 // hits beyond the limit
}

func readRuns(ctx context.Context, tx pgx.Tx, environmentID int64, people []string) ([]storedRun, error) {
	rows, err := tx.Query(ctx, `
		select app_user_id, flow_id, run_key, derived, started, first_at, last_at, hits, contexts, hits_over_limit
		from flow_run where environment_id = $1 and app_user_id = any($2)`, environmentID, people)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s storedRun, err error) {
		var flow, key pgtype.UUID
		var first, last time.Time
		err = row.Scan(
			&s.Person, &flow, &key, &s.Derived, &s.Started, &first, &last, &s.Hits, &s.Contexts, &s.over,
		)
		s.Flow, s.Key, s.FirstAt, s.LastAt = flow.Bytes, key.Bytes, first.UnixMilli(), last.UnixMilli()
		return s, err
	})
}

// runComparison is what comparing the runs of some people gave.
type runComparison struct {
	compared          int64
	differences       []Difference
	right, unexpected []run.Row // right are those that are missing or different
}

// compare holds the stored runs of people against what their raw events make.
func (r *runRebuild) compare(ctx context.Context, tx pgx.Tx, held personRuns) (*runComparison, error) {
	stored, err := readRuns(ctx, tx, r.EnvironmentID, slices.Sorted(maps.Keys(held)))
	if err != nil {
		return nil, err
	}
	texts, err := normalized(ctx, tx, stored)
	if err != nil {
		return nil, err
	}
	f := &runComparison{}
	known := map[string]map[runID]bool{}
	for i := range stored {
		s := &stored[i]
		id := runID{s.Flow, s.Key}
		if known[s.Person] == nil {
			known[s.Person] = map[runID]bool{}
		}
		known[s.Person][id] = true
		if s.FirstAt < r.oldest.UnixMilli() || s.LastAt < r.expired.UnixMilli() {
			continue
		}
		f.compared++
		right, ok := held[s.Person][id]
		if !ok {
			f.differences = append(f.differences, differentRun(Unexpected, &s.Row))
			f.unexpected = append(f.unexpected, s.Row)
			continue
		}
		if fields := r.runFields(s, &right, texts); len(fields) > 0 {
			d := differentRun(Different, &right)
			d.Fields = fields
			f.differences = append(f.differences, d)
			f.right = append(f.right, right)
		}
	}
	for person, runs := range held {
		for id, right := range runs {
			if known[person][id] || right.LastAt < r.expired.UnixMilli() {
				continue
			}
			f.compared++
			f.differences = append(f.differences, differentRun(Missing, &right))
			f.right = append(f.right, right)
		}
	}
	slices.SortFunc(f.differences, Difference.compare)
	return f, nil
}

func differentRun(kind Kind, row *run.Row) Difference {
	return Difference{
		Table: runTable, Kind: kind, AppUserID: row.Person,
		FlowID: uuid.UUID(row.Flow).String(), RunKey: uuid.UUID(row.Key).String(),
	}
}

// normalized returns the custom properties that stored runs hold as jsonb writes them, in which form raw events have
// them.
func normalized(ctx context.Context, tx pgx.Tx, stored []storedRun) (map[string]string, error) {
	texts := map[string]string{"": ""}
	for i := range stored {
		hits, err := stored[i].All()
		if err != nil {
			continue // found to be different
		}
		for _, h := range hits {
			texts[h.Context.CustomProperties] = ""
		}
	}
	delete(texts, "")
	list := slices.Collect(maps.Keys(texts))
	rows, err := tx.Query(ctx, `select sent, sent::jsonb::text from unnest($1::text[]) as sent`, list)
	if err != nil {
		return nil, err
	}
	var sent, written string
	_, err = pgx.ForEachRow(rows, []any{&sent, &written}, func() error { texts[sent] = written; return nil })
	return texts, err
}

// runFields names what differs between a stored run and the right one. Of a run beyond the limits any hits may be kept:
// those that arrived first.
func (r *runRebuild) runFields(stored *storedRun, right *run.Row, texts map[string]string) (names []string) {
	for name, same := range map[string]bool{
		"derived": stored.Derived == right.Derived, "started": stored.Started == right.Started,
		"firstAt": stored.FirstAt == right.FirstAt, "lastAt": stored.LastAt == right.LastAt,
		"hits": r.sameRunHits(stored, right, texts),
	} {
		if !same {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (r *runRebuild) sameRunHits(stored *storedRun, right *run.Row, texts map[string]string) bool {
	have, err := stored.All()
	if err != nil {
		return false
	}
	want, err := right.All()
	if err != nil || len(have)+int(stored.over) != len(want) || len(have) > r.RunHitLimit {
		return false
	}
	at := 0
	for i := range have {
		for at < len(want) && want[at].Key != have[i].Key {
			at++
		}
		if at == len(want) || !r.sameHit(&have[i], &want[at], texts) {
			return false
		}
		at++
	}
	return true
}

// sameHit compares a stored hit with the one that its raw event makes.
func (r *runRebuild) sameHit(stored, right *run.Hit, texts map[string]string) bool {
	a, b := *stored, *right
	for _, id := range [][2]*int32{
		{&a.Step, &b.Step}, {&a.From, &b.From}, {&a.Subject, &b.Subject}, {&a.Value, &b.Value},
	} {
		if r.other[*id[0]] {
			*id[1] = *id[0]
		}
	}
	x, y := *a.Context, *b.Context
	if x.CustomProperties != y.CustomProperties {
		x.CustomProperties = texts[x.CustomProperties]
	}
	a.Context, b.Context = nil, nil
	return a == b && x == y
}

// run compares all runs of the environment in one snapshot, person by person.
func (r *runRebuild) run(ctx context.Context, tx pgx.Tx) error {
	if err := r.readOther(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `declare raw_flows no scroll cursor for select `+flowColumns+` from flow_events
		where environment_id = $1 order by app_user_id`, pgx.QueryExecModeExec, r.EnvironmentID); err != nil {
		return err
	}
	held, last := personRuns{}, ""
	for {
		stored, err := readFlows(ctx, tx, fmt.Sprintf(`fetch %d from raw_flows`, fetchEvents))
		if err != nil {
			return err
		}
		events, err := r.events.Of(ctx, r.EnvironmentID, stored, false)
		if err != nil {
			return err
		}
		r.addEvents(len(stored))
		for i := range events {
			held.add(&events[i])
		}
		if len(stored) > 0 {
			last = stored[len(stored)-1].AppUserID // who may go on in the next fetch
		}
		if len(stored) < fetchEvents {
			break
		}
		open := personRuns{last: held[last]}
		delete(held, last)
		if err := r.check(ctx, tx, held); err != nil {
			return err
		}
		held = open
	}
	if err := r.check(ctx, tx, held); err != nil {
		return err
	}
	return r.peopleWithoutEvents(ctx, tx)
}

// peopleWithoutEvents finds runs of people of whom no raw event is stored.
func (r *runRebuild) peopleWithoutEvents(ctx context.Context, tx pgx.Tx) error {
	return r.eachOrphan(ctx, tx, `
		select distinct r.app_user_id from flow_run r
		where r.environment_id = $1 and r.first_at >= $2 and r.last_at >= $3 and not exists (
			select from flow_event e where e.environment_id = $1 and e.app_user_id = r.app_user_id
			and e.name not in ('banner_impression', 'banner_dismissed'))`, func(people []string) error {
		held := personRuns{}
		for _, person := range people {
			held[person] = nil
		}
		return r.check(ctx, tx, held)
	})
}

// check compares the runs of people in the snapshot and puts right those that differ.
func (r *runRebuild) check(ctx context.Context, tx pgx.Tx, held personRuns) error {
	if len(held) == 0 {
		return nil
	}
	found, err := r.compare(ctx, tx, held)
	if err != nil {
		return err
	}
	r.summary.Runs.Compared += found.compared
	return r.repair(ctx, found.differences, r.repairSome)
}

// repairSome looks at the people again while writers wait.
func (r *runRebuild) repairSome(ctx context.Context, tx pgx.Tx, people []string) error {
	if _, err := tx.Exec(ctx, `lock table flow_run in share row exclusive mode`); err != nil {
		return err
	}
	stored, err := readFlows(ctx, tx, `select `+flowColumns+` from flow_events
		where environment_id = $1 and app_user_id = any($2) order by received_at, event_key`, r.EnvironmentID, people)
	if err != nil {
		return err
	}
	events, err := r.events.Of(ctx, r.EnvironmentID, stored, true)
	if err != nil {
		return err
	}
	held := personRuns{}
	for _, person := range people {
		held[person] = nil
	}
	whole := *r.rebuild
	now := runRebuild{rebuild: &whole, events: r.events, other: r.other}
	for i := range events {
		held.add(&events[i])
		now.lookBackTo(events[i].Hit.At)
	}
	found, err := now.compare(ctx, tx, held)
	if err != nil {
		return err
	}
	if err := ingest.RemoveRuns(ctx, tx, r.EnvironmentID, found.unexpected); err != nil {
		return err
	}
	r.summary.Runs.Fixed += int64(len(found.unexpected) + len(found.right))
	return ingest.ReplaceRuns(ctx, tx, r.EnvironmentID, found.right, r.RunHitLimit)
}
