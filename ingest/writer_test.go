package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// startWriter starts a writer that is stopped with the test.
func startWriter(t testing.TB, db *postgres.DB, settings Settings, deps Deps) *Writer {
	t.Helper()
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	w, err := New(db, settings, deps)
	require.NoError(t, err)
	require.NoError(t, w.Start(context.Background()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_ = w.Stop(ctx) // a test for which the error matters has stopped it before
	})
	return w
}

// count runs a query for one number.
func count(t testing.TB, db *postgres.DB, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, db.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

func testOrigin() Request { return Request{EnvironmentID: 7, ReceivedAt: time.Now()} }

// body makes an envelope of events.
func body(events ...string) []byte {
	return []byte(`{"events":[` + strings.Join(events, ",") + `]}`)
}

func event(id, name, user, more string) string {
	return fmt.Sprintf(`{"eventId":%q,"name":%q,"appUserId":%q,"sessionId":"s"%s}`, id, name, user, more)
}

func TestWriterStoresAndDeduplicates(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	ctx := context.Background()
	answer, err := w.Product(ctx, body(
		event("a", "session_start", "u", `,"context":{"platform":"web","attribution":{"source":"google"}}`),
		event("a", "session_start", "u", ""), event(
			"b", "page_view", "u", `,"page":"/x","properties":{"n":1}`,
		), event("c", "", "u", "")), testOrigin())
	require.NoError(t, err)
	require.Equal(
		t,
		Answer{
			Accepted: true, Stored: 2, Duplicates: 1,
			Rejected: []Reject{{Index: 3, EventID: "c", Code: "name_required", Message: "name is required"}},
		},
		answer,
	)
	answer, err = w.Product(
		ctx, body(event("b", "page_view", "u", `,"page":"/x"`), event("d", "buy", "u", "")), testOrigin(),
	)
	require.NoError(t, err)
	require.Equal(t, Answer{Accepted: true, Stored: 1, Duplicates: 1, Rejected: []Reject{}}, answer)
	require.Equal(t, 3, count(t, db, `select count(*) from product_event`))
	require.Equal(
		t, 1,
		count(t, db, `select count(*) from product_events where properties = '{"n": 1}' and page = '/x' and name_id > 0`),
	)
	require.Equal(
		t, 1,
		count(
			t, db, `select count(*) from product_session where source = 'google' and platform = 'web' and cardinality(hits) = 3`,
		),
	)
	require.Equal(
		t, 1, count(t, db, `select count(*) from product_analytics_first_touch where source = 'google' and platform = 'web'`),
	)

	// The other paths have ledgers of their own.
	answer, err = w.Track(ctx, []byte(event("a", "signup", "u", "")), testOrigin())
	require.NoError(t, err)
	require.Equal(t, 1, answer.Stored)
	require.Equal(t, 1, count(t, db, `select count(*) from track_event where name = 'signup'`))
	require.NoError(t, w.Stop(ctx))
	require.Equal(t, 3, count(t, db, `select accepted from ingest_stat where path = 1`))
	require.Equal(t, 2, count(t, db, `select duplicates from ingest_stat where path = 1`))
	require.Equal(t, 1, count(t, db, `select (rejected->>'name_required')::int from ingest_stat where path = 1`))
}

func TestDuplicatesUnderConcurrentRetriesOnTwoServers(t *testing.T) {
	db := pgtest.New(t)
	servers := []*Writer{startWriter(t, db, Settings{}, Deps{}), startWriter(t, db, Settings{}, Deps{})}
	const retries, events = 16, 40
	var list []string
	for i := range events {
		list = append(list, event(uuid.NewString(), "buy", fmt.Sprintf("user-%d", i%7), ""))
	}
	var wg sync.WaitGroup
	var stored, duplicates atomic.Int64
	for i := range retries {
		wg.Go(func() {
			order := slices.Clone(list)
			if i%2 == 1 {
				slices.Reverse(order)
			}
			answer, err := servers[i%2].Product(context.Background(), body(order...), testOrigin())
			if err != nil {
				t.Error(err)
			}
			stored.Add(int64(answer.Stored))
			duplicates.Add(int64(answer.Duplicates))
		})
	}
	wg.Wait()
	require.EqualValues(t, events, stored.Load())
	require.EqualValues(t, events*(retries-1), duplicates.Load())
	require.Equal(t, events, count(t, db, `select count(*) from product_event`))
	require.Equal(t, events, count(t, db, `select sum(cardinality(hits)) from product_session`))
}

func TestDuplicatesAcrossARestart(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	for restart := range 3 {
		w := startWriter(t, db, Settings{}, Deps{})
		answer, err := w.Product(ctx, body(event("same", "buy", "u", "")), testOrigin())
		require.NoError(t, err)
		require.Equal(t, restart == 0, answer.Stored == 1)
		require.Equal(t, restart > 0, answer.Duplicates == 1)
		require.NoError(t, w.Stop(ctx))
	}
	require.Equal(t, 1, count(t, db, `select count(*) from product_event`))
}

func TestARefusedEventIsFoundAndNamed(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	_, err := db.Pool.Exec(ctx, `alter table product_event add constraint no_bad check (name <> 'bad')`)
	require.NoError(t, err)
	w := startWriter(t, db, Settings{}, Deps{})
	var list []string
	for i := range 30 {
		name := "good"
		if i == 7 || i == 22 {
			name = "bad"
		}
		list = append(list, event(fmt.Sprint("e", i), name, fmt.Sprint("user-", i%4), ""))
	}
	answer, err := w.Product(ctx, body(list...), testOrigin())
	require.NoError(t, err)
	require.Equal(t, Answer{Accepted: true, Stored: 28, Rejected: []Reject{
		{Index: 7, EventID: "e7", Code: "event_refused", Message: "the database can't store this event", name: "bad"},
		{Index: 22, EventID: "e22", Code: "event_refused", Message: "the database can't store this event", name: "bad"},
	}}, answer)
	require.Equal(t, 28, count(t, db, `select count(*) from product_event`))
	require.Equal(t, 28, count(t, db, `select count(*) from event_seen`), "a refused event may be sent again")
	require.Equal(t, 28, count(t, db, `select sum(cardinality(hits)) from product_session`))
}

// lockTable keeps everybody else away from a table until the returned function
// is called.
func lockTable(t *testing.T, db *postgres.DB, table string) (release func()) {
	t.Helper()
	tx, err := db.Pool.Begin(context.Background())
	require.NoError(t, err)
	_, err = tx.Exec(context.Background(), `lock table `+table+` in access exclusive mode`)
	require.NoError(t, err)
	return func() { require.NoError(t, tx.Rollback(context.Background())) }
}

func TestAFullQueueIsBusy(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{Writers: 1, QueueEvents: 3}, Deps{})
	release := lockTable(t, db, "event_seen")
	var wg sync.WaitGroup
	send := func(id string, n int) error {
		var list []string
		for i := range n {
			list = append(list, event(fmt.Sprint(id, i), "buy", "u", ""))
		}
		_, err := w.Product(context.Background(), body(list...), testOrigin())
		return err
	}
	wg.Go(func() {
		if err := send("being written", 5); err != nil { // more than the queue holds, but alone
			t.Error(err)
		}
	})
	require.Eventually(t, func() bool { return waitsForLock(t, db) && w.Queued() == 0 }, 10*time.Second, time.Millisecond)
	wg.Go(func() {
		if err := send("queued", 2); err != nil {
			t.Error(err)
		}
	})
	require.Eventually(t, func() bool { return w.Queued() == 2 }, 10*time.Second, time.Millisecond)
	require.ErrorIs(t, send("too many", 2), ErrBusy)
	release()
	wg.Wait()
	require.NoError(t, send("after", 2))
	require.Equal(t, 9, count(t, db, `select count(*) from product_event`))
}

