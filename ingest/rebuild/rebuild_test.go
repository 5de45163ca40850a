package rebuild

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const environmentID = 5

// startWriter takes events as the server does. Its sessions hold few hits, so
// that some go over the limit.
func startWriter(t *testing.T, db *postgres.DB) *ingest.Writer {
	t.Helper()
	writer, err := ingest.New(
		db, ingest.Settings{SessionHitLimit: hitLimit}, ingest.Deps{Logger: slog.New(slog.DiscardHandler)},
	)
	require.NoError(t, err)
	require.NoError(t, writer.Start(context.Background()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := writer.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return writer
}

const (
	hitLimit  = 12
	retention = 365 * 24 * time.Hour
)

// send stores a batch of made-up events of the last five days.
func send(t testing.TB, writer *ingest.Writer, random *rand.Rand, events int) {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	var list []map[string]any
	for range events {
		list = append(list, map[string]any{
			"eventId": uuid.NewString(), "name": pick("session_start", "page_view", "buy"), "screenName": pick("/", "/a"),
			"timestamp": time.Now().Add(-time.Duration(random.IntN(5*24*3600)) * time.Second).Format(time.RFC3339),
			"identity": map[string]any{
				"appUserId": fmt.Sprintf("v%d", random.IntN(40)), "sessionId": pick("s1", "s2", "s3"),
				"customUserId": pick("", "c1", "c2"),
			},
			"context": map[string]any{"platform": pick("", "web", "ios"), "device": pick("", "phone"),
				"attribution": map[string]any{
					"source": pick("", "google"), "campaign": pick("", "spring"), "landingUrl": pick("", "https://a.example/"),
					"organic": random.IntN(2) == 0,
				}},
		})
	}
	body, err := json.Marshal(map[string]any{"events": list})
	if err != nil {
		t.Error(err)
	}
	answer, err := writer.Product(
		context.Background(), body, ingest.Request{EnvironmentID: environmentID, ReceivedAt: time.Now()},
	)
	if err != nil || answer.Stored != events {
		t.Errorf("stored %+v: %v", answer, err)
	}
}

func rebuilt(t *testing.T, db *postgres.DB, dryRun bool) (Result, []Difference) {
	t.Helper()
	var differences []Difference
	summary, err := Run(context.Background(), db.Pool, Options{
		EnvironmentID: environmentID, HitLimit: hitLimit, Retention: retention, DryRun: dryRun, Now: time.Now(),
		Difference: func(d Difference) { differences = append(differences, d) },
	})
	require.NoError(t, err)
	require.EqualValues(t, len(differences), summary.Sessions.Wrong()+summary.FirstTouches.Wrong())
	return summary, differences
}

func exec(t *testing.T, db *postgres.DB, sql string, args ...any) {
	t.Helper()
	tag, err := db.Pool.Exec(context.Background(), sql, args...)
	require.NoError(t, err)
	require.Positive(t, tag.RowsAffected(), sql)
}

// damage runs a statement while writers wait, as a repair does: it takes rows in another order than they do, so that
// each could wait for the other.
func damage(t *testing.T, db *postgres.DB, sql string) {
	t.Helper()
	require.NoError(t, pgx.BeginFunc(context.Background(), db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(context.Background(), `lock table product_session in share row exclusive mode`); err != nil {
			return err
		}
		_, err := tx.Exec(context.Background(), sql)
		return err
	}))
}

func text(t *testing.T, db *postgres.DB, sql string, args ...any) (s string) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(context.Background(), sql, args...).Scan(&s))
	return s
}

// state returns everything that reports read; of sessions over the limit the hits are
// left out, because which are kept is a matter of arrival.
func state(t *testing.T, db *postgres.DB) string {
	t.Helper()
	return text(t, db, `
		select coalesce(jsonb_agg(to_jsonb(s) - '{changed_xid,home_day,hits}'::text[] || jsonb_build_object('hits', case
		when hits_over_limit = 0 then
			(select jsonb_agg(h order by h) from unnest(hits) h) end, 'kept', cardinality(hits))
			order by app_user_id, session_id), '[]')::text from product_session s`) +
		text(
			t, db,
			`select coalesce(jsonb_agg(to_jsonb(f) - 'changed_xid' order by app_user_id), '[]')::text
				from product_analytics_first_touch f`,
		)
}

func TestNothingDiffersUnlessSomethingBroke(t *testing.T) {
	db := pgtest.New(t)
	summary, _ := rebuilt(t, db, false)
	require.Zero(t, summary)
	writer := startWriter(t, db)
	random := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		send(t, writer, random, 250)
	}
	before := state(t, db)
	summary, differences := rebuilt(t, db, false)
	require.Empty(t, differences)
	require.EqualValues(t, 2000, summary.Events)
	require.EqualValues(t, 120, summary.Sessions.Compared)
	require.EqualValues(t, 40, summary.FirstTouches.Compared)
	require.Equal(t, before, state(t, db))
	require.Equal(t, "0", text(t, db, `select count(*)::text from frame_invalidated`))
	require.NotEqual(
		t, "0", text(t, db, `select count(*)::text from product_session where hits_over_limit > 0`),
		"the limit is tried, too",
	)
}

