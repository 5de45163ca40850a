package floworacle_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/oracle/floworacle"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/store"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// drawHandover draws when a channel went from one version to another: at an event, a moment beside one, or at midnight.
func drawHandover(t *rapid.T, s floworacle.Scenario) *flow.Handover {
	since := s.Anchor.Add(time.Duration(rapid.IntRange(-96, 96).Draw(t, "since")) * time.Hour)
	if n := len(s.World.Events); n > 0 && rapid.IntRange(0, 2).Draw(t, "at an event") > 0 {
		e := s.World.Events[rapid.IntRange(0, n-1).Draw(t, "which")]
		since = time.UnixMilli(e.At + rapid.Int64Range(-1, 1).Draw(t, "beside it")).UTC()
	} else if rapid.Bool().Draw(t, "at midnight") {
		since = since.Truncate(24 * time.Hour)
	}
	if since.After(s.Now) {
		since = s.Now
	}
	h := &flow.Handover{
		Flow: rapid.SampledFrom(floworacle.Flows).Draw(t, "flow"), Channel: int64(rapid.IntRange(1, 2).Draw(t, "channel")),
		Previous: floworacle.Versions[0], Current: rapid.SampledFrom(floworacle.Versions).Draw(t, "current"), Since: since,
		Back: time.Duration(rapid.IntRange(1, 14).Draw(t, "days back")) * 24 * time.Hour,
		Within: rapid.SampledFrom([]time.Duration{
			time.Second, 45 * time.Second, 30 * time.Minute, time.Hour, 24 * time.Hour,
		}).Draw(t, "within"),
	}
	// The first moment whose runs of the previous version count, and the last one of what a run did, are events' too.
	if n := len(s.World.Events); n > 0 && rapid.IntRange(0, 3).Draw(t, "back to an event") == 0 {
		e := s.World.Events[rapid.IntRange(0, n-1).Draw(t, "which")]
		if back := h.Since.Sub(time.UnixMilli(e.At)); back > 0 {
			h.Back = back
		}
	}
	var ends []floworacle.Event
	for _, e := range s.World.Events {
		if e.Name == "flow_completed" || e.Name == "surface_outcome" && e.Value == "failed" {
			ends = append(ends, e)
		}
	}
	if len(ends) > 0 && rapid.Bool().Draw(t, "within an event") {
		end := rapid.SampledFrom(ends).Draw(t, "end")
		h.Flow, h.Channel, h.Current = end.Flow, end.Release.Channel, end.Release.Version
		h.Within = withinOf(s.World.Events, end, h.Within)
	}
	return h
}

// withinOf returns how long after the first event of its run one came; else, where that is the first, what was said.
func withinOf(events []floworacle.Event, end floworacle.Event, said time.Duration) time.Duration {
	first := end.At
	for _, e := range events {
		if e.Person == end.Person && e.Flow == end.Flow && e.RunID == end.RunID {
			first = min(first, e.At)
		}
	}
	if first == end.At {
		return said
	}
	return time.Duration(end.At-first) * time.Millisecond
}

func compareHandover(t *rapid.T, s floworacle.Scenario, h *flow.Handover, selection *flow.Selection) {
	previous, current, err := selection.Handover(t.Context(), h)
	if err != nil {
		t.Fatalf("Handover: %v", err)
	}
	wantPrevious, wantCurrent := floworacle.New(s.World, s.Now).Handover(h)
	if previous != wantPrevious || current != wantCurrent {
		t.Fatalf("counted %+v and %+v, want %+v and %+v", previous, current, wantPrevious, wantCurrent)
	}
}

// Who counts as a run of which version, and what they did in time, is what the rules say.
func TestHandoversAgreeWithOracle(t *testing.T) {
	worlds(t)
	rapid.Check(t, func(t *rapid.T) {
		s := floworacle.Draw(t)
		engine := flow.NewEngine(flow.Tuning{
			RunsPerWorker: rapid.SampledFrom([]int{1, 2, 20_000}).Draw(t, "runs per worker"), EdgeTable: 256, FewTimes: 70,
			ManyNames: rapid.SampledFrom([]int{0, 3, 1 << 12}).Draw(t, "many names"),
		}, report.NewEngine(report.DefaultTuning()))
		view := load(t, s)
		for range 3 {
			h := drawHandover(t, s)
			selection, err := engine.Select(view, h.Scope(s.Now), nil, s.Now)
			if err != nil {
				t.Fatalf("Select: %v", err)
			}
			compareHandover(t, s, h, selection)
			if rapid.Bool().Draw(t, "streamed") {
				if selection, err = engine.Stream(portions(t, s), h.Scope(s.Now), s.Now); err != nil {
					t.Fatalf("Stream: %v", err)
				}
				compareHandover(t, s, h, selection)
			}
		}
	})
}

// So it is with a database in between, that events reach late: after somebody has asked before.
func TestHandoversInADatabaseAgreeWithOracle(t *testing.T) {
	db := pgtest.New(t)
	kept := store.New(db.Pool, store.Settings{MaxAge: time.Nanosecond})
	t.Cleanup(func() { _ = kept.Stop(t.Context()) })
	drawn := rapid.Custom(floworacle.Draw)
	environment := int64(0)
	rapid.Check(t, func(t *rapid.T) {
		s := drawn.Draw(t, "world")
		environment++
		if environment > 40 {
			return // a world takes some transactions
		}
		all, stored := s.World.Events, floworacle.NewStore()
		early := rapid.IntRange(0, len(all)).Draw(t, "events that come early")
		h := drawHandover(t, s)
		for _, part := range [][]floworacle.Event{all[:early], all[early:]} {
			stored.Ingest(part)
			write(t, db, environment, stored)
			s.World.Events = all[:early]
			early = len(all)
			selection, err := kept.SelectRuns(t.Context(), environment, h.Scope(s.Now), false, false, s.Now)
			if err != nil {
				t.Fatalf("SelectRuns: %v", err)
			}
			compareHandover(t, s, h, selection)
		}
	})
}

// write brings the tables of runs up to date.
func write(t *rapid.T, db *postgres.DB, environment int64, stored *floworacle.Store) {
	must := func(sql string, args ...any) {
		if _, err := db.Pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatalf("write: %v", err)
		}
	}
	for _, n := range stored.Names() {
		must(`insert into flow_name (environment_id, id, kind, text, text_hash) values ($1, $2, $3, $4, gen_random_uuid())
			on conflict (environment_id, id) do nothing`, environment, n.ID, int16(n.Kind), n.Text)
	}
	stored.EachRow(func(r run.Row, day time.Time) {
		must(`
			insert into flow_run (environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at, home_day,
				hits, contexts)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
			on conflict (environment_id, app_user_id, flow_id, run_key) do update set derived = excluded.derived,
				started = excluded.started, first_at = excluded.first_at, last_at = excluded.last_at, hits = excluded.hits,
				contexts = excluded.contexts, changed_xid = pg_current_xact_id()`,
			environment, r.Person, pgtype.UUID{Bytes: r.Flow, Valid: true}, pgtype.UUID{Bytes: r.Key, Valid: true}, r.Derived,
			r.Started, time.UnixMilli(r.FirstAt), time.UnixMilli(r.LastAt), day, r.Hits, r.Contexts)
	})
}