func waitsForLock(t *testing.T, db *postgres.DB) bool {
	return count(
		t, db,
		`select count(*) from pg_locks l join pg_database d on d.oid = l.database
			where not l.granted and d.datname = current_database()`,
	) > 0
}

// Counts are written every so often; when that fails they are kept and the log
// says so.
func TestCountsAreWrittenEverySoOften(t *testing.T) {
	db := pgtest.New(t)
	var logged lockedBuffer
	w := startWriter(
		t, db, Settings{StatsEvery: time.Millisecond}, Deps{Logger: slog.New(slog.NewTextHandler(&logged, nil))},
	)
	send := func(id string) {
		t.Helper()
		_, err := w.Product(t.Context(), body(event(id, "buy", "u", "")), testOrigin())
		require.NoError(t, err)
	}
	send("a")
	written := func(n int) func() bool {
		return func() bool { return count(t, db, `select coalesce(sum(accepted), 0) from ingest_stat`) == n }
	}
	require.Eventually(t, written(1), 10*time.Second, time.Millisecond)
	_, err := db.Pool.Exec(t.Context(), `alter table ingest_stat rename to ingest_stat_away`)
	require.NoError(t, err)
	send("b")
	require.Eventually(t, func() bool {
		return logged.contains("kept until they can be written")
	}, 10*time.Second, time.Millisecond)
	_, err = db.Pool.Exec(t.Context(), `alter table ingest_stat_away rename to ingest_stat`)
	require.NoError(t, err)
	require.Eventually(t, written(2), 10*time.Second, time.Millisecond)
}

