package watch_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/analytics/store"
	"github.com/svc-dev/svc/automation/notification/watch"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/delivery/liveusers"
	"github.com/svc-dev/svc/delivery/served"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var quiet = slog.New(slog.DiscardHandler)

// world is a watch on a fresh database with an app, and a clock.
type world struct {
	*watch.Watch
	t   *testing.T
	db  *postgres.DB
	app *deliverytest.App
	at  time.Time
}

func newWorld(t *testing.T, at string) *world {
	t.Helper()
	t.Parallel()
	w := &world{t: t, db: pgtest.New(t)}
	w.app = deliverytest.NewApp(t, w.db.Pool)
	w.set(at)
	w.Watch = &watch.Watch{
		Pool: w.db.Pool, Client: w.db.Ent(), Grace: 14 * 24 * time.Hour, Now: func() time.Time { return w.at }, Logger: quiet,
	}
	return w
}

func (w *world) set(at string) {
	w.t.Helper()
	var err error
	w.at, err = time.Parse(time.DateTime, at)
	require.NoError(w.t, err)
}

// told are the titles of all notifications, in the order in which they were posted, each after its severity.
func (w *world) told() []string {
	w.t.Helper()
	rows, err := w.db.Pool.Query(
		context.Background(), `select severity || ': ' || title from notification order by created_at, id`,
	)
	require.NoError(w.t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	return list
}

func (w *world) text(title string) (text string) {
	w.t.Helper()
	require.NoError(w.t, w.db.Pool.QueryRow(
		context.Background(), `select body from notification where title = $1`, title).Scan(&text))
	return text
}

func (w *world) subscribe(limit int64) {
	w.t.Helper()
	w.app.Exec(`insert into plans (key, name, features, limits)
		values ('indie', 'Indie', '[]', jsonb_build_object('live_mau', $1::int))`, limit)
	w.app.Exec(`insert into subscriptions (id, plan_id, workspace_id) values (gen_random_uuid(), 'indie', $1)`,
		w.app.WorkspaceID)
}

func TestLimitsOfPlansAreToldOnceAMonth(t *testing.T) {
	w := newWorld(t, "2026-11-30 23:59:50")
	w.subscribe(10)
	counter := liveusers.New(w.db.Pool, liveusers.Options{Logger: quiet, Now: func() time.Time { return w.at }})
	come := func(n int) {
		t.Helper()
		tenant := &delivery.Tenant{
			ID: w.app.Live.ID, Kind: "live", WorkspaceID: w.app.WorkspaceID,
			Plan: plan.Of(&plan.Subscription{PlanKey: "indie", Limits: map[string]int64{"live_mau": 10}}),
		}
		for i := range n {
			counter.Note(tenant, fmt.Sprint(i), w.at)
		}
		require.NoError(t, counter.Write(t.Context()))
		require.NoError(t, w.Plans(t.Context()))
		require.NoError(t, w.Plans(t.Context()), "a second look")
	}
	near := "warning: 8 of 10 monthly active users are reached"
	reached := "critical: The plan's limit of 10 monthly active users is reached"
	come(7)
	require.Empty(t, w.told())
	come(8)
	require.Equal(t, []string{near}, w.told())
	come(9)
	require.Equal(t, []string{near}, w.told())
	come(10)
	require.Equal(t, []string{near, reached}, w.told())
	require.Contains(t, w.text(reached[len("critical: "):]), "until 1 December, 00:00 UTC")
	come(11)
	require.Equal(t, []string{near, reached}, w.told())

	// A higher limit has warnings of its own.
	w.app.Exec(`update plans set limits = '{"live_mau": 12}'`)
	come(11)
	higher := "warning: 11 of 12 monthly active users are reached"
	require.Equal(t, []string{near, reached, higher}, w.told())

	// A new month begins with nobody.
	w.set("2026-12-01 00:00:00")
	come(7)
	require.Len(t, w.told(), 3)
	come(12)
	require.Len(t, w.told(), 5)
}

// A server that sells nothing, and a plan without the limit, tell of none.
func TestWithoutALimitNothingIsTold(t *testing.T) {
	w := newWorld(t, "2026-11-20 12:00:00")
	w.app.Exec(`insert into live_user_total (workspace_id, month, people) values ($1, '2026-11-01', 1000000)`,
		w.app.WorkspaceID)
	require.NoError(t, w.Plans(t.Context()))
	w.subscribe(1)
	w.app.Exec(`update plans set limits = '{"active_apps": 1}'`)
	require.NoError(t, w.Plans(t.Context()))
	require.Empty(t, w.told())
}

func TestLatePaymentsCountTheDaysDown(t *testing.T) {
	w := newWorld(t, "2026-11-01 12:00:00")
	w.subscribe(10)
	w.app.Exec(`update subscriptions set status = 'past_due', past_due_since = $1`, w.at)
	var said []string
	for range 24 * 16 {
		require.NoError(t, w.Plans(t.Context()))
		if all := w.told(); len(all) > len(said) {
			require.Len(t, all, len(said)+1)
			said = append(said, all[len(said)]+w.at.Format(" 02 15"))
		}
		w.at = w.at.Add(time.Hour)
	}
	require.Equal(t, []string{
		"warning: A payment is late: 14 days of grace left 01 12",
		"warning: A payment is late: 7 days of grace left 08 12",
		"warning: A payment is late: 3 days of grace left 12 12",
		"warning: A payment is late: 1 day of grace left 14 12",
		"critical: A payment is late: SDK traffic is refused 15 12",
	}, said)
	require.Contains(t, w.text("A payment is late: 7 days of grace left"), "15 November 2026, 12:00 UTC")
	w.app.Exec(`update subscriptions set status = 'active', past_due_since = null`)
	require.NoError(t, w.Plans(t.Context()))
	require.Len(t, w.told(), 5)
}

// What a stranger with the public key sends tells of itself once a day and environment, whatever and however often.
func TestRefusedEventsAreToldOnceADay(t *testing.T) {
	w := newWorld(t, "2026-11-20 12:10:00")
	writer, err := ingest.New(w.db, ingest.Settings{StatsEvery: 10 * time.Millisecond}, ingest.Deps{
		Logger: quiet, Now: func() time.Time { return w.at },
	})
	require.NoError(t, err)
	require.NoError(t, writer.Start(t.Context()))
	defer func() { require.NoError(t, writer.Stop(context.Background())) }()
	send := func(good, bad int) {
		t.Helper()
		var events []string
		for range good {
			events = append(events, fmt.Sprintf(`{"eventId":%q,"name":"buy","appUserId":"u","sessionId":"s"}`, uuid.NewString()))
		}
		for range bad {
			events = append(events, fmt.Sprintf(
				`{"eventId":%q,"name":"","appUserId":"<b>u</b>","sessionId":"s"}`, uuid.NewString()))
		}
		var before, after int64
		total := `select coalesce(sum(accepted), 0) + coalesce(sum((select sum(n::int) from jsonb_each_text(rejected) r (c, n))), 0)
			from ingest_stat`
		require.NoError(t, w.db.Pool.QueryRow(t.Context(), total).Scan(&before))
		_, err := writer.Product(t.Context(), []byte(`{"events":[`+strings.Join(events, ",")+`]}`), ingest.Request{
			EnvironmentID: w.app.Live.ID, ReceivedAt: w.at,
		})
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			require.NoError(t, w.db.Pool.QueryRow(context.Background(), total).Scan(&after))
			return after == before+int64(good+bad)
		}, 10*time.Second, 5*time.Millisecond)
		require.NoError(t, w.RefusedEvents(t.Context()))
	}
	send(0, 99)
	require.Empty(t, w.told(), "a few")
	send(500, 0)
	send(499, 1)
	require.Empty(t, w.told(), "100 of 1,099 are less than a tenth")
	send(1, 30)
	title := "Events of “App” (live) are refused"
	require.Equal(t, []string{"warning: " + title}, w.told())
	require.Equal(t, "Of 1130 events that came from 20 November 2026, 12:00 UTC on, 130 (11 %) were refused, most often as "+
		"“name_required”. The health of ingest has all reasons.", w.text(title))
	send(0, 500)
	w.set("2026-11-20 19:00:00")
	send(0, 500)
	w.set("2026-11-21 00:05:00")
	require.NoError(t, w.RefusedEvents(t.Context()))
	require.Len(t, w.told(), 1, "the day before is told of")
	send(0, 500)
	require.Len(t, w.told(), 2, "another day")
}

