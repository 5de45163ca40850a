package maintenance

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const day = 24 * time.Hour

var quiet = slog.New(slog.DiscardHandler)

// newWorker makes a worker on the database at the time, which does not start.
func newWorker(db *postgres.DB, settings Settings, at time.Time) *Worker {
	return New(db, settings, Deps{Logger: quiet, Now: func() time.Time { return at }})
}

// finish leads and does one run of every task, in as many batches as it takes,
// none of which may be larger than allowed. It returns the rows of each.
func finish(t *testing.T, u *Worker) map[string]int64 {
	t.Helper()
	var conn *pgx.Conn
	var err error
	eventually(t, func() bool { // the server may not yet have noticed that the leader before has left
		conn, err = u.elect(t.Context())
		return err == nil && conn != nil
	}, "the lead is free")
	defer u.resign(conn)
	rows := map[string]int64{}
	for _, turn := range u.turns {
		next := turn.begin(u.now())
		for more := true; more; {
			var n int64
			n, more, err = next(t.Context(), conn)
			require.NoError(t, err, turn.name)
			require.LessOrEqual(t, n, int64(batchRows), turn.name)
			rows[turn.name] += n
		}
	}
	return rows
}

func run(t *testing.T, db *postgres.DB, sql string, args ...any) {
	t.Helper()
	_, err := db.Pool.Exec(context.Background(), sql, args...)
	require.NoError(t, err)
}

// apart is the time between rows that leave together: none, and on a cluster some, since a batch is a span of time
// there and rows of one time are not divided.
func apart(t *testing.T) time.Duration {
	t.Helper()
	if pgtest.Capabilities(t).Citus != "" {
		return time.Millisecond
	}
	return 0
}

func value[T any](t *testing.T, db *postgres.DB, sql string, args ...any) (v T) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(context.Background(), sql, args...).Scan(&v))
	return v
}

func TestLedgerRowsLeaveAfterTheWindowAndADay(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	now := time.Now()
	run(t, db, `
		insert into event_seen (environment_id, path, event_key, seen_at)
		select 1, 1, md5(i::text)::uuid, $1::timestamptz - interval '8 days' - interval '1 minute' - i * $2::interval
		from generate_series(1, 12001) i
		union all
		select 1, 2, md5(i::text)::uuid, $1::timestamptz - interval '8 days' + interval '1 minute'
		from generate_series(1, 10) i`, now, apart(t))
	run(t, db, `
		insert into event_seen_packed (environment_id, slot, maker, seen_at, closed, keys)
		select 1, i, 1, $1::timestamptz - interval '8 days' - i * interval '1 minute', false, '' from generate_series(-5, 5) i`,
		now)
	rows := finish(t, newWorker(db, Settings{}, now))
	require.EqualValues(t, 12001, rows["event_ledger"])
	require.EqualValues(t, 5, rows["event_ledger_packed"])
	require.Equal(t, 10, value[int](t, db, `select count(*) from event_seen`))
	finish(t, newWorker(db, Settings{Window: 8 * day}, now.Add(2*time.Minute)))
	require.Equal(t, 10, value[int](t, db, `select count(*) from event_seen`), "the window is a setting")
	finish(t, newWorker(db, Settings{}, now.Add(2*time.Minute)))
	require.Zero(t, value[int](t, db, `select count(*) from event_seen`))
}

// A cluster removes by spans of time, which one server can do as well: the same rows leave, those of one time together.
func TestRowsLeaveBySpansOfTime(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	limit := time.Now().Truncate(time.Second)
	run(t, db, `
		insert into checkout_attempt (environment_id, id, channel_id, app_user_id, flow_id, version_id, surface_id,
			payment_link_url, created_at, expires_at, confirmed_at)
		select 1, gen_random_uuid(), 1, 'u', gen_random_uuid(), gen_random_uuid(), 's', 'https://buy.stripe.com/x',
			$1::timestamptz - make_interval(secs => i / 100), $1, case when i % 3 = 0 then $1 end
		from generate_series(0, 12300) i`, limit)
	conn, err := db.Pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	next, rows, batches := unpaidAttempts.bySpan(limit), int64(0), 0
	for more := true; more; batches++ {
		var n int64
		n, more, err = next(t.Context(), conn.Conn())
		require.NoError(t, err)
		require.Less(t, n, int64(batchRows+100), "a batch and what is of its last time")
		rows += n
	}
	require.Equal(t, 2, batches)
	require.EqualValues(t, 8134, rows)
	require.Equal(t, 66, value[int](t, db, `
		select count(*) from checkout_attempt where confirmed_at is null and created_at = $1`, limit))
	require.Zero(t, value[int](t, db, `
		select count(*) from checkout_attempt where confirmed_at is null and created_at < $1`, limit))
	require.Equal(t, 4101, value[int](t, db, `select count(*) from checkout_attempt where confirmed_at is not null`))
}

