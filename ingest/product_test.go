package ingest

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

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