// run sends the beginnings of runs of people who are given an arm, as SDKs do.
func (w *world) run(writer *ingest.Writer, x *deliverytest.Experiment, arm, people int) {
	w.t.Helper()
	var events []string
	for i := range people {
		events = append(events, fmt.Sprintf(`{"eventId":%q,"name":"flow_started","runId":%q,"flowId":%q,"versionId":%q,
			"experimentId":%q,"variantId":%q,"timestamp":%q,"identity":{"appUserId":"%d-%d","sessionId":"s"},"platform":"web"}`,
			uuid.NewString(), uuid.NewString(), x.Arms[arm].Version.FlowID, x.Arms[arm].Version.ID, x.ID, x.Arms[arm].ID,
			w.at.Add(-time.Minute).Format(time.RFC3339), arm, i))
	}
	answer, err := writer.Flow(w.t.Context(), []byte(`{"events":[`+strings.Join(events, ",")+`]}`), ingest.Request{
		EnvironmentID: w.app.Live.ID, ReceivedAt: w.at,
	})
	require.NoError(w.t, err)
	require.Empty(w.t, answer.Rejected)
}

// The people who were served and those who had a run are both held against the weights.
func TestSplitsOfRunningExperiments(t *testing.T) {
	w := newWorld(t, time.Now().UTC().Format(time.DateTime))
	writer, err := ingest.New(w.db, ingest.Settings{}, ingest.Deps{Logger: quiet})
	require.NoError(t, err)
	require.NoError(t, writer.Start(t.Context()))
	defer func() { require.NoError(t, writer.Stop(context.Background())) }()
	reports := store.New(w.db.Pool, store.Settings{MaxAge: time.Nanosecond, Logger: quiet})
	require.NoError(t, reports.Start(context.Background()))
	defer func() { require.NoError(t, reports.Stop(context.Background())) }()
	w.Reports = reports
	counter := served.New(w.db.Pool, served.Options{Logger: quiet})
	version := w.app.Publish()
	experiment := func(name, status string) *deliverytest.Experiment {
		x := w.app.Live.Channel().Experiment(status,
			deliverytest.Arm{Key: "control", Weight: 1, Version: version},
			deliverytest.Arm{Key: "<i>new</i>", Weight: 1, Version: version})
		w.app.Exec(`update experiments set started_at = $2, name = $3 where id = $1`, x.ID, w.at.Add(-time.Hour), name)
		return x
	}
	serve := func(x *deliverytest.Experiment, people ...int) {
		t.Helper()
		for arm, n := range people {
			for i := range n {
				counter.Note(
					&delivery.Arm{EnvironmentID: w.app.Live.ID, ExperimentID: x.ID, Position: arm}, fmt.Sprint(arm, "-", i),
				)
			}
		}
		require.NoError(t, counter.Write(t.Context()))
	}
	look := func() []string {
		t.Helper()
		next, looks := w.Splits(), 0
		for more := true; more; looks++ {
			var err error
			more, err = next(t.Context())
			require.NoError(t, err)
		}
		return w.told()
	}
	require.Empty(t, look())
	even, odd := experiment("Even", "running"), experiment("Odd", "running")
	hidden, over := experiment("Hidden", "running"), experiment("Over", "stopped")
	serve(even, 200, 205)
	w.run(writer, even, 0, 100)
	w.run(writer, even, 1, 104)
	serve(odd, 10, 0)
	serve(over, 500, 5)
	require.Empty(t, look(), "too few to tell")
	serve(odd, 200, 100)
	require.Equal(t, []string{"warning: The users of experiment “Odd” are not split as planned"}, look())
	require.Contains(t, w.text("The users of experiment “Odd” are not split as planned"),
		"“control” has 200 instead of about 150, “‹i›new‹/i›” has 100 instead of about 150")
	serve(hidden, 200, 200) // the second arm shows nobody anything
	w.run(writer, hidden, 0, 150)
	w.run(writer, hidden, 1, 60)
	require.Len(t, look(), 2)
	require.Contains(t, w.text("The users of experiment “Hidden” are not split as planned"), "had a run of a variant")
	require.Len(t, look(), 2, "once")
}

