package alerting_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
	"github.com/svc-dev/svc/analytics/store"
	"github.com/svc-dev/svc/automation/alerting"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var quiet = slog.New(slog.DiscardHandler)

// studio has the goals of every app, and segments of users by their ids.
type studio struct {
	goals    []analytics.Goal
	segments map[uuid.UUID][]string
}

func (s studio) Goals(context.Context, uuid.UUID) ([]analytics.Goal, error) { return s.goals, nil }

func (s studio) Audience(_ context.Context, _, id uuid.UUID, _ string) (*analytics.Segment, error) {
	read := func(context.Context) (appUserIDs, customUserIDs []string, err error) { return s.segments[id], nil, nil }
	return &analytics.Segment{ID: id.String(), ReadImported: read}, nil
}

// world is an app with alerts on a fresh database, a report engine and a clock.
type world struct {
	*alerting.Alerting
	t      testing.TB
	db     *postgres.DB
	app    *deliverytest.App
	writer *ingest.Writer
	at     time.Time
	sent   int
}

func newWorld(t testing.TB, at time.Time) *world {
	t.Helper()
	if test, ok := t.(*testing.T); ok {
		test.Parallel()
	}
	w := &world{t: t, db: pgtest.New(t), at: at}
	w.app = deliverytest.NewApp(t, w.db.Pool)
	var err error
	w.writer, err = ingest.New(w.db, ingest.Settings{}, ingest.Deps{Logger: quiet})
	require.NoError(t, err)
	require.NoError(t, w.writer.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, w.writer.Stop(context.Background())) })
	reports := store.New(w.db.Pool, store.Settings{MaxAge: time.Nanosecond, Logger: quiet})
	require.NoError(t, reports.Start(context.Background()))
	t.Cleanup(func() { require.NoError(t, reports.Stop(context.Background())) })
	w.Alerting = &alerting.Alerting{
		Pool: w.db.Pool, Reports: reports, Studio: studio{}, Now: func() time.Time { return w.at }, Logger: quiet,
	}
	return w
}

// visit lets as many visitors view a page of the web at a time.
func (w *world) visit(at time.Time, visitors int, page string) {
	w.t.Helper()
	var events []string
	for i := range visitors {
		events = append(events, fmt.Sprintf(`{"eventId":%q,"name":"page_view","timestamp":%q,"identity":{"appUserId":"u%d",
			"sessionId":"s%d"},"platform":"web","screenName":%q}`,
			uuid.NewString(), at.Format(time.RFC3339), i, at.Unix(), page))
	}
	answer, err := w.writer.Product(w.t.Context(), []byte(`{"events":[`+strings.Join(events, ",")+`]}`), ingest.Request{
		EnvironmentID: w.app.Live.ID, ReceivedAt: at.Add(time.Second),
	})
	require.NoError(w.t, err)
	require.Empty(w.t, answer.Rejected)
	w.sent += visitors
	require.Eventually(w.t, func() bool {
		var stored int
		require.NoError(w.t, w.db.Pool.QueryRow(context.Background(),
			`select coalesce(sum(accepted), 0) from ingest_stat`).Scan(&stored))
		return stored == w.sent
	}, 10*time.Second, 2*time.Millisecond)
}

// alert stores an alert that starts at a time.
func (w *world) alert(name string, from time.Time, rule alert.Rule) uuid.UUID {
	w.t.Helper()
	if rule.Metric == "" {
		rule.Metric = alert.Visitors
	}
	if rule.Grain == "" {
		rule.Grain = "HOUR"
	}
	rule.TimeZone = "UTC"
	if rule.Of == 0 {
		rule.Breaches, rule.Of = 1, 1
	}
	require.NoError(w.t, rule.Validate("rule"))
	stored, err := json.Marshal(rule)
	require.NoError(w.t, err)
	state, err := json.Marshal(alert.State{Judged: from})
	require.NoError(w.t, err)
	id := uuid.New()
	w.app.Exec(`insert into alerts (id, environment_id, name, rule, state, due_at, updated_at)
		values ($1, $2, $3, $4, $5, $6, now())`, id, w.app.Live.ID, name, stored, state, from)
	return id
}

// look looks once at the time.
func (w *world) look(at time.Time) {
	w.t.Helper()
	w.at = at
	next := w.Look()
	for more := true; more; {
		var err error
		more, err = next(w.t.Context())
		require.NoError(w.t, err)
	}
}

