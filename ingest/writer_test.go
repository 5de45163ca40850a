package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
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

func TestStopDrainsTheQueue(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{FlushDelay: time.Hour}, Deps{})
	const requests = 20
	var wg sync.WaitGroup
	for i := range requests {
		wg.Go(func() {
			answer, err := w.Product(
				context.Background(), body(event(fmt.Sprint(i), "buy", fmt.Sprint("u", i), "")), testOrigin(),
			)
			if err != nil || answer.Stored != 1 {
				t.Error(answer, err)
			}
		})
	}
	require.Eventually(t, func() bool { return w.Queued() == requests }, 10*time.Second, time.Millisecond)
	require.Zero(t, count(t, db, `select count(*) from product_event`))
	require.NoError(t, w.Stop(context.Background()))
	wg.Wait()
	require.Equal(t, requests, count(t, db, `select count(*) from product_event`))
	_, err := w.Product(context.Background(), body(event("late", "buy", "u", "")), testOrigin())
	require.ErrorIs(t, err, ErrUnavailable)
	require.NoError(t, w.Stop(context.Background()), "stopping twice is harmless")
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

func TestStopGivesUpWhenItsTimeIsOver(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{Writers: 1}, Deps{})
	release := lockTable(t, db, "event_seen")
	failed := make(chan error, 1)
	go func() {
		_, err := w.Product(context.Background(), body(event("a", "buy", "u", "")), testOrigin())
		failed <- err
	}()
	require.Eventually(t, func() bool { return waitsForLock(t, db) }, 10*time.Second, time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, w.Stop(ctx), "stopped before the queue was empty")
	require.ErrorIs(t, <-failed, ErrUnavailable)
	release()
	require.Zero(t, count(t, db, `select count(*) from product_event`))
}

// The counts are written whatever becomes of the queue.
func TestStopWritesTheCountsThoughTheQueueIsGivenUp(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{Writers: 1, StatsEvery: time.Hour}, Deps{})
	_, err := w.Product(t.Context(), body(event("a", "buy", "u", ""), event("b", "buy", "u", "")), testOrigin())
	require.NoError(t, err)
	release := lockTable(t, db, "event_seen")
	defer release()
	failed := make(chan error, 1)
	go func() {
		_, err := w.Product(context.Background(), body(event("c", "buy", "u", "")), testOrigin())
		failed <- err
	}()
	require.Eventually(t, func() bool { return waitsForLock(t, db) }, 10*time.Second, time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, w.Stop(ctx), "stopped before the queue was empty")
	require.ErrorIs(t, <-failed, ErrUnavailable)
	require.Equal(t, 2, count(t, db, `select sum(accepted) from ingest_stat`))
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

// lockedBuffer is a log that a test reads while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) contains(part string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Contains(b.text.String(), part)
}

// Stop says of counts that it can't write, and of nothing else, that they are
// lost, and does not wait for them longer than a write may take.
func TestStopSaysThatCountsCanNotBeWritten(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{StatsEvery: time.Millisecond, StatsTimeout: 2 * time.Second}, Deps{})
	release := lockTable(t, db, "ingest_stat")
	_, err := w.Product(t.Context(), body(event("a", "buy", "u", "")), testOrigin())
	require.NoError(t, err)
	require.Eventually(t, func() bool { return waitsForLock(t, db) }, 10*time.Second, time.Millisecond)
	err = w.Stop(t.Context())
	require.ErrorContains(t, err, "write ingest statistics")
	require.NotContains(t, err.Error(), "queue")
	release()
	require.NoError(t, w.Stop(t.Context()), "they are kept")
	require.Equal(t, 1, count(t, db, `select sum(accepted) from ingest_stat`))
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

func TestEnrichmentOfProductEvents(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{Locator: GeoHeaders{Country: "CF-IPCountry"}})
	origin := testOrigin()
	origin.Header = http.Header{"Cf-Ipcountry": {"de"}}
	origin.ClientAddr = netip.MustParseAddr("203.0.113.77")
	origin.UserAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"
	_, err := w.Product(context.Background(), body(
		event(
			"a", "page_view", "u",
			`,"page":"/","context":{"browser":"Own","attribution":{"attribution.isOrganic":true,"acquisition.source":"s"}}`,
		)), origin)
	require.NoError(t, err)
	require.Equal(
		t, 1,
		count(
			t, db,
			`select count(*) from product_event
				where country = 'DE' and browser = 'Own' and os = 'Linux' and device = 'desktop' and organic and source = 's'
				and latitude is null`,
		),
	)
	require.Equal(
		t, 1,
		count(
			t, db,
			`select count(*) from product_session
				where country = 'DE' and browser = 'Own' and os = 'Linux' and device = 'desktop' and organic and source = 's'`,
		),
	)
	require.Zero(t, count(t, db, `select count(*) from product_event e where e::text like '%203.0.113%'`))
}

