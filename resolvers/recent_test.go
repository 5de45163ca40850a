package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestRecentEventsPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	var events []event
	for i := range 7 {
		events = append(events, event{visitor: "v", session: "s", name: "buy", at: at.Add(time.Duration(i/3) * time.Second)})
	}
	w.ingest(app, events...)
	seen, after := map[any]bool{}, any(nil)
	for range 4 {
		got := w.as("viewer").must(`query($a: ID!, $c: String) { app(id: $a) { recentEvents(name: "buy", first: 2, after:
			$c) { nodes { eventId occurredAt } pageInfo { hasNextPage endCursor } } } }`,
			vars{"a": app, "c": after})
		for _, node := range got.at(t, "app", "recentEvents", "nodes").([]any) {
			seen[node.(map[string]any)["eventId"]] = true
		}
		after = got.at(t, "app", "recentEvents", "pageInfo", "endCursor")
		require.Equal(t, len(seen) < 7, got.at(t, "app", "recentEvents", "pageInfo", "hasNextPage"))
	}
	require.Len(t, seen, 7)
}

// An audience's events are found however deep they lie under those of others.
func TestRecentEventsOfAnAudience(t *testing.T) {
	w := newWorld(t)
	app := w.app("Shop")
	environment := w.environment(app)
	ctx, at := context.Background(), time.Now().UTC().Add(-3*24*time.Hour).Truncate(time.Second)
	w.ingest(app,
		event{visitor: "rare", session: "s", name: "page_view", page: "/1", at: at},
		event{visitor: "rare", session: "s", name: "page_view", page: "/2", at: at.Add(time.Second)},
		event{visitor: "rare", session: "s", name: "buy", at: at.Add(2 * time.Second)})
	for _, sql := range []string{
		`insert into product_event (environment_id, occurred_at, event_key, received_at, name, app_user_id, session_id, page)
		select $1, $2::timestamptz + make_interval(secs => 10 + n), md5(n::text)::uuid, now(), 'page_view',
		'other-' || n % 60000, 's', '/' from generate_series(1, 200000) n`,
		`insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at, session_rank,
			session_started_at, session_id, changed_xid)
		select $1, 'other-' || n, $2, 1, $2, 's', pg_current_xact_id() from generate_series(0, 59999) n`,
	} {
		_, err := w.db.Pool.Exec(ctx, sql, environment, at)
		require.NoError(t, err)
	}
	_, err := w.db.Pool.Exec(ctx, `analyze product_event`)
	require.NoError(t, err)
	// The audience is those of whom ids were imported: the one, with some others of a number, of whom each has three
	// or four of the events above.
	for _, others := range []int{0, 1500, 55_000} {
		segment := w.as("editor").text(
			`mutation($a: ID!, $n: String!) { createSegment(input: {appId: $a, name: $n}) { id } }`,
			vars{"a": app, "n": fmt.Sprint(others)}, "createSegment", "id",
		)
		_, err := w.db.Pool.Exec(ctx, `insert into segment_members (segment_id, kind, value)
			select $1::uuid, 'app_user', 'other-' || n from generate_series(1, $2::int) n union all
			select $1::uuid, 'app_user', 'rare'`, segment, others)
		require.NoError(t, err)
		ask := func(name string, first int, after any) answer {
			return w.as("viewer").must(`query($a: ID!, $s: ID!, $e: String!, $n: Int!, $c: String) { app(id: $a) {
				recentEvents(name: $e, segmentId: $s, first: $n, after: $c) {
				nodes { appUserId page } pageInfo { hasNextPage
				endCursor } } } }`, vars{"a": app, "s": segment, "e": name, "n": first, "c": after})
		}
		nodes := func(got answer) []any { return got.at(t, "app", "recentEvents", "nodes").([]any) }
		if others == 0 {
			got := ask("page_view", 1, nil)
			require.Equal(t, []any{map[string]any{"appUserId": "rare", "page": "/2"}}, nodes(got))
			require.Equal(t, true, got.at(t, "app", "recentEvents", "pageInfo", "hasNextPage"))
			got = ask("page_view", 1, got.at(t, "app", "recentEvents", "pageInfo", "endCursor"))
			require.Equal(t, []any{map[string]any{"appUserId": "rare", "page": "/1"}}, nodes(got))
			require.Equal(t, false, got.at(t, "app", "recentEvents", "pageInfo", "hasNextPage"))
			continue
		}
		require.Equal(t, []any{map[string]any{"appUserId": "rare", "page": ""}}, nodes(ask("buy", 10, nil)))
		got := ask("page_view", 200, nil)
		require.Len(t, nodes(got), 200)
		for _, node := range nodes(got) {
			var n int
			_, err := fmt.Sscanf(node.(map[string]any)["appUserId"].(string), "other-%d", &n)
			require.NoError(t, err)
			require.True(t, n >= 1 && n <= others, n)
		}
		require.Equal(t, true, got.at(t, "app", "recentEvents", "pageInfo", "hasNextPage"))
	}
}