func TestWhatBrokeIsPutRight(t *testing.T) {
	for name, broken := range map[string]struct {
		sql  string
		want Difference // without Fields
	}{
		"a session is gone": {`delete from product_session where app_user_id = 'v1' and session_id = 's1'`,
			Difference{Table: sessionTable, Kind: Missing, AppUserID: "v1", SessionID: "s1"}},
		"a session is too many": {`insert into product_session (environment_id, app_user_id, session_id, started_at,
			last_at, home_day, changed_xid, hits) values (5, 'v1', 's9', now(), now(), now(), pg_current_xact_id(), '{1}')`,
			Difference{Table: sessionTable, Kind: Unexpected, AppUserID: "v1", SessionID: "s9"}},
		"a session of nobody": {`insert into product_session (environment_id, app_user_id, session_id, started_at, last_at,
			home_day, changed_xid, hits) values (5, 'nobody', 's1', now(), now(), now(), pg_current_xact_id(), '{1}')`,
			Difference{Table: sessionTable, Kind: Unexpected, AppUserID: "nobody", SessionID: "s1"}},
		"an attribute": {`update product_session set source = 'x' where app_user_id = 'v2' and session_id = 's2'`,
			Difference{Table: sessionTable, Kind: Different, AppUserID: "v2", SessionID: "s2"}},
		"a hit too many": {`update product_session set hits = hits || hits[1] where app_user_id = 'v3' and session_id = 's3'`,
			Difference{Table: sessionTable, Kind: Different, AppUserID: "v3", SessionID: "s3"}},
		"a lost raw event": {`delete from product_event
			where app_user_id = 'v4' and session_id = 's1' and occurred_at = (select max(occurred_at) from product_event
			where app_user_id = 'v4' and session_id = 's1')`,
			Difference{Table: sessionTable, Kind: Different, AppUserID: "v4", SessionID: "s1"}},
		"a first touch is gone": {`delete from product_analytics_first_touch where app_user_id = 'v5'`,
			Difference{Table: touchTable, Kind: Missing, AppUserID: "v5"}},
		"a first touch": {`update product_analytics_first_touch
			set campaign = 'x', first_seen_at = (first_seen_at at time zone 'UTC' + interval '1 hour') at time zone 'UTC'
			where app_user_id = 'v6'`,
			Difference{Table: touchTable, Kind: Different, AppUserID: "v6"}},
	} {
		t.Run(name, func(t *testing.T) {
			db := pgtest.New(t)
			writer := startWriter(t, db)
			random := rand.New(rand.NewPCG(3, 4))
			for range 4 {
				send(t, writer, random, 250)
			}
			before := state(t, db)
			exec(t, db, broken.sql)
			lost := name == "a lost raw event"
			if !lost {
				require.NotEqual(t, before, state(t, db))
			}
			damaged := state(t, db)
			_, differences := rebuilt(t, db, true)
			require.Equal(t, damaged, state(t, db), "a dry run changes nothing")
			var found []Difference
			for _, d := range differences {
				if d.Table == broken.want.Table {
					require.Equal(t, d.Kind == Different, len(d.Fields) > 0)
					d.Fields = nil
					found = append(found, d)
				}
			}
			require.Equal(t, []Difference{broken.want}, found)
			_, again := rebuilt(t, db, false)
			require.Equal(t, differences, again)
			if !lost {
				require.Equal(t, before, state(t, db))
			}
			if broken.want.Table == sessionTable && broken.want.Kind != Missing {
				require.NotEqual(t, "0", text(t, db, `select count(*)::text from frame_invalidated where environment_id = 5`))
			}
			_, none := rebuilt(t, db, false)
			require.Empty(t, none)
		})
	}
}

// A session beyond its limit holds the hits that came first, here the latest ones, also after a rebuild.
func TestTheFirstHitsOfALongSessionAreKept(t *testing.T) {
	db := pgtest.New(t)
	writer := startWriter(t, db)
	now := time.Now()
	for i := range hitLimit + 5 {
		at := now.Add(-time.Duration(i) * time.Minute).Format(time.RFC3339)
		body := fmt.Sprintf(
			`{"events":[{"eventId":%q,"name":"buy","appUserId":"v","sessionId":"s","timestamp":%q}]}`, uuid.NewString(), at,
		)
		_, err := writer.Product(
			t.Context(), []byte(body),
			ingest.Request{EnvironmentID: environmentID, ReceivedAt: now.Add(time.Duration(i) * time.Second)},
		)
		require.NoError(t, err)
	}
	const kept = `select string_agg(hit::text, ' ' order by hit) from product_session, unnest(hits) as hit`
	before := text(t, db, kept)
	exec(t, db, `delete from product_session`)
	rebuilt(t, db, false)
	require.Equal(t, before, text(t, db, kept))
	require.Equal(t, "5", text(t, db, `select hits_over_limit::text from product_session`))
}