// A source of money that fails is told of once a week: one whose deliveries have a wrong signature for a day, and one
// whose deliveries nobody understands. A new one, one that works and one that was put away are none.
func TestSourcesOfMoneyThatFail(t *testing.T) {
	w := newWorld(t, "2026-11-20 12:00:00")
	source := func(name string, age time.Duration, lastGood, lastBad, archived *time.Time) uuid.UUID {
		t.Helper()
		id := uuid.New()
		w.app.Exec(`insert into revenue_connection (id, app_id, provider, name, stores, created_at, last_delivery_at,
				last_error_at, archived_at)
			values ($1, $2, 'stripe', $3, '{stripe}', $4, $5, $6, $7)`,
			id, w.app.ID, name, w.at.Add(-age), lastGood, lastBad, archived)
		return id
	}
	ago := func(d time.Duration) *time.Time {
		at := w.at.Add(-d)
		return &at
	}
	month := 30 * 24 * time.Hour
	source("Never worked", month, nil, ago(time.Minute), nil)
	source("Broke", month, ago(25*time.Hour), ago(time.Minute), nil)
	source("Worked today", month, ago(23*time.Hour), ago(time.Minute), nil)
	source("Just made", 59*time.Minute, nil, ago(time.Minute), nil)
	source("Quiet", month, ago(48*time.Hour), ago(2*time.Hour), nil)
	source("Put away", month, nil, ago(time.Minute), ago(time.Hour))
	strange := source("<b>Strange</b>", month, ago(time.Minute), nil, nil)
	few := source("Few", month, ago(time.Minute), nil, nil)
	burst := source("Burst", month, ago(time.Minute), nil, nil)
	arrive := func(id uuid.UUID, state string, ages ...time.Duration) {
		t.Helper()
		for _, age := range ages {
			w.app.Exec(`insert into provider_event (environment_id, provider, event_id, connection_id, type, occurred_at,
					received_at, body, state) values ($1, 'stripe', gen_random_uuid(), $2, 'x', $3, $3, '{}', $4)`,
				w.app.Live.ID, id, w.at.Add(-age), state)
		}
	}
	arrive(strange, "failed", 0, time.Hour)
	arrive(strange, "unmapped", 2*time.Hour)
	arrive(few, "failed", 0, 2*time.Hour, 25*time.Hour)
	arrive(few, "handled", time.Hour, 2*time.Hour)
	arrive(burst, "failed", 0, time.Minute, 59*time.Minute)
	want := []string{
		"critical: Deliveries of “Broke” of “App” are refused",
		"critical: Deliveries of “Never worked” of “App” are refused",
		"warning: Deliveries of “‹b›Strange‹/b›” of “App” are not understood",
	}
	for range 3 {
		require.NoError(t, w.Revenue(t.Context()))
		require.ElementsMatch(t, want, w.told())
	}
	require.Contains(t, w.text("Deliveries of “‹b›Strange‹/b›” of “App” are not understood"), "Within a day 3 deliveries came")
	require.Contains(t, w.text("Deliveries of “Broke” of “App” are refused"), "The last good one came 19 November 2026, 11:00 UTC.")
	require.NotContains(t, w.text("Deliveries of “Never worked” of “App” are refused"), "The last good one")

	// What still fails in the next week is told of again.
	w.set("2026-11-23 00:10:00")
	w.app.Exec(`update revenue_connection set last_error_at = $1`, w.at)
	require.NoError(t, w.Revenue(t.Context()))
	again := w.told()
	require.Len(t, again, 3+8, "all but the one that was put away have failed by now")
}