func TestPositionsAreStored(t *testing.T) {
	db := pgtest.New(t)
	geo, err := OpenGeoFile(writeGeoFile(t, "81.2.69.0/24", london()))
	require.NoError(t, err)
	defer func() { require.NoError(t, geo.Close()) }()
	w := startWriter(t, db, Settings{}, Deps{Locator: geo})
	origin := testOrigin()
	origin.ClientAddr = netip.MustParseAddr("81.2.69.142")
	_, err = w.Product(context.Background(), body(event("a", "buy", "u", "")), origin)
	require.NoError(t, err)
	for _, table := range []string{"product_event", "product_session"} {
		require.Equal(
			t, 1,
			count(t, db, `select count(*) from `+table+` where city = 'London' and latitude = 51.5 and longitude = -0.125`),
			table,
		)
	}
}

func TestAWinningSessionThatFallsBehind(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	send := func(id, name, session string, minutesAgo int, attribution string) {
		t.Helper()
		at := time.Now().UTC().Truncate(time.Hour).Add(-time.Duration(minutesAgo) * time.Minute).Format(time.RFC3339)
		_, err := w.Product(
			context.Background(),
			body(
				fmt.Sprintf(
					`{"eventId":%q,"name":%q,"appUserId":"u","sessionId":%q,"timestamp":%q,"customUserId":%q,"context":{"attribution":%s}}`,
					id, name, session, at, "c-"+id, attribution,
				),
			),
			testOrigin(),
		)
		require.NoError(t, err)
	}
	winner := func(session, source string) {
		t.Helper()
		require.Equal(
			t, 1,
			count(
				t, db, `select count(*) from product_analytics_first_touch where session_id = $1 and source = $2`, session, source,
			),
		)
	}
	send("1", "buy", "first", 50, `{"source":"early"}`)
	send("2", "buy", "second", 30, `{"source":"late"}`)
	send("3", "buy", "third", 40, `{}`)
	winner("first", "early")
	// The late session_start has a snapshot that is taken whole: it has no
	// source, so the session no longer wins.
	send("4", "session_start", "first", 45, `{"medium":"cpc"}`)
	winner("second", "late")
	// And when no session has any, the earliest wins.
	send("5", "session_start", "second", 35, `{"medium":"cpc"}`)
	winner("first", "")
	require.Equal(
		t, 1,
		count(
			t, db,
			`select count(*) from product_analytics_first_touch
				where custom_user_id = 'c-2' and first_seen_at = (select min(started_at) from product_session)`,
		),
	)
}

func TestCrawlersAreCountedAndNotStored(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	const crawler, automated = "Mozilla/5.0 (compatible; GPTBot/1.2)", "Mozilla/5.0 (X11; Linux x86_64) " +
		"HeadlessChrome/126.0.0.0"
	for i, tt := range []struct {
		agent   string
		test    bool
		keep    bool
		ignored int
	}{
		{crawler, false, false, 2}, {crawler, true, false, 2}, {crawler, false, true, 0},
		{automated, false, false, 2}, {automated, true, false, 0}, {"curl/8.5.0", false, false, 0}, {"", false, false, 0},
	} {
		origin := testOrigin()
		origin.UserAgent, origin.Test, origin.KeepCrawlers = tt.agent, tt.test, tt.keep
		answer, err := w.Product(
			context.Background(),
			body(event(fmt.Sprint("a", i), "buy", "u", ""), event(fmt.Sprint("b", i), "buy", "u", ""), `{}`), origin,
		)
		require.NoError(t, err)
		require.Equal(t, tt.ignored, answer.Ignored, tt.agent)
		require.Equal(t, 2-tt.ignored, answer.Stored, tt.agent)
		require.Len(t, answer.Rejected, 1)
	}
	require.NoError(t, w.Stop(context.Background()))
	require.Equal(t, 6, count(t, db, `select ignored from ingest_stat`))
	require.Equal(t, 8, count(t, db, `select count(*) from product_event`))
	require.Equal(t, 7, count(t, db, `select (rejected->>'event_id_required')::int from ingest_stat`))
}

func TestHitsOverTheLimitOfASession(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{SessionHitLimit: 5}, Deps{})
	n := 0
	for _, size := range []int{3, 3, 2, 7} {
		var list []string
		for range size {
			n++
			at := time.Now().Add(-time.Duration(n) * time.Minute).UTC().Format(time.RFC3339)
			list = append(list, event(fmt.Sprint(100-n), fmt.Sprint("e", n), "u", fmt.Sprintf(`,"timestamp":%q`, at)))
		}
		answer, err := w.Product(context.Background(), body(list...), testOrigin())
		require.NoError(t, err)
		require.Equal(t, size, answer.Stored)
	}
	require.NoError(t, w.Stop(context.Background()))
	require.Equal(t, 15, count(t, db, `select count(*) from product_event`))
	require.Equal(t, 5, count(t, db, `select cardinality(hits) from product_session`))
	require.Equal(t, 10, count(t, db, `select hits_over_limit from product_session`))
	require.Equal(t, 10, count(t, db, `select session_hits_over_limit from ingest_stat`))
	// Each event is earlier than the one before it, and its key is as may be.
	require.Equal(t, "e1 e2 e3 e4 e5", keptNames(t, db))
}

// keptNames returns the names of the hits that the only session keeps.
func keptNames(t *testing.T, db *postgres.DB) (list string) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(context.Background(), `
		select string_agg(n.text, ' ' order by place)
		from product_session s cross join unnest(s.hits) with ordinality as h (hit, place)
		join event_name n on n.environment_id = s.environment_id and n.id = hit & 4194303`).Scan(&list))
	return list
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