// Once rows have come and gone, looking for expired ones when there are none
// reads a few blocks, not the table.
func TestALookWithoutExpiredLedgerRowsIsCheap(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	now := time.Now()
	fill := func(age time.Duration) {
		run(t, db, `
			insert into event_seen (environment_id, path, event_key, seen_at)
			select 1, 1, gen_random_uuid(), $1::timestamptz + make_interval(secs => i)
			from generate_series(1, 60000) i`, now.Add(-age))
	}
	fill(9 * day)
	fill(7 * day)
	u := newWorker(db, Settings{}, now)
	require.EqualValues(t, 60000, finish(t, u)["event_ledger"])
	run(t, db, `vacuum analyze event_seen`)
	fill(2 * day) // takes the places of the removed rows
	conn, err := db.Pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	read := func() (blocks int64) {
		require.NoError(t, conn.QueryRow(t.Context(), `select pg_stat_force_next_flush()`).Scan(nil))
		require.NoError(t, conn.QueryRow(t.Context(), `
			select heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit from pg_statio_user_tables
			where relname = 'event_seen'`).Scan(&blocks))
		return blocks
	}
	before := read()
	rows, more, err := deletion{table: "event_seen", column: "seen_at"}.before(now.Add(-8*day))(t.Context(), conn.Conn())
	require.NoError(t, err)
	require.Zero(t, rows)
	require.False(t, more)
	require.Less(t, read()-before, int64(20))
}

func TestSessionsLeaveAfterTheRetentionAndFirstTouchesStay(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	start := time.Now().UTC()
	w, err := ingest.New(db, ingest.Settings{}, ingest.Deps{Logger: quiet})
	require.NoError(t, err)
	require.NoError(t, w.Start(t.Context()))
	defer func() { require.NoError(t, w.Stop(context.Background())) }()
	send := func(environment int64, id, session string, at time.Time) {
		t.Helper()
		body := fmt.Sprintf(`{"events":[{"eventId":%q,"name":"buy","appUserId":"u","sessionId":%q,
			"context":{"attribution":{"source":%q}}}]}`, id, session, session)
		answer, err := w.Product(t.Context(), []byte(body), ingest.Request{EnvironmentID: environment, ReceivedAt: at})
		require.NoError(t, err)
		require.Equal(t, 1, answer.Stored)
	}
	send(1, "a", "old", start)
	send(1, "b", "new", start.Add(5*day))
	send(2, "c", "old", start.Add(time.Minute))
	send(-3, "d", "running", start)
	send(-3, "e", "running", start.Add(5*day))
	settings := Settings{Retention: 10 * day}

	require.Zero(t, finish(t, newWorker(db, settings, start.Add(10*day-time.Hour)))["sessions"])
	require.Equal(t, 4, value[int](t, db, `select count(*) from product_session`))
	require.Zero(t, value[int](t, db, `select count(*) from frame_invalidated`))

	require.EqualValues(t, 2, finish(t, newWorker(db, settings, start.Add(10*day+time.Hour)))["sessions"])
	require.Equal(t, "new running", value[string](
		t, db, `select string_agg(session_id, ' ' order by session_id) from product_session`,
	),
		"a session lives as long as its last hit")
	require.Equal(t, 2, value[int](t, db, `
		select count(*) from frame_invalidated where home_day = $1::date and environment_id in (1, 2)`, start))
	require.Equal(
		t, 3, value[int](t, db, `select count(*) from product_analytics_first_touch where source in ('old', 'running')`),
	)

	// A late visit of the visitor does not move the first touch, although the
	// session that won is gone.
	send(1, "f", "later", start.Add(11*day))
	require.Equal(t, 1, value[int](t, db, `
		select count(*) from product_analytics_first_touch
		where environment_id = 1 and source = 'old' and first_seen_at = $1`, start.Truncate(time.Millisecond)))
}

