package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/pgtest"
)

func TestSweepRemovesExpiredLedgerRows(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	day := &clock{at: time.Now()}
	w := startWriter(t, db, Settings{}, Deps{Now: day.now})
	_, err := db.Pool.Exec(ctx, `
		insert into event_seen select 1, 1, md5(i::text)::uuid, $1::timestamptz - interval '8 days' - interval '1 minute' from generate_series(1, 12001) i
		union all select 1, 2, md5(i::text)::uuid, $1::timestamptz - interval '8 days' + interval '1 minute' from generate_series(1, 10) i`, day.now())
	require.NoError(t, err)
	require.NoError(t, w.Sweep(ctx))
	require.Equal(t, 10, count(t, db, `select count(*) from event_seen`))
	day.add(2 * time.Minute)
	require.NoError(t, w.Sweep(ctx))
	require.Zero(t, count(t, db, `select count(*) from event_seen`))
}

func TestSweepRemovesExpiredSessionsAndKeepsFirstTouches(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	start := time.Now().UTC()
	day := &clock{at: start}
	w := startWriter(t, db, Settings{Retention: 10 * 24 * time.Hour}, Deps{Now: day.now})
	send := func(environment int64, id, session string, at time.Time) {
		t.Helper()
		origin := Origin{EnvironmentID: environment, ReceivedAt: at}
		answer, err := w.Product(ctx, body(fmt.Sprintf(`{"eventId":%q,"name":"buy","appUserId":"u","sessionId":%q,"context":{"attribution":{"source":%q}}}`, id, session, session)), origin)
		require.NoError(t, err)
		require.Equal(t, 1, answer.Stored)
	}
	send(1, "a", "old", start)
	send(1, "b", "new", start.Add(5*24*time.Hour))
	send(2, "c", "old", start.Add(time.Minute))
	send(-3, "d", "running", start)
	send(-3, "e", "running", start.Add(5*24*time.Hour))

	day.add(10*24*time.Hour - time.Hour)
	require.NoError(t, w.Sweep(ctx))
	require.Equal(t, 4, count(t, db, `select count(*) from product_session`))
	require.Zero(t, count(t, db, `select count(*) from frame_invalidated`))

	day.add(2 * time.Hour)
	require.NoError(t, w.Sweep(ctx))
	require.Equal(t, 2, count(t, db, `select count(*) from product_session`))
	require.Equal(t, 2, count(t, db, `select count(*) from product_session where session_id in ('new', 'running')`), "a session lives as long as its last hit")
	require.Equal(t, 2, count(t, db, `select count(*) from frame_invalidated where home_day = $1::date and environment_id in (1, 2)`, start))
	require.Equal(t, 3, count(t, db, `select count(*) from product_analytics_first_touch where source in ('old', 'running')`))

	// A late visit of the visitor does not move the first touch, although the
	// session that won is gone.
	send(1, "f", "later", start.Add(11*24*time.Hour))
	require.Equal(t, 1, count(t, db, `select count(*) from product_analytics_first_touch where environment_id = 1 and source = 'old' and first_seen_at = $1`, start.Truncate(time.Millisecond)))
}

func TestSweepDropsExpiredPartitions(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	storage, err := db.EventStorage(ctx)
	require.NoError(t, err)
	partitions := func() int {
		return count(t, db, `select count(*) from pg_inherits where inhparent in ('product_event'::regclass, 'flow_event'::regclass, 'track_event'::regclass)`)
	}
	now := time.Now()
	day := &clock{at: now}
	w := startWriter(t, db, Settings{}, Deps{Now: day.now, Logger: slog.New(slog.DiscardHandler)})
	before := partitions()
	require.NoError(t, w.Sweep(ctx))
	require.Equal(t, before, partitions(), "nothing has expired")
	if storage.Hypertables {
		t.Log("hypertables: the retention policy of TimescaleDB drops raw events, the sweep leaves them alone")
		day.add(50 * 365 * 24 * time.Hour)
		require.NoError(t, w.Sweep(ctx))
		require.Equal(t, before, partitions())
		return
	}
	_, err = db.Pool.Exec(ctx, `insert into product_event (environment_id, occurred_at, event_key, received_at) values (1, $1::timestamptz - interval '20 years', gen_random_uuid(), now()), (1, $1, gen_random_uuid(), now())`, now)
	require.NoError(t, err)
	require.NoError(t, w.Sweep(ctx))
	require.Equal(t, 1, count(t, db, `select count(*) from product_event`), "the default partition is swept by row")
	day.add(5*365*24*time.Hour + 32*24*time.Hour)
	require.NoError(t, w.Sweep(ctx))
	require.Less(t, partitions(), before)
	require.Zero(t, count(t, db, `select count(*) from product_event`))
	require.Positive(t, partitions(), "the default partitions and those of later months stay")
}