func TestAClientThatLeavesDoesNotLoseItsEvents(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{FlushDelay: time.Hour}, Deps{})
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan error, 1)
	go func() {
		_, err := w.Product(ctx, body(event("a", "buy", "u", "")), testOrigin())
		left <- err
	}()
	require.Eventually(t, func() bool { return w.Queued() == 1 }, 10*time.Second, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-left, context.Canceled)
	require.NoError(t, w.Stop(context.Background()))
	require.Equal(t, 1, count(t, db, `select count(*) from product_event`))
}

func TestDatabaseDownAndBack(t *testing.T) {
	server, db := pgtest.PrivateDB(t)
	ctx := context.Background()
	w := startWriter(t, db, Settings{}, Deps{})
	acknowledged := map[string]bool{}
	var failures int
	send := func(id string) error {
		answer, err := w.Product(ctx, body(event(id, "buy", "u", "")), testOrigin())
		if err == nil {
			require.Equal(t, 1, answer.Stored+answer.Duplicates)
			acknowledged[id] = true
		}
		return err
	}
	require.NoError(t, send("before"))
	// The kill leaves the port closed until the supervisor has restarted it.
	require.NoError(t, syscall.Kill(server.PID(), syscall.SIGKILL))
	for i := range 20 {
		if err := send(fmt.Sprint("during-", i)); err != nil {
			require.ErrorIs(t, err, ErrUnavailable)
			failures++
		}
	}
	require.Eventually(t, func() bool { return send("after") == nil }, 30*time.Second, 10*time.Millisecond)
	for i := range 20 { // the client retries all with the same ids
		require.NoError(t, send(fmt.Sprint("during-", i)))
	}
	require.Len(t, acknowledged, 22)
	require.Equal(t, 22, count(t, db, `select count(*) from product_event`))
	require.Equal(t, 22, count(t, db, `select cardinality(hits) from product_session`))
	t.Logf("%d of 20 requests failed while the database was away", failures)
}