func TestRunsLeaveAfterTheRetention(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	now := time.Now().UTC()
	run(t, db, `
		insert into flow_run (environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at, home_day,
			changed_xid, hits, contexts)
		select e, person, gen_random_uuid(), gen_random_uuid(), false, true, $1::timestamptz - first, $1::timestamptz - last,
			($1::timestamptz - first)::date, pg_current_xact_id(), '', ''
		from unnest(array[1, 2]) e, (values ('old', interval '12 days', interval '11 days'),
			('long', interval '12 days', interval '9 days'), ('new', interval '1 day', interval '1 day')
		) r (person, first, last)`, now)
	require.EqualValues(t, 2, finish(t, newWorker(db, Settings{Retention: 10 * day}, now))["runs"])
	require.Equal(t, "long long new new", value[string](
		t, db, `select string_agg(app_user_id, ' ' order by app_user_id) from flow_run`,
	))
	require.Equal(t, 2, value[int](t, db, `
		select count(*) from frame_invalidated where home_day = ($1::timestamptz - interval '12 days')::date`, now))
}

func TestServedPeopleLeaveAfterTheRetention(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	now := time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	run(t, db, `insert into experiment_served_packed (environment_id, experiment_id, people, day, arm)
		select e, gen_random_uuid(), uuid_send(gen_random_uuid()), '2026-03-20'::date - d, 0
		from unnest(array[1, 2]) e, unnest(array[0, 9, 10, 11, 300]) d`)
	run(t, db, `insert into experiment_served_count (environment_id, day, people)
		select distinct environment_id, day, 1 from experiment_served`)
	removed := finish(t, newWorker(db, Settings{Retention: 10 * day}, now))
	require.EqualValues(t, 4, removed["served_people"])
	require.EqualValues(t, 4, removed["served_counts"])
	for _, table := range []string{"experiment_served", "experiment_served_count"} {
		require.Equal(t, "2026-03-10 2026-03-10 2026-03-11 2026-03-11 2026-03-20 2026-03-20", value[string](
			t, db, `select string_agg(day::text, ' ' order by day) from `+table,
		), table)
	}
}

// The variants that people keep leave after the retention, once their experiment was stopped.
func TestUnitsOfStoppedExperimentsLeaveAfterTheRetention(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	now := time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	app := deliverytest.NewApp(t, db.Pool)
	for _, status := range []string{"running", "stopped"} {
		run(t, db, `insert into experiment_unit (environment_id, experiment_id, is_custom, person, arm, day)
			select $1, $2, false, gen_random_uuid(), 0, '2026-03-20'::date - d from unnest(array[0, 9, 11, 300]) d`,
			app.Live.ID, app.Live.Channel().Experiment(status).ID)
	}
	removed := finish(t, newWorker(db, Settings{Retention: 10 * day}, now))
	require.EqualValues(t, 2, removed["experiment_units"])
	require.Equal(t, 6, value[int](t, db, `select count(*) from experiment_unit`))
}

// The people of a month leave a day after it, their numbers after the retention.
func TestLiveUsersLeaveAfterTheirMonth(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	run(t, db, `
		insert into live_user_packed (environment_id, month, people)
		select 1, month, uuid_send(gen_random_uuid())
		from unnest(array['2026-02-01', '2026-03-01', '2026-04-01']::date[]) month, generate_series(1, 6001);
		insert into live_user_day (environment_id, day, people) values (1, '2024-01-01', 1), (1, '2026-02-03', 6001);
		insert into live_user_total (workspace_id, month, people)
		values (gen_random_uuid(), '2024-01-01', 1), (gen_random_uuid(), '2026-02-01', 6001)`)
	removed := func(at string) map[string]int64 {
		now, err := time.Parse(time.DateTime, at)
		require.NoError(t, err)
		return finish(t, newWorker(db, Settings{Retention: 365 * day}, now))
	}
	require.EqualValues(t, 6001, removed("2026-04-01 23:59:00")["live_users"])
	require.EqualValues(t, 6001, removed("2026-04-02 00:01:00")["live_users"])
	require.Equal(t, "2026-04-01", value[string](t, db, `select string_agg(distinct month::text, ' ') from live_user`))
	require.Equal(t, 1, value[int](t, db, `select count(*) from live_user_day`))
	require.Equal(t, 1, value[int](t, db, `select count(*) from live_user_total`))
}