func TestRecentEventsShowWhatIsKept(t *testing.T) {
	w := newWorld(t)
	app := w.app("Shop")
	sent := time.Now().Add(-2 * time.Hour).UTC()
	body := `{"sentAt":"` + sent.Format(time.RFC3339) + `","events":[{"eventId":"1","name":"buy","appUserId":"u","timestamp":"` + sent.Add(-time.Minute).Format(time.RFC3339) + `",
		"context":{"customProperties":{"tier":"gold"},"attribution":{"source":"google","organic":false,"link.entry":"promo","attribution.confidence":0.5}}},{"eventId":"2","name":"sell","appUserId":"u"}]}`
	_, err := w.writer.Product(
		context.Background(), []byte(body), ingest.Request{EnvironmentID: w.environment(app), ReceivedAt: time.Now()},
	)
	require.NoError(t, err)
	require.NoError(t, w.writer.Stop(context.Background()), "writes the counts")
	got := w.as("viewer").must(`query($a: ID!) { app(id: $a) { buy: recentEvents(name: "buy") { nodes { occurredAt
		attribution customProperties } } sell: recentEvents(name: "sell") { nodes { attribution customProperties } }
		ingestHealth { accepted correctedTimes } } }`, vars{"a": app})
	node := func(path ...any) any { return got.at(t, append([]any{"app", "buy", "nodes", 0}, path...)...) }
	require.Equal(t, map[string]any{"tier": "gold"}, node("customProperties"))
	require.Equal(
		t,
		map[string]any{
			"acquisition.source": "google", "attribution.isOrganic": false, "link.entry": "promo",
			"attribution.confidence": json.Number("0.5"),
		},
		node("attribution"),
	)
	occurred, err := time.Parse(time.RFC3339Nano, node("occurredAt").(string))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(-time.Minute), occurred, 40*time.Second, "the clock was two hours late")
	require.Equal(t, map[string]any{"attribution": nil, "customProperties": nil}, got.at(t, "app", "sell", "nodes", 0))
	require.Equal(t, json.Number("2"), got.at(t, "app", "ingestHealth", "correctedTimes"))
}

// A platform chooses sessions: an event that says another, or none, belongs to its session's.
func TestRecentEventsOfAPlatform(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	w.ingest(app,
		event{visitor: "v", session: "s", name: "open", platform: "ios", at: at},
		event{visitor: "v", session: "s", name: "buy", platform: "web", at: at.Add(time.Second)},
		event{visitor: "v", session: "t", name: "buy", platform: "android", at: at.Add(2 * time.Second)},
	)
	for platform, want := range map[string][]any{"IOS": {"s"}, "ANDROID": {"t"}, "MOBILE": {"t", "s"}, "WEB": nil} {
		got := w.as("viewer").must(
			`query($a: ID!, $p: Platform) { app(id: $a) { recentEvents(name: "buy", platform: $p) { nodes { sessionId } } } }`,
			vars{"a": app, "p": platform},
		)
		var sessions []any
		for _, node := range got.at(t, "app", "recentEvents", "nodes").([]any) {
			sessions = append(sessions, node.(map[string]any)["sessionId"])
		}
		require.Equal(t, want, sessions, platform)
	}
}

// storeEvents stores events of a visitor as SQL says them: a time, a name, a density and a number of each, n.
func storeEvents(t *testing.T, w *world, app, from string, args ...any) {
	t.Helper()
	density, err := w.db.HasDensity(t.Context())
	require.NoError(t, err)
	_, err = w.db.Pool.Exec(t.Context(), `
		insert into product_event (environment_id, occurred_at, event_key, received_at, name, app_user_id, session_id,
			density)
		select $1, at, md5(n::text)::uuid, now(), name, 'visitor-' || n % 3000, 's', case when $2 then density end
		from (`+from+`) as events (n, at, name, density)`, append([]any{w.environment(app), density}, args...)...)
	require.NoError(t, err)
	_, err = w.db.Pool.Exec(t.Context(), `analyze product_event`)
	require.NoError(t, err)
}

const recentPage = `query($a: ID!, $e: String!, $n: Int!, $c: String, $r: RangeInput, $s: ID) { app(id: $a) {
	recentEvents(name: $e, first: $n, after: $c, range: $r, segmentId: $s) {
	nodes { eventId } pageInfo { hasNextPage endCursor } } } }`