// While the database is away a look fails, says at what, and tells of nothing.
func TestLooksWithoutTheDatabase(t *testing.T) {
	w := newWorld(t, "2026-11-20 12:00:00")
	w.subscribe(1)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for what, look := range map[string]func(context.Context) error{
		"the limits of plans": w.Plans, "refused events": w.RefusedEvents, "sources of money that fail": w.Revenue,
		"running experiments": func(ctx context.Context) error {
			more, err := w.Splits()(ctx)
			require.False(t, more)
			return err
		},
	} {
		require.ErrorContains(t, look(gone), what)
	}
	require.Empty(t, w.told())
}

// An experiment that can't be looked at, or was removed meanwhile, keeps nobody from looking at the next one.
func TestOneExperimentThatFailsDoesNotStopTheLook(t *testing.T) {
	w := newWorld(t, "2026-11-20 12:00:00")
	version := w.app.Publish()
	for range 3 {
		x := w.app.Live.Channel().Experiment("running",
			deliverytest.Arm{Key: "a", Weight: 1, Version: version}, deliverytest.Arm{Key: "b", Weight: 1, Version: version})
		w.app.Exec(`update experiments set started_at = $2 where id = $1`, x.ID, w.at.Add(-time.Hour))
	}
	next := w.Splits()
	more, err := next(t.Context())
	require.NoError(t, err)
	require.True(t, more)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	more, err = next(gone)
	require.NoError(t, err, "it is logged")
	require.True(t, more)
	w.app.Exec(`delete from variants`)
	w.app.Exec(`delete from experiments`)
	more, err = next(t.Context())
	require.NoError(t, err)
	require.False(t, more)
	more, err = next(t.Context())
	require.NoError(t, err)
	require.False(t, more)
	require.Empty(t, w.told())
}