func TestManySessionsLeaveInBatches(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	now := time.Now()
	run(t, db, `
		insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day,
			changed_xid, hits)
		select environment, 'u' || i, 's', at, at, at::date, pg_current_xact_id(), '{}'
		from unnest(array[-9223372036854775808, 5, 9223372036854775807]) environment, generate_series(1, 5001) i,
			lateral (select $1::timestamptz - make_interval(days => 100 + i % 3) as at) t`, now)
	run(t, db, `
		insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day,
			changed_xid, hits)
		select 5, 'kept', 's', at, at, at::date, pg_current_xact_id(), '{}' from (select $1::timestamptz as at) t`, now)
	require.EqualValues(t, 3*5001, finish(t, newWorker(db, Settings{Retention: 90 * day}, now))["sessions"])
	require.Equal(t, "kept", value[string](t, db, `select string_agg(app_user_id, ' ') from product_session`))
	require.Equal(t, 9, value[int](t, db, `select count(distinct (environment_id, home_day)) from frame_invalidated`))
}

// Raw events follow the retention whichever way they are stored; where TimescaleDB
// has a policy, that does it.
func TestRawEventsLeave(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	now := time.Now()
	partitions := func() int {
		return value[int](t, db, `
			select count(*) from pg_inherits
			where inhparent in ('product_event'::regclass, 'flow_event'::regclass, 'track_event'::regclass)`)
	}
	storage, err := db.EventStorage(t.Context())
	require.NoError(t, err)
	before := partitions()
	finish(t, newWorker(db, Settings{}, now))
	require.Equal(t, before, partitions(), "nothing has expired")
	if storage.Hypertables {
		finish(t, newWorker(db, Settings{}, now.Add(50*365*day)))
		require.Equal(t, before, partitions())
		return
	}
	run(t, db, `
		insert into product_event (environment_id, occurred_at, event_key, received_at)
		select 1, $1::timestamptz - interval '20 years' - i * $2::interval, gen_random_uuid(), now()
		from generate_series(1, 6001) i
		union all select 1, $1, gen_random_uuid(), now()`, now, apart(t))
	require.EqualValues(t, 6001, finish(t, newWorker(db, Settings{}, now))["events"])
	require.Equal(t, 1, value[int](t, db, `select count(*) from product_event`), "the default partition is swept by row")
	require.Equal(t, before, partitions())
	finish(t, newWorker(db, Settings{}, now.Add(5*365*day+32*day)))
	require.Less(t, partitions(), before)
	require.Zero(t, value[int](t, db, `select count(*) from product_event`))
	require.Positive(t, partitions(), "the default partitions and those of later months stay")
	finish(t, newWorker(db, Settings{}, now))
	require.Equal(t, before, partitions(), "the months to come are made again")
}

func TestNothingLeavesWithUnlimitedRetention(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db, err := postgres.Open(t.Context(), url, postgres.Options{EventRetention: -1, MaxConns: 4})
	require.NoError(t, err)
	defer db.Close()
	run(t, db, `
		insert into product_event (environment_id, occurred_at, event_key, received_at)
		values (1, '2000-01-01', gen_random_uuid(), now());
		insert into ingest_stat (environment_id, path, hour) values (1, 1, '2000-01-01');
		insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day,
			changed_xid, hits)
		values (1, 'u', 's', '2000-01-01', '2000-01-01', '2000-01-01', pg_current_xact_id(), '{}')`)
	rows := finish(t, newWorker(db, Settings{Retention: -1}, time.Now()))
	for task, n := range rows {
		require.Zero(t, n, task)
	}
	require.Equal(t, 3, value[int](t, db, `
		select (select count(*) from product_event) + (select count(*) from ingest_stat) + (select count(*)
		from product_session)`))
}

