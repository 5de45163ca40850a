package store

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// sender sends flow events of the environment as clients do.
type sender struct {
	writer        *ingest.Writer
	random        *rand.Rand
	steps, fields int // how many there are
}

func newSender(t *testing.T, db *postgres.DB) *sender {
	t.Helper()
	writer, err := ingest.New(db, ingest.Settings{}, ingest.Deps{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.NoError(t, writer.Start(context.Background()))
	t.Cleanup(func() { require.NoError(t, writer.Stop(context.Background())) })
	return &sender{writer, rand.New(rand.NewPCG(7, 9)), 30, 20}
}

func (s *sender) pick(list ...string) string { return list[s.random.IntN(len(list))] }

// event makes an event of the last days, of few people and keys, so that runs grow, are cut and overlap.
func (s *sender) event(people int) map[string]any {
	e := map[string]any{
		"eventId": uuid.NewString(), "name": s.pick(
			"step_viewed", "step_completed", "choice_selected", "surface_presented", "flow_completed", "flow_abandoned",
		),
		"flowId":    "11111111-1111-4111-8111-11111111111" + s.pick("1", "2"),
		"versionId": "22222222-2222-4222-8222-22222222222" + s.pick("1", "2"), "variantId": s.pick("", "b"),
		"timestamp":  time.Now().Add(-time.Duration(s.random.IntN(4*24*3600_000)) * time.Millisecond).Format(time.RFC3339Nano),
		"identity":   map[string]any{"appUserId": fmt.Sprint("v", s.random.IntN(people)), "sessionId": s.pick("", "s1")},
		"properties": map[string]any{"value": s.pick("yes", "no"), "field_key": fmt.Sprint("field", s.random.IntN(s.fields))},
		"context": map[string]any{
			"platform": s.pick("", "web", "ios"), "locale": s.pick("de-DE", "en"), "appVersion": s.pick("1.0", "2.0"),
			"customProperties": json.RawMessage(s.pick(`{}`, `{"tier":"gold"}`, `{"tier":"tin","age":7}`)),
		},
	}
	if s.random.IntN(3) == 0 {
		e["name"] = "flow_started"
	} else {
		e["stepId"], e["fromStepId"] = fmt.Sprint("step", s.random.IntN(s.steps)), s.pick("", "step1")
	}
	if s.random.IntN(2) == 0 {
		e["runId"], e["seq"] = "0197aa00-0000-4000-8000-00000000000"+s.pick("1", "2"), s.random.IntN(9)
	}
	return e
}

// send stores a batch of events, and returns once they are acknowledged.
func (s *sender) send(t require.TestingT, events ...map[string]any) {
	body, err := json.Marshal(map[string]any{"events": events})
	require.NoError(t, err)
	answer, err := s.writer.Flow(
		context.Background(), body, ingest.Request{EnvironmentID: environmentID, ChannelID: 4, ReceivedAt: time.Now()},
	)
	require.NoError(t, err)
	require.Empty(t, answer.Rejected)
}

func (s *sender) sendSome(t require.TestingT, events, people int) {
	for events > 0 {
		batch := make([]map[string]any, min(events, 100))
		for i := range batch {
			batch[i] = s.event(people)
		}
		s.send(t, batch...)
		events -= len(batch)
	}
}

// hitText writes a hit.
func hitText(at int64, h frame.Happening, name func(id int32) string) string {
	parts := []string{fmt.Sprint(at), h.Name.String()}
	for _, id := range [...]int32{h.Step, h.From, h.Subject, h.Value} {
		switch id {
		case 0:
			parts = append(parts, "-")
		case run.FromStart:
			parts = append(parts, "start")
		default:
			parts = append(parts, name(id))
		}
	}
	return strings.Join(parts, " ")
}

// storedRuns returns what the database says of every run, read plainly.
func storedRuns(t require.TestingT, pool *pgxpool.Pool) (all []string) {
	names := map[int32]string{}
	rows, err := pool.Query(context.Background(), `select id, text from flow_name where environment_id = $1`, environmentID)
	require.NoError(t, err)
	var id int32
	var text string
	_, err = pgx.ForEachRow(rows, []any{&id, &text}, func() error { names[id] = text; return nil })
	require.NoError(t, err)
	nameOf := func(id int32) string { return names[id] }
	rows, err = pool.Query(context.Background(), `
		select app_user_id, flow_id, run_key, derived, hits, contexts from flow_run where environment_id = $1`, environmentID)
	require.NoError(t, err)
	stored, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r run.Row, err error) {
		var flow, key pgtype.UUID
		err = row.Scan(&r.Person, &flow, &key, &r.Derived, &r.Hits, &r.Contexts)
		r.Flow, r.Key = flow.Bytes, key.Bytes
		return r, err
	})
	require.NoError(t, err)
	for i := range stored {
		runs, err := stored[i].Runs(nameOf)
		require.NoError(t, err)
		for _, r := range runs {
			var hits []string
			for _, h := range r.Hits {
				hits = append(hits, hitText(h.At-frame.EpochMillis, frame.Happening{
					Name: h.Name, Step: h.Step, From: h.From, Subject: h.Subject, Value: h.Value,
				}, nameOf))
			}
			var custom map[string]any
			if r.CustomProperties != "" {
				require.NoError(t, json.Unmarshal([]byte(r.CustomProperties), &custom))
			}
			all = append(all, fmt.Sprintln(r.Person, frame.RunKey(&r), r.Flow, r.StartedAt-frame.EpochMillis,
				r.LastAt-frame.EpochMillis, r.HasStart, r.Completed, r.Abandoned, r.Release.Version, r.Release.Variant, r.Client,
				custom["tier"], hits))
		}
	}
	slices.Sort(all)
	return all
}