// told are the titles of all notifications, oldest first.
func (w *world) told() []string {
	w.t.Helper()
	rows, err := w.db.Pool.Query(context.Background(), `select severity || ': ' || title from notification order by created_at, id`)
	require.NoError(w.t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	return list
}

func pointer[T any](v T) *T { return &v }

var noon = time.Now().UTC().Truncate(24 * time.Hour).Add(-36 * time.Hour)

func hour(h int) time.Time { return noon.Add(time.Duration(h) * time.Hour) }

// An alert is told once when it fires and once when it resolved, however many servers look and whenever one of them
// ends; another tenant's events don't make it fire.
func TestAnAlertIsToldOnce(t *testing.T) {
	w := newWorld(t, hour(0))
	w.visit(hour(0).Add(time.Minute), 3, "/a")
	w.visit(hour(1).Add(time.Minute), 1, "/b")
	above := alert.Condition{Above: pointer(2.0)}
	w.alert("Many <b>", hour(0), alert.Rule{Condition: above})
	w.alert("Page", hour(0), alert.Rule{
		Condition: above,
		Cross:     map[string]analytics.StoredFilter{"page": {Op: "IS", Values: []string{"/b"}}},
	})
	w.alert("Apps", hour(0), alert.Rule{Condition: above, Platform: "MOBILE"})
	w.look(hour(1).Add(time.Minute))
	require.Empty(t, w.told(), "the hour's last events may come yet")

	w.at = hour(1).Add(3 * time.Minute)
	var servers sync.WaitGroup
	for range 6 {
		servers.Go(func() {
			ended, end := context.WithCancel(context.Background())
			defer end()
			if _, err := w.Look()(ended); err != nil {
				t.Error(err)
			}
		})
	}
	servers.Wait()
	fired := "warning: Alert “Many ‹b›” fires: 3 visitors, expected at most 2"
	require.Equal(t, []string{fired}, w.told())
	for minute := range 3 {
		w.look(hour(1).Add(time.Duration(4+minute) * time.Minute))
	}
	w.look(hour(3).Add(3 * time.Minute))
	require.Equal(t, []string{fired}, w.told(), "two hours within bounds may be chance")
	w.look(hour(4).Add(3 * time.Minute))
	require.Equal(t, []string{fired, "info: Alert “Many ‹b›” resolved"}, w.told())
	var body string
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `select body from notification where severity = 'warning'`).Scan(&body))
	require.Equal(t, "“App” (live): 3 visitors, expected at most 2 in the hour until "+
		hour(1).Format("2 January, 15:04 MST")+".", body)
}

// An alert on a segment counts its members, beside one on another segment and one on all users that ask for the same.
func TestAnAlertOnASegment(t *testing.T) {
	w := newWorld(t, hour(0))
	w.visit(hour(0).Add(time.Minute), 4, "/")
	two, three := uuid.New(), uuid.New()
	w.Studio = studio{segments: map[uuid.UUID][]string{two: {"u0", "u3"}, three: {"u0", "u1", "u2", "stranger"}}}
	above := alert.Rule{Condition: alert.Condition{Above: pointer(1.0)}}
	w.alert("All", hour(0), above)
	above.SegmentID = &two
	w.alert("Two", hour(0), above)
	above.SegmentID = &three
	w.alert("Three", hour(0), above)
	w.look(hour(1).Add(3 * time.Minute))
	require.Equal(t, []string{
		"warning: Alert “All” fires: 4 visitors, expected at most 1",
		"warning: Alert “Three” fires: 3 visitors, expected at most 1",
		"warning: Alert “Two” fires: 2 visitors, expected at most 1",
	}, slices.Sorted(slices.Values(w.told())))
	require.Len(t, w.preview(above).Firings, 1)
}

// A look that fails before what it found is stored leaves everything as it was, and the next one tells.
func TestALookThatEndsTellsNothing(t *testing.T) {
	w := newWorld(t, hour(0))
	w.visit(hour(0), 3, "/")
	id := w.alert("Many", hour(0), alert.Rule{Condition: alert.Condition{Above: pointer(2.0)}})
	w.app.Exec(`alter table notification add constraint broken check (kind <> 'alert')`)
	w.look(hour(1).Add(3 * time.Minute))
	var firing bool
	firings := func() bool {
		require.NoError(t, w.db.Pool.QueryRow(t.Context(),
			`select coalesce((state->>'firing')::bool, false) from alerts where id = $1`, id).Scan(&firing))
		return firing
	}
	require.False(t, firings())
	w.app.Exec(`alter table notification drop constraint broken`)
	w.look(hour(1).Add(4 * time.Minute))
	require.True(t, firings())
	require.Len(t, w.told(), 1)

	// Whoever changes an alert while it is looked at has the last word.
	w.app.Exec(`update alerts set paused = true`)
	w.look(hour(9))
	require.Len(t, w.told(), 1)
}

func TestQuietHoursKeepWhatIsNotOver(t *testing.T) {
	w := newWorld(t, hour(0))
	w.visit(hour(0), 3, "/")
	for h := range 3 {
		w.visit(hour(h).Add(time.Minute), 4, "/b")
	}
	until := hour(2).Add(30 * time.Minute)
	calm := alert.Rule{
		Condition: alert.Condition{Above: pointer(2.0)}, QuietFrom: hour(0).Format("15:04"), QuietUntil: until.Format("15:04"),
	}
	w.alert("Quiet", hour(0), calm)
	w.look(hour(1).Add(3 * time.Minute))
	w.look(hour(2).Add(3 * time.Minute))
	require.Empty(t, w.told())
	w.look(until)
	require.Len(t, w.told(), 1)
}