func TestOldRecordsLeave(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	now := time.Now()
	run(t, db, `
		insert into ingest_stat (environment_id, path, hour)
		values (1, 1, now() - interval '41 days'), (1, 2, now() - interval '39 days');
		insert into frame_invalidated (environment_id, home_day, xid, at)
		values (1, '2026-01-01', pg_current_xact_id(), now() - interval '31 days'),
			(1, '2026-01-02', pg_current_xact_id(), now() - interval '29 days');
		insert into web_session (token, data, expiry)
		values ('over', '', now() - interval '1 second'), ('open', '', now() + interval '1 minute');
		insert into rate_limit (subject, taken, ends_at)
		values ('over', 1, now() - interval '1 second'), ('counting', 1, now() + interval '1 minute');
		insert into users (id, email, password_hash) values (gen_random_uuid(), 'a@example.com', 'x');
		insert into workspaces (id, name) values (gen_random_uuid(), 'Acme');
		insert into invitations (id, email, role, hash, expires_at, invited_by, workspace_id)
		select gen_random_uuid(), i || 'd@example.com', 'viewer', i::text::bytea, now() - i * interval '1 day', u.id, w.id
		from users u, workspaces w, unnest('{-1, 29, 31}'::int[]) i;
		insert into api_keys (id, name, hash, last_four, scopes, client_host, user_id, workspace_id)
		select gen_random_uuid(), 'Program', '', '', '[]', 'localhost', u.id, w.id from users u, workspaces w;
		insert into oauth_token (hash, key_id, kind, client, expires_at)
		select i::text::bytea, id, 'access', '', now() + i * interval '1 second' from api_keys, unnest('{-1, 60}'::int[]) i;
		insert into notification (id, workspace_id, kind, key, severity, title, body, about, created_at)
		select gen_random_uuid(), id, 'ingest_refused', i::text, 'info', '', '', '{}', now() - i * interval '1 day'
		from workspaces, unnest('{179, 181}'::int[]) i;
		insert into notification_read (notification_id, user_id) select n.id, u.id from notification n, users u;
		insert into apps (id, name, allowed_origins, integrations, canvas_gates, workspace_id)
		select gen_random_uuid(), 'Shop', '[]', '{}', '{}', id from workspaces;
		insert into flows (id, name, draft, draft_revision, draft_stored_revision, updated_at, app_id)
		select gen_random_uuid(), 'Flow', '{}', 4, 3, now(), id from apps;
		insert into flow_edit (flow_id, revision, client_id, sequence, digest, steps, inverse, refused, created_at)
		select id, r, gen_random_uuid(), 1, '', '[]', '[]', '[]', now() - case r when 3 then 89 else 91 end * interval '1 day'
		from flows, unnest('{2, 3, 4}'::int[]) r`)
	rows := finish(t, newWorker(db, Settings{Retention: 40 * day}, now))
	require.EqualValues(t, 1, rows["ingest_counts"])
	require.EqualValues(t, 1, rows["frame_invalidations"])
	require.EqualValues(t, 1, rows["web_sessions"])
	require.EqualValues(t, 1, rows["oauth_tokens"])
	require.EqualValues(t, 1, rows["rate_limits"])
	require.EqualValues(t, 1, rows["invitations"])
	require.EqualValues(t, 1, rows["notifications"])
	require.EqualValues(t, 1, rows["flow_edits"])
	require.Equal(t, "3 4", value[string](t, db, `select string_agg(revision::text, ' ' order by revision) from flow_edit`),
		"the young one, and the one that the stored draft does not have")
	require.Equal(t, "179", value[string](t, db, `
		select string_agg(key, ' ') from notification n join notification_read r on r.notification_id = n.id`))
	require.Equal(t, "counting", value[string](t, db, `select string_agg(encode(subject, 'escape'), '') from rate_limit`))
	require.Equal(
		t, "-1d@example.com 29d@example.com",
		value[string](t, db, `select string_agg(email, ' ' order by email) from invitations`),
	)
	require.Equal(t, "2 2026-01-02 open", value[string](t, db, `
		select (select string_agg(path::text, '') from ingest_stat) || ' ' || (select string_agg(home_day::text, '')
		from frame_invalidated)
			|| ' ' || (select string_agg(token, '') from web_session)`))
}

func TestOldCheckoutAttemptsLeave(t *testing.T) {
	t.Parallel()
	for retention, kept := range map[time.Duration]string{
		200 * day: "199 true, 89 false, 89 true, 91 true",
		90 * day:  "89 false, 89 true",
		88 * day:  "",
	} {
		db := pgtest.New(t)
		now := time.Now()
		run(t, db, `
			insert into checkout_attempt (environment_id, id, channel_id, app_user_id, flow_id, version_id, surface_id,
			payment_link_url,
				created_at, expires_at, confirmed_at)
			select 1, gen_random_uuid(), 1, age || ' ' || confirmed, gen_random_uuid(), gen_random_uuid(), 's',
			'https://buy.stripe.com/x',
				now() - make_interval(days => age), now() - make_interval(days => age - 1),
				case when confirmed then now() - make_interval(days => age - 1) end
			from unnest(array[201, 199, 91, 89]) age, unnest(array[true, false]) confirmed`)
		finish(t, newWorker(db, Settings{Retention: retention}, now))
		require.Equal(t, kept, value[string](t, db, `
			select coalesce(string_agg(app_user_id, ', ' order by app_user_id), '') from checkout_attempt`), retention)
	}
}