// runsOf returns what a view says of every run, in the words of storedRuns.
func runsOf(v *frame.View) (all []string) {
	nameOf := func(id int32) string { _, text := v.FlowName(id); return text }
	add := func(p *frame.Part, masked frame.Bits) {
		for row := range uint32(p.Len()) {
			if masked.Has(row) {
				continue
			}
			release, client := v.Releases[p.Column(frame.RunRelease)[row]], v.Clients[p.Column(frame.RunClient)[row]]
			var tier any
			for _, c := range v.CustomSets[p.Column(frame.RunCustom)[row]] {
				if v.CustomKeys[c.Key] == "tier" {
					tier = v.CustomValues[c.Value]
				}
			}
			var hits []string
			for _, hit := range p.HitsOf(row) {
				hits = append(hits, hitText(frame.HitTime(hit), v.Happenings[frame.HitName(hit)], nameOf))
			}
			flags := p.Column(frame.RunFlags)[row]
			all = append(all, fmt.Sprintln(v.Visitors.ID(p.Visitors()[row]), p.Keys()[row], release.Flow, p.RunStart(row),
				p.RunLast(row), flags&frame.HasStart != 0, flags&frame.Completed != 0, flags&frame.Abandoned != 0,
				release.Version, release.Variant, run.Client{
					Platform: v.Platforms[client.Platform], Locale: v.Locales[client.Locale],
					AppVersion: v.AppVersions[client.AppVersion],
				}, tier, hits))
		}
	}
	for _, f := range v.Runs {
		add(f.Sealed, f.Masked)
		if f.Open != nil {
			add(f.Open, nil)
		}
	}
	slices.Sort(all)
	return all
}

// lastDays is a range that has all events of a sender.
func lastDays() (from, to time.Time) {
	return time.Now().AddDate(0, 0, -6), time.Now().Add(time.Hour)
}

func seenRuns(t *testing.T, s *Store) []string {
	t.Helper()
	from, to := lastDays()
	view, err := s.RunView(t.Context(), environmentID, from, to)
	require.NoError(t, err)
	return runsOf(view)
}

// Every run is in the view as it is stored, on all servers, however runs grow and are cut anew between two readings.
func TestRunsAreFollowed(t *testing.T) {
	db := pgtest.New(t)
	client := newSender(t, db)
	client.sendSome(t, 400, 12)
	first, second := newStore(t, db.Pool, Settings{}), newStore(t, db.Pool, Settings{})
	for range 8 {
		want := storedRuns(t, db.Pool)
		require.NotEmpty(t, want)
		require.Equal(t, want, seenRuns(t, first))
		require.Equal(t, want, seenRuns(t, second))
		client.sendSome(t, 60, 14)
	}
}