func TestFlowEventsAreStoredRedacted(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	geo, err := OpenGeoFile(writeGeoFile(t, "81.2.69.0/24", london()))
	require.NoError(t, err)
	defer func() { require.NoError(t, geo.Close()) }()
	derive := func(channel int64, version [16]byte, at time.Time) (int64, bool) { return 31, channel == 5 }
	w := startWriter(t, db, Settings{}, Deps{Locator: geo, AssignmentVersion: derive})
	origin := testOrigin()
	origin.ChannelID = 5
	origin.ClientAddr = netip.MustParseAddr("81.2.69.142")
	origin.UserAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like " +
		"Gecko) Version/17.5 Mobile/15E148 Safari/604.1"
	head := `"timestamp":"` + time.Now().UTC().Format(time.RFC3339Nano) + `","flowId":"11111111-1111-4111-8111-111111111111","versionId":"22222222-2222-4222-8222-222222222222","identity":{"appUserId":"u"}`
	id := func(i int) string { return fmt.Sprintf(`"eventId":"0197aa00-0000-4000-8000-%012d"`, i) }
	answer, err := w.Flow(ctx, body(
		`{`+id(1)+`,`+head+`,"name":"flow_started","experimentId":"33333333-3333-4333-8333-333333333333","variantId":"b","assignmentVersion":4,"context":{"platform":"ios","os":"iPadOS","customProperties":{"tier":"gold"}}}`,
		`{`+id(2)+`,`+head+`,"name":"text_submitted","stepId":"s1","fieldClassification":"sensitive","properties":{"field_key":"mail","value":"secret@example.com"}}`,
		`{`+id(1)+`,`+head+`,"name":"flow_started"}`,
		`{`+id(3)+`,`+head+`,"name":"no_such_event"}`,
	), origin)
	require.NoError(t, err)
	require.Equal(t, []int{2, 1, 1}, []int{answer.Stored, answer.Duplicates, len(answer.Rejected)})
	require.Equal(t, 1, count(t, db, `select count(*) from flow_event
		where name = 'flow_started' and channel_id = 5 and flow_id = '11111111-1111-4111-8111-111111111111'
		and version_id = '22222222-2222-4222-8222-222222222222' and experiment_id = '33333333-3333-4333-8333-333333333333'
		and variant_id = 'b' and assignment_version = 4
		and platform = 'ios' and os = 'iPadOS' and device = 'mobile' and browser = 'Safari' and country = 'GB'
		and region = 'England' and city = 'London' and custom_properties = '{"tier": "gold"}'`))
	require.Equal(t, 1, count(t, db, `select count(*) from flow_event
		where name = 'text_submitted' and step_id = 's1' and field_classification = 'sensitive'
		and properties = '{"field_key": "mail", "value": "__redacted__"}' and experiment_id is null
		and assignment_version = 31`))
	require.Zero(
		t, count(t, db, `select count(*) from flow_event e where e::text like '%secret%' or e::text like '%81.2.69%'`),
	)
	require.Zero(t, count(t, db, `select count(*) from product_session`), "flow events are no hits")

	_, err = w.Flow(ctx, []byte(`{"events":[]}`), origin)
	requireEnvelope(t, err, CodeInvalidBatch)
	require.NoError(t, w.Stop(ctx))
	require.Equal(t, 1, count(t, db, `select (rejected->>'invalid_batch')::int from ingest_stat where path = 2`))
}

func TestCountsSurviveAFailedWrite(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{StatsEvery: time.Hour}, Deps{})
	ctx := context.Background()
	_, err := w.Product(ctx, body(event("a", "buy", "u", ""), `{"eventId":"x"}`), testOrigin())
	require.NoError(t, err)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorContains(t, w.stats.write(cancelled), "write ingest statistics")
	more := statCounts{ignored: 2, hitsOver: 1}
	w.stats.at(7, PathProduct).add(&more)
	_, err = w.Product(ctx, body(event("a", "buy", "u", ""), `{"eventId":"x"}`, `{"name":"x"}`), testOrigin())
	require.NoError(t, err)
	require.NoError(t, w.stats.write(ctx))
	_, err = w.Product(ctx, body(`{"eventId":"x"}`), testOrigin())
	require.NoError(t, err)
	require.NoError(t, w.Stop(ctx))
	require.Equal(t, 1, count(t, db, `select accepted from ingest_stat`))
	require.Equal(t, 1, count(t, db, `select duplicates from ingest_stat`))
	require.Equal(t, 2, count(t, db, `select ignored from ingest_stat`))
	require.Equal(t, 3, count(t, db, `select (rejected->>'name_required')::int from ingest_stat`))
	require.Equal(t, 1, count(t, db, `select (rejected->>'event_id_required')::int from ingest_stat`))
}