// Every look for the oldest rows goes along an index, however many rows there are.
func TestEveryDeletionHasAnIndex(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, d := range []deletion{ledgerRows, invalidations, unpaidAttempts, webSessions, ingestCounts, attempts} {
		condition := "true"
		if d.condition != "" {
			condition = d.condition
		}
		tx, err := db.Pool.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `set local enable_seqscan = off; set local enable_sort = off`)
		require.NoError(t, err)
		rows, err := tx.Query(t.Context(), fmt.Sprintf(`explain select ctid from %s where %s < now() and %s order by %s
			limit 5000`,
			d.table, d.column, condition, d.column))
		require.NoError(t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		plan := strings.Join(lines, "\n")
		if _, ofNode, distributed := strings.Cut(plan, "->  Task"); distributed {
			plan = ofNode // the coordinator sorts the few rows that the nodes have found
		}
		require.Contains(t, plan, "Index", d.table)
		require.NotContains(t, plan, "Sort", d.table)
		require.NoError(t, tx.Rollback(t.Context()))
	}
}

// What an app keeps for a shorter time goes, in its environments and of the kind that it said.
func TestAnAppKeepsEventsForItsOwnTime(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	now := time.Now().UTC().Truncate(time.Millisecond)
	shop := deliverytest.NewApp(t, db.Pool)
	other := deliverytest.NewApp(t, db.Pool)
	for _, environment := range []int64{shop.Live.ID, shop.Test.ID, other.Live.ID} {
		for _, table := range []string{"product_event", "track_event"} {
			run(t, db, `
				insert into `+table+` (environment_id, occurred_at, received_at, event_key, name, app_user_id)
				select $1, at, at, gen_random_uuid(), 'page_view', 'dev-1' from generate_series(0, 11999) i,
					lateral (select $2::timestamptz - i * interval '10 minutes' as at) as t`, environment, now)
		}
		for age := range 80 {
			at := now.Add(-time.Duration(age) * day)
			run(t, db, `
				insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day,
					changed_xid, hits)
				values ($1, 'dev-1', $2, $3, $3, $3::timestamptz::date, pg_current_xact_id(), '{1}')`,
				environment, fmt.Sprint(age), at)
		}
	}
	capabilities, err := db.Capabilities(t.Context())
	require.NoError(t, err)
	if capabilities.TimescaleDB != "" {
		run(t, db, `select compress_chunk(c) from show_chunks('product_event', older_than => interval '40 days') c`)
	}
	run(t, db, `insert into app_retention (app_id, kind, days) values ($1, 'product', 30)`, shop.ID)
	rows := finish(t, newWorker(db, Settings{}, now))
	const events = 30 * 24 * 6 // and one at the limit itself
	require.EqualValues(t, 2*(12000-events-1)+2*49, rows["app_retention"])
	for environment, kept := range map[int64][3]int{
		shop.Live.ID: {events + 1, 31, 12000}, shop.Test.ID: {events + 1, 31, 12000}, other.Live.ID: {12000, 80, 12000},
	} {
		for i, table := range []string{"product_event", "product_session", "track_event"} {
			require.Equal(
				t, kept[i], value[int](t, db, `select count(*) from `+table+` where environment_id = $1`, environment), table,
			)
		}
		invalidated := value[int](t, db, `select count(distinct home_day) from frame_invalidated where environment_id = $1`, environment)
		require.Equal(t, 80-kept[1], invalidated)
	}
	require.Zero(t, finish(t, newWorker(db, Settings{}, now))["app_retention"])
}

// A look goes on until it says that nothing is left, and a new one begins anew.
func TestLookouts(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var looked []string
	u := New(db, Settings{}, Deps{Logger: quiet, Lookouts: []Lookout{
		{"once", time.Hour, Look(func(context.Context) error { looked = append(looked, "once"); return nil })},
		{"thrice", time.Hour, func() func(context.Context) (bool, error) {
			left := 3
			return func(context.Context) (bool, error) {
				left--
				looked = append(looked, fmt.Sprint("left ", left))
				return left > 0, nil
			}
		}},
	}})
	finish(t, u)
	want := []string{"once", "left 2", "left 1", "left 0"}
	require.Equal(t, want, looked)
	finish(t, u)
	require.Equal(t, append(want, want...), looked)
}