// A row of a derived key that gets an earlier start has another run more, and all of them change.
func TestARowThatGetsMoreRuns(t *testing.T) {
	db := pgtest.New(t)
	client := newSender(t, db)
	s := newStore(t, db.Pool, Settings{})
	at := time.Now().Add(-6 * time.Hour)
	runs := 0
	for _, minutes := range []int{30, 90, 60, 0, 45} {
		var events []map[string]any
		for i, name := range []string{"flow_started", "step_viewed"} {
			e := client.event(1)
			delete(e, "runId")
			delete(e, "seq")
			e["name"], e["stepId"], e["variantId"] = name, "step", ""
			e["flowId"], e["versionId"] = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
			e["identity"] = map[string]any{"appUserId": "v", "sessionId": "s"}
			e["timestamp"] = at.Add(time.Duration(minutes)*time.Minute + time.Duration(i)*time.Second).Format(time.RFC3339)
			events = append(events, e)
		}
		client.send(t, events...)
		runs++
		want := storedRuns(t, db.Pool)
		require.Len(t, want, runs)
		require.Equal(t, want, seenRuns(t, s))
	}
}

// What is acknowledged is in every answer that is asked for a second later.
func TestRunsAreFresh(t *testing.T) {
	db := pgtest.New(t)
	client := newSender(t, db)
	client.sendSome(t, 50, 5)
	s := newStore(t, db.Pool, Settings{MaxAge: time.Second})
	seenRuns(t, s)
	for range 2 {
		client.sendSome(t, 20, 5)
		acknowledged, want := time.Now(), storedRuns(t, db.Pool)
		for {
			asked := time.Now()
			if got := seenRuns(t, s); asked.Sub(acknowledged) > time.Second {
				require.Equal(t, want, got)
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// An environment that nobody asks reports of flows of reads none of its runs.
func TestRunsAreReadWhenSomebodyAsks(t *testing.T) {
	db := pgtest.New(t)
	client := newSender(t, db)
	write(t, db.Pool, "v1", "a", today)
	s := newStore(t, db.Pool, Settings{})
	totals(t, s, today.AddDate(0, 0, -1), today.Add(time.Hour))
	client.sendSome(t, 100, 10)
	before := s.replicas[environmentID].data.Bytes()
	totals(t, s, today.AddDate(0, 0, -1), today.Add(time.Hour))
	r := s.replicas[environmentID]
	require.Equal(t, []frame.RowType{frame.Sessions}, r.followed())
	require.Equal(t, before, r.data.Bytes())
	require.Equal(t, storedRuns(t, db.Pool), seenRuns(t, s))
	require.Same(t, r, s.replicas[environmentID])
	require.Equal(t, int64(1), totals(t, s, today.AddDate(0, 0, -1), today.Add(time.Hour)).Sessions)
}

// Runs that change while their day is being read are in its frame as they are then.
func TestRunsThatChangeDuringALoad(t *testing.T) {
	db := pgtest.New(t)
	client := newSender(t, db)
	client.sendSome(t, 300, 6)
	s := newStore(t, db.Pool, Settings{})
	require.Equal(t, storedRuns(t, db.Pool), seenRuns(t, s))
	r := s.replicas[environmentID]
	for _, limit := range []int64{r.keepLimit, 0} {
		r.keepLimit = limit
		parts := map[dayKey]*frame.Part{}
		for _, f := range r.frames() {
			r.drop(f.key)
			r.mu.Lock()
			r.days[f.key].loading = &task{done: make(chan struct{})}
			r.mu.Unlock()
			require.NoError(t, s.wait(t.Context(), s.start(hangLimit, func(ctx context.Context, t *task) (err error) {
				parts[f.key], err = s.readDay(ctx, t, r, f.key)
				return err
			})))
		}
		require.NotEmpty(t, parts)
		client.sendSome(t, 60, 6)
		require.NoError(t, s.follow(t.Context(), r, time.Now()))
		require.Equal(t, limit > 0, r.keptBytes > 0)
		require.LessOrEqual(t, r.keptBytes, limit)
		for key, part := range parts {
			require.NoError(t, r.put(key, part))
		}
		require.Zero(t, r.keptBytes)
		require.Equal(t, storedRuns(t, db.Pool), seenRuns(t, s))
	}
	require.Same(t, r, s.replicas[environmentID])
}

// Requests that load, drop and follow while events arrive agree with the database in the end. Days are dropped in the
// middle of requests, but not again before each of the others has had its answer: who loses its days at every attempt
// is told that memory is short, and nothing is short here.
func TestRunsUnderLoad(t *testing.T) {
	db := pgtest.New(t)
	client := newSender(t, db)
	client.sendSome(t, 200, 20)
	s := newStore(t, db.Pool, Settings{})
	stop := make(chan struct{})
	var answers [3]atomic.Int64
	var wg sync.WaitGroup
	for worker := range answers {
		wg.Go(func() {
			var dropped [len(answers)]int64 // the answers at the last drop
			for {
				select {
				case <-stop:
					return
				default:
				}
				from, to := lastDays()
				if _, err := s.RunView(context.Background(), environmentID, from.AddDate(0, 0, worker), to); err != nil {
					t.Error(err)
					return
				}
				answers[worker].Add(1)
				if worker > 0 || answers[1].Load() == dropped[1] || answers[2].Load() == dropped[2] {
					continue
				}
				for i := range answers {
					dropped[i] = answers[i].Load()
				}
				for _, f := range s.replicas[environmentID].frames() {
					s.replicas[environmentID].drop(f.key)
				}
			}
		})
	}
	for range 30 {
		client.sendSome(t, 20, 20)
	}
	close(stop)
	wg.Wait()
	require.NotZero(t, answers[0].Load())
	require.Equal(t, storedRuns(t, db.Pool), seenRuns(t, s))
}

// Runs that are removed, by retention, a rebuild or an erasure, leave the frames, and only their day is read anew.
func TestRemovedRunsDisappear(t *testing.T) {
	db := pgtest.New(t)
	client := newSender(t, db)
	client.sendSome(t, 300, 10)
	s := newStore(t, db.Pool, Settings{})
	before := storedRuns(t, db.Pool)
	require.Equal(t, before, seenRuns(t, s))
	r := s.replicas[environmentID]
	var person string
	var flow, key pgtype.UUID
	require.NoError(t, db.Pool.QueryRow(
		t.Context(), `select app_user_id, flow_id, run_key from flow_run limit 1`,
	).Scan(&person, &flow, &key))
	require.NoError(t, pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error {
		return ingest.RemoveRuns(t.Context(), tx, environmentID, []run.Row{
			{Person: person, Flow: session.Key(flow.Bytes), Key: session.Key(key.Bytes)},
		})
	}))
	want := storedRuns(t, db.Pool)
	require.Less(t, len(want), len(before))
	require.Equal(t, want, seenRuns(t, s))
	require.Same(t, r, s.replicas[environmentID])
}

// A range that memory does not hold at once is read in portions, which have the same runs, and the sessions of their
// people.
func TestRunsAreReadInPortions(t *testing.T) {
	db := pgtest.New(t)
	client := newSender(t, db)
	client.steps, client.fields = 3, 2 // values take a share of the budget, which is small here
	client.sendSome(t, 12_000, 400)
	now := time.Now()
	_, err := db.Pool.Exec(t.Context(), `
		insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, changed_xid,
			platform, hits)
		select 7, 'v' || i, 's', $1, $1, ($1 at time zone 'UTC')::date, pg_current_xact_id(),
			case when i % 2 = 0 then 'ios' else 'web' end,
			array[(((extract(epoch from $1::timestamptz) * 1000)::bigint - 1577836800000) << 22) | 1]
		from generate_series(0, 199) i`, now.Add(-time.Hour))
	require.NoError(t, err)
	want := storedRuns(t, db.Pool)
	from, to := lastDays()
	s := newStore(t, db.Pool, Settings{Budget: 500_000})
	_, err = s.RunView(t.Context(), environmentID, from, to)
	var field *analytics.FieldError
	require.ErrorAs(t, err, &field)
	require.Equal(t, "range", field.Field)

	stop := watch(s)
	within := runsIn(from, to)
	scan, err := s.newScan(t.Context(), environmentID, within.span, within, sessionsIn(within.from, within.to))
	require.NoError(t, err)
	portions, sessions, rows, people := 0, 0, []string{}, map[string]bool{}
	require.NoError(t, scan.Each(t.Context(), func(v *frame.View) error {
		portions++
		for _, id := range v.Visitors.All() {
			require.False(t, people[id], "portions share no visitor")
			people[id] = true
		}
		for _, f := range v.Frames {
			sessions += f.Sealed.Len()
		}
		rows = append(rows, runsOf(v)...)
		return nil
	}))
	slices.Sort(rows)
	require.Equal(t, want, rows)
	require.Equal(t, 200, sessions)
	require.Greater(t, portions, 3)
	require.LessOrEqual(t, stop(), s.settings.Budget)
}

// Product reports with filters on runs read those of their range, in memory and in portions.
func TestReportsOfPeopleWithRuns(t *testing.T) {
	db := pgtest.New(t)
	client := newSender(t, db)
	client.steps, client.fields = 3, 2
	client.sendSome(t, 6_000, 300)
	now := time.Now().Truncate(time.Millisecond)
	_, err := db.Pool.Exec(t.Context(), `
		insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, changed_xid,
			platform, hits)
		select 7, 'v' || i, 's', $1, $1, ($1 at time zone 'UTC')::date, pg_current_xact_id(), 'web',
			array[(((extract(epoch from $1::timestamptz) * 1000)::bigint - 1577836800000) << 22) | 1]
		from generate_series(0, 399) i`, now.Add(-time.Hour))
	require.NoError(t, err)
	const version = "22222222-2222-4222-8222-222222222222"
	cross := []analytics.Filter{
		{Dimension: analytics.FlowVersion, Values: []string{version}},
		{Dimension: analytics.FlowOutcome, Operator: analytics.IsNot, Values: []string{analytics.OutcomeCompleted}},
	}
	from, to := now.AddDate(0, 0, -2), now
	people := peopleWithout(t, newStore(t, db.Pool, Settings{}), from, to, version)
	require.NotEmpty(t, people)
	scope := analytics.Scope{Start: from, End: to, Cross: cross}
	segment := &analytics.Segment{Rules: &analytics.SegmentRules{Days: 3, Cross: cross}}
	var audience []int
	for _, budget := range []int64{0, 600_000} {
		s := newStore(t, db.Pool, Settings{Budget: budget})
		selection, err := s.Select(t.Context(), environmentID, scope, true, false, now)
		require.NoError(t, err)
		totals, err := selection.Totals(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, len(people), totals.Visitors)
		require.Equal(t, budget > 0, s.scanned.Load() > 0)
		members, err := s.Members(t.Context(), environmentID, segment, now)
		require.NoError(t, err)
		audience = append(audience, members.Count())
	}
	require.Positive(t, audience[0])
	require.Equal(t, audience[0], audience[1])
}

// peopleWithout returns the people with a run of a version in the range, and without one that was completed.
func peopleWithout(t *testing.T, s *Store, from, to time.Time, version string) map[string]bool {
	t.Helper()
	view, err := s.RunView(t.Context(), environmentID, from, to)
	require.NoError(t, err)
	people, completed := map[string]bool{}, map[string]bool{}
	for _, f := range view.Runs {
		require.Nil(t, f.Open)
		p := f.Sealed
		for row := range uint32(p.Len()) {
			release := view.Releases[p.Column(frame.RunRelease)[row]]
			at := p.RunStart(row)
			if uuid.UUID(release.Version).String() != version || at < frame.Millis(from) || at >= frame.Millis(to) {
				continue
			}
			people[view.Visitors.ID(p.Visitors()[row])] = true
			if p.Column(frame.RunFlags)[row]&frame.Completed != 0 {
				completed[view.Visitors.ID(p.Visitors()[row])] = true
			}
		}
	}
	for id := range completed {
		delete(people, id)
	}
	return people
}