func TestNothingArrives(t *testing.T) {
	w := newWorld(t, hour(0))
	w.visit(hour(0), 1, "/")
	silent := alert.Rule{Condition: alert.Condition{Silent: &alert.Silent{Minutes: 15}}}
	never := silent
	never.Platform = "IOS"
	w.alert("Silence", hour(0), silent)
	w.alert("Never", hour(0), never)
	for _, minute := range []int{0, 5, 10, 15} {
		w.look(hour(0).Add(time.Duration(minute) * time.Minute))
	}
	require.Empty(t, w.told())
	w.look(hour(0).Add(16 * time.Minute))
	fired := "warning: Alert “Silence” fires: no event for 15 minutes"
	require.Equal(t, []string{fired}, w.told())
	w.look(hour(0).Add(17 * time.Minute))
	w.visit(hour(0).Add(17*time.Minute), 1, "/")
	w.look(hour(0).Add(18 * time.Minute))
	require.Equal(t, []string{fired, "info: Alert “Silence” resolved"}, w.told())

	// What the preview says is what happened.
	w.at = hour(0).Add(18 * time.Minute)
	p, err := w.Preview(t.Context(), alerting.Subject{Environment: w.app.Live.ID}, &alert.Rule{
		Metric: alert.Visitors, TimeZone: "UTC", Grain: "HOUR", Condition: silent.Condition, Breaches: 1, Of: 1,
	})
	require.NoError(t, err)
	require.Len(t, p.Firings, 1)
	require.Equal(t, hour(0).Add(16*time.Minute), p.Firings[0].Start)
	require.Equal(t, hour(0).Add(18*time.Minute), *p.Firings[0].End)
	require.InDelta(t, 2.0, *p.Points[len(p.Points)-1].Value, 0)
}

// What is unusual is silent until three weeks have data, and what the preview says is what the looks do.
func TestUnusual(t *testing.T) {
	w := newWorld(t, hour(0))
	sign := analytics.Goal{ID: uuid.New(), Condition: analytics.GoalCondition{Page: &analytics.GoalView{Op: "IS", Name: "/"}}}
	w.Studio = studio{goals: []analytics.Goal{sign}}
	rules := []alert.Rule{
		{Condition: alert.Condition{Unusual: &alert.Unusual{Direction: "DOWN", Sensitivity: "HIGH"}}},
		{
			Metric: alert.Converters, GoalID: &sign.ID,
			Condition: alert.Condition{Change: &alert.Change{Direction: "DOWN", Percent: 50}},
		},
		{
			Grain: "DAY", Condition: alert.Condition{Below: pointer(5.0)},
			Cross: map[string]analytics.StoredFilter{"goal": {Op: "IS", Values: []string{sign.ID.String()}}},
		},
	}
	for week := 4; week >= 1; week-- {
		w.visit(hour(0).AddDate(0, 0, -7*week), 40, "/")
	}
	w.visit(hour(0), 4, "/")
	for i, rule := range rules {
		w.alert(fmt.Sprint(i), hour(0).AddDate(0, 0, -14).Truncate(24*time.Hour), rule)
	}
	w.app.Exec(`update alerts set state = jsonb_build_object('judged', $1::text), due_at = $2`,
		hour(0).Format(time.RFC3339), hour(0))
	w.look(hour(1).Add(3 * time.Minute))
	require.Equal(t, []string{
		"warning: Alert “0” fires: 4 visitors, expected at least 25",
		"warning: Alert “1” fires: 4 converters, expected at least 21",
	}, slices.Sorted(slices.Values(w.told())))
	w.look(hour(13).Add(3 * time.Minute))
	require.Contains(t, w.told(), "warning: Alert “2” fires: 4 visitors, expected at least 5")

	for i, rule := range rules {
		rule.TimeZone = "UTC"
		p := w.preview(rule)
		require.NotEmpty(t, p.Firings, i)
		if i < 2 {
			require.Equal(t, hour(1), p.Firings[len(p.Firings)-1].Start.UTC(), i)
		}
	}
	early := w.preview(rules[0])
	for _, point := range early.Points {
		if point.Start.Before(hour(0).AddDate(0, 0, -7)) {
			require.False(t, point.Breach || point.Low != nil, "three weeks of data")
		}
	}
}

func (w *world) preview(rule alert.Rule) *alerting.Preview {
	w.t.Helper()
	rule.TimeZone, rule.Breaches, rule.Of = "UTC", 1, 1
	if rule.Metric == "" {
		rule.Metric = alert.Visitors
	}
	if rule.Grain == "" {
		rule.Grain = "HOUR"
	}
	p, err := w.Preview(w.t.Context(), alerting.Subject{Environment: w.app.Live.ID}, &rule)
	require.NoError(w.t, err)
	return p
}