// What expired is no difference: sessions that began before the oldest raw event,
// first touches from before it, and sessions past their retention whose month of
// raw events is still there.
func TestWhatRawEventsCantTellIsLeftAlone(t *testing.T) {
	db := pgtest.New(t)
	writer := startWriter(t, db)
	random := rand.New(rand.NewPCG(5, 6))
	for range 4 {
		send(t, writer, random, 250)
	}
	exec(t, db, `delete from product_event where occurred_at < now() - interval '3 days'`)
	exec(t, db, `delete from product_event where app_user_id = 'v7'`)
	exec(
		t, db,
		`update product_analytics_first_touch set first_seen_at = now() - interval '2 years', source = 'kept'
			where app_user_id = 'v8'`,
	)
	touches := func() string {
		return text(t, db, `select jsonb_agg(to_jsonb(f) - 'changed_xid' order by app_user_id)::text
			from product_analytics_first_touch f
			where first_seen_at < (select min(occurred_at) from product_event) or app_user_id in ('v7', 'v8')`)
	}
	before := touches()
	summary, differences := rebuilt(t, db, false)
	require.Equal(t, before, touches())
	for _, d := range differences {
		require.Equal(t, sessionTable, d.Table)
		require.Equal(t, "v7", d.AppUserID, "the erased events of one person are the only thing that is missing")
	}
	require.Positive(t, summary.Sessions.Compared)

	exec(
		t, db,
		`update product_session set last_at = now() - interval '2 years', started_at = now() - interval '2 years'
			where app_user_id = 'v9'`,
	)
	_, differences = rebuilt(t, db, false)
	require.Empty(t, differences, "sessions whose retention is over belong to the sweep")
}

func TestFirstSeenNeverMovesLater(t *testing.T) {
	db := pgtest.New(t)
	writer := startWriter(t, db)
	send(t, writer, rand.New(rand.NewPCG(7, 8)), 400)
	exec(
		t, db,
		`delete from product_event e where app_user_id = 'v3' and occurred_at = (select min(occurred_at) from product_event
			where app_user_id = 'v3')`,
	)
	firstSeen := func() string {
		return text(t, db, `select first_seen_at::text from product_analytics_first_touch where app_user_id = 'v3'`)
	}
	before := firstSeen()
	summary, _ := rebuilt(t, db, false)
	require.Positive(t, summary.Sessions.Different)
	require.Equal(t, before, firstSeen())
}

// Events that arrive while everything is put right are neither lost nor counted
// twice.
func TestEventsArriveMeanwhile(t *testing.T) {
	db := pgtest.New(t)
	writer := startWriter(t, db)
	random := rand.New(rand.NewPCG(9, 10))
	for range 4 {
		send(t, writer, random, 250)
	}
	var wait sync.WaitGroup
	stop := make(chan struct{})
	for worker := range 3 {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(11, uint64(worker)))
			for {
				select {
				case <-stop:
					return
				default:
					send(t, writer, random, 20)
				}
			}
		})
	}
	for round := range 5 { // three of ten rows, each time others: what is random can't be told to the nodes of a cluster
		damage(t, db, fmt.Sprintf(
			`delete from product_session where abs(hashtextextended(app_user_id || session_id, %d) %% 10) < 3`, round))
		damage(t, db, fmt.Sprintf(`update product_analytics_first_touch set source = 'broken'
			where abs(hashtextextended(app_user_id, %d) %% 10) < 3`, round))
		rebuilt(t, db, false)
	}
	close(stop)
	wait.Wait()
	_, differences := rebuilt(t, db, false)
	require.Empty(t, differences)
	require.Equal(
		t, text(t, db, `select count(*)::text from product_event`),
		text(t, db, `select sum(cardinality(hits) + hits_over_limit)::text from product_session`),
	)
}

// An event that is older than all others may arrive between the snapshot and the repair: the session that it belongs to
// is still put right.
func TestTheOldestEventArrivesMeanwhile(t *testing.T) {
	db := pgtest.New(t)
	writer := startWriter(t, db)
	event := func(ago time.Duration) {
		body, err := json.Marshal(map[string]any{"events": []any{map[string]any{
			"eventId": uuid.NewString(), "name": "page_view", "screenName": "/",
			"timestamp": time.Now().Add(-ago).Format(time.RFC3339),
			"identity":  map[string]any{"appUserId": "v1", "sessionId": "s1"},
		}}})
		require.NoError(t, err)
		answer, err := writer.Product(
			t.Context(), body, ingest.Request{EnvironmentID: environmentID, ReceivedAt: time.Now()},
		)
		require.NoError(t, err)
		require.Equal(t, 1, answer.Stored)
	}
	event(2 * time.Hour)
	event(time.Hour)
	exec(t, db, `delete from product_session`)
	arrive := sync.OnceFunc(func() { event(3 * time.Hour) })
	summary, err := Run(t.Context(), db.Pool, Options{
		EnvironmentID: environmentID, HitLimit: hitLimit, Retention: retention, Now: time.Now(),
		Difference: func(Difference) { arrive() }, // it is told before anything is put right
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, summary.Sessions.Missing)
	_, differences := rebuilt(t, db, true)
	require.Empty(t, differences)
	require.Equal(t, "3", text(t, db, `select cardinality(hits)::text from product_session`))
}