func TestOneServerSweeps(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	w := startWriter(t, db, Settings{}, Deps{})
	_, err := db.Pool.Exec(ctx, `insert into event_seen values (1, 1, gen_random_uuid(), now() - interval '1 year')`)
	require.NoError(t, err)
	other, err := db.Pool.Acquire(ctx)
	require.NoError(t, err)
	_, err = other.Exec(ctx, `select pg_advisory_lock($1)`, sweepLock)
	require.NoError(t, err)
	require.NoError(t, w.Sweep(ctx))
	require.Equal(t, 1, count(t, db, `select count(*) from event_seen`), "another server is at it")
	_, err = other.Exec(ctx, `select pg_advisory_unlock($1)`, sweepLock)
	require.NoError(t, err)
	other.Release()
	require.NoError(t, w.Sweep(ctx))
	require.Zero(t, count(t, db, `select count(*) from event_seen`))
}

func TestSweepRemovesOldRecords(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	w := startWriter(t, db, Settings{Retention: 40 * 24 * time.Hour}, Deps{})
	_, err := db.Pool.Exec(ctx, `
		insert into ingest_stat (environment_id, path, hour) values (1, 1, now() - interval '41 days'), (1, 1, now() - interval '39 days');
		insert into frame_invalidated (environment_id, home_day, at) values (1, '2026-01-01', now() - interval '31 days'), (1, '2026-01-02', now() - interval '29 days')`)
	require.NoError(t, err)
	require.NoError(t, w.Sweep(ctx))
	require.Equal(t, 1, count(t, db, `select count(*) from ingest_stat where hour > now() - interval '40 days'`))
	require.Equal(t, 1, count(t, db, `select count(*) from ingest_stat`))
	require.Equal(t, 1, count(t, db, `select count(*) from frame_invalidated where home_day = '2026-01-02'`))
	require.Equal(t, 1, count(t, db, `select count(*) from frame_invalidated`))
}

func TestSweepRemovesOldCheckoutAttempts(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	w := startWriter(t, db, Settings{Retention: 200 * 24 * time.Hour}, Deps{})
	_, err := db.Pool.Exec(ctx, `
		insert into checkout_attempt (environment_id, id, channel_id, app_user_id, flow_id, version_id, surface_id, payment_link_url, created_at, expires_at, confirmed_at)
		select 1, gen_random_uuid(), 1, age || ' ' || confirmed, gen_random_uuid(), gen_random_uuid(), 's', 'https://buy.stripe.com/x',
			now() - make_interval(days => age), now() - make_interval(days => age - 1), case when confirmed then now() - make_interval(days => age - 1) end
		from unnest(array[201, 199, 91, 89]) age, unnest(array[true, false]) confirmed`)
	require.NoError(t, err)
	require.NoError(t, w.Sweep(ctx))
	var kept string
	require.NoError(t, db.Pool.QueryRow(ctx, `select string_agg(app_user_id, ', ' order by app_user_id) from checkout_attempt`).Scan(&kept))
	require.Equal(t, "199 true, 89 false, 89 true, 91 true", kept)
}

func TestUpkeepRunsAndReportsFailures(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	_, err := db.Pool.Exec(ctx, `insert into event_seen values (1, 1, gen_random_uuid(), now() - interval '1 year')`)
	require.NoError(t, err)
	var logged lockedBuffer
	w := startWriter(t, db, Settings{SweepEvery: time.Millisecond, StatsEvery: time.Millisecond}, Deps{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	_, err = w.Product(ctx, body(event("a", "buy", "u", "")), testOrigin())
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return count(t, db, `select count(*) from event_seen`) == 1 && count(t, db, `select count(*) from ingest_stat`) == 1
	}, 10*time.Second, time.Millisecond)
	_, err = db.Pool.Exec(ctx, `alter table ingest_stat rename to ingest_stat_gone`)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return logged.contains("ingest upkeep failed") && logged.contains("sweep counts") }, 10*time.Second, time.Millisecond)
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