// Pages have all events once, in their order, whatever the times and the densities are.
func TestRecentEventsAreThoseOfANaiveList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, random := w.app("Shop"), rand.New(rand.NewPCG(7, 8))
	start := time.Now().Add(-2 * time.Hour).UTC().Truncate(time.Hour)
	storeEvents(t, w, app, `
		select n, $3::timestamptz + interval '1 ms' * case n % 3
			when 0 then hash % 1000000 when 1 then hash % 400 when 2 then 60000 + hash % 3 end,
			case when hash % 10 < 8 then 'page_view' else 'buy' end,
			case hash / 16 % 3 when 0 then null else hash / 16 % 3 end
		from (select n, abs(hashint4(n)::bigint) as hash from generate_series(1, 4000) n) numbers`, start)
	// Of an audience that is read by time.
	segment := w.as("editor").text(`mutation($a: ID!) { createSegment(input: {appId: $a, name: "Many"}) { id } }`,
		vars{"a": app}, "createSegment", "id")
	for _, sql := range []string{
		`insert into segment_members (segment_id, kind, value)
		select $2::uuid, 'app_user', 'visitor-' || n from generate_series(1, 1500) n where $1::bigint > 0`,
		`insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at, session_rank,
			session_started_at, session_id, changed_xid)
		select $1, 'visitor-' || n, now(), 1, now(), 's', pg_current_xact_id() from generate_series(1, 2999) n
		where $2::uuid is not null`,
	} {
		_, err := w.db.Pool.Exec(t.Context(), sql, w.environment(app), segment)
		require.NoError(t, err)
	}
	for range 12 {
		name, first := []string{"page_view", "buy"}[random.IntN(2)], 1+random.IntN(200)
		from := start.Add(time.Duration(random.IntN(120)) * time.Second)
		until := from.Add(time.Duration(1+random.IntN(1200)) * time.Second)
		of, people := any(nil), ""
		if random.IntN(3) == 0 {
			of, people = segment, ` and substr(app_user_id, 9)::int between 1 and 1500`
		}
		rows, err := w.db.Pool.Query(t.Context(), `select event_id from product_events
			where name = $1 and occurred_at >= $2 and occurred_at < $3`+people+`
			order by occurred_at desc, event_key desc`, name, from, until)
		require.NoError(t, err)
		want, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		var got []string
		for after, more := any(nil), true; more; {
			page := w.as("viewer").must(recentPage, vars{
				"a": app, "e": name, "n": first, "c": after, "r": vars{"start": from, "end": until}, "s": of,
			})
			nodes := page.at(t, "app", "recentEvents", "nodes").([]any)
			for _, node := range nodes {
				got = append(got, node.(map[string]any)["eventId"].(string))
			}
			more = page.at(t, "app", "recentEvents", "pageInfo", "hasNextPage").(bool)
			after = page.at(t, "app", "recentEvents", "pageInfo", "endCursor")
			require.True(t, !more || len(nodes) == first)
		}
		require.Equal(t, want, got, "%s from %s until %s by %d of %v", name, from, until, first, of)
	}
}

// A page reads about as many events as it has, however many came in its five minutes.
func TestRecentEventsReadLittleOfDenseMoments(t *testing.T) {
	w := newWorld(t)
	if pgtest.Capabilities(t).Citus != "" {
		t.Skip("the nodes count what they read")
	}
	app := w.app("Shop")
	start := time.Now().Add(-time.Hour).UTC().Truncate(5 * time.Minute)
	// 100,000 events in five minutes, and as many in one millisecond after them, with the densities of a server that
	// counted them.
	moments := `select n, $3::timestamptz + interval '3 ms' * least(n, 100000),
		case when n % 50 = 1 then 'buy' else 'page_view' end,
		case when n > 100000 + $4 then 2 when n > $5 then 1 end from generate_series(1, 200000) n`
	hypertable := pgtest.Capabilities(t).TimescaleDB != ""
	if hypertable {
		moments = strings.Replace(moments, "200000", "100000", 1) // those of one time are all read
	}
	storeEvents(t, w, app, moments, start, postgres.TenthEvents, postgres.SparseEvents)
	read := func() (rows int64) {
		w.db.Pool.Reset() // connections tell what they read when they are closed
		require.NoError(t, w.db.Pool.QueryRow(t.Context(), `
			select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::bigint from pg_stat_all_tables
			where relname like 'product\_event\_2%' or relname like '\_hyper%chunk'`).Scan(&rows))
		return rows
	}
	for _, name := range []string{"page_view", "buy"} {
		after := any(nil)
		// At a time of many, behind it, and deep.
		for _, between := range []vars{
			nil, nil, {"start": start, "end": start.Add(299 * time.Second)}, {"start": start, "end": start.Add(time.Minute)},
		} {
			if between != nil {
				after = nil
			}
			before := read()
			page := w.as("viewer").must(recentPage, vars{"a": app, "e": name, "n": 50, "c": after, "r": between})
			require.Len(t, page.at(t, "app", "recentEvents", "nodes"), 50)
			after = page.at(t, "app", "recentEvents", "pageInfo", "endCursor")
			var rows int64
			require.Eventually(t, func() bool { rows = read() - before; return rows >= 50 }, 10*time.Second, 10*time.Millisecond)
			require.Less(t, rows, int64(postgres.SparseEvents+postgres.TenthEvents+4_000), "%s of %v", name, between)
		}
	}
	if hypertable {
		return // which have no names in the index of time
	}
	// A common name that has none is not looked for in the rows of others, but for the sparse ones.
	before := read()
	page := w.as("viewer").must(recentPage, vars{"a": app, "e": "session_start", "n": 50, "c": nil, "r": nil})
	require.Empty(t, page.at(t, "app", "recentEvents", "nodes"))
	var rows int64
	require.Eventually(t, func() bool { rows = read() - before; return rows > 0 }, 10*time.Second, 10*time.Millisecond)
	require.LessOrEqual(t, rows, int64(postgres.SparseEvents+100))
}
