package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
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
