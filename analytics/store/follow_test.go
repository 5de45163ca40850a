package store

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// throughProxy returns a pool to a database of its own through a proxy, and a pool past it.
func throughProxy(t *testing.T, opts postgres.Options) (*pgtest.Proxy, *pgxpool.Pool, *pgxpool.Pool) {
	t.Helper()
	url := pgtest.URL(t)
	direct, err := postgres.Open(t.Context(), url, postgres.Options{})
	require.NoError(t, err)
	t.Cleanup(direct.Close)
	proxy := pgtest.NewProxy(t, url)
	slow, err := postgres.Open(t.Context(), proxy.URL(), opts)
	require.NoError(t, err)
	t.Cleanup(slow.Close)
	return proxy, slow.Pool, direct.Pool
}

// neighbour is an environment beside environmentID.
const neighbour = environmentID + 1

func copyToNeighbour(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	for _, sql := range []string{
		`insert into event_name select $1, id, kind, text, text_hash from event_name where environment_id = 7`,
		`insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, changed_xid,
				platform, hits)
			select $1, app_user_id, session_id, started_at, last_at, home_day, changed_xid, platform, hits from product_session
			where environment_id = 7`,
	} {
		_, err := pool.Exec(t.Context(), sql, neighbour)
		require.NoError(t, err)
	}
}

// A change that takes longer to read than requests wait is followed all the same, in memory of its share,
// and other environments go on answering meanwhile.
func TestALargeChangeIsFollowed(t *testing.T) {
	t.Parallel()
	skipLarge(t)
	proxy, slow, direct := throughProxy(t, postgres.Options{})
	manySessions(t, direct, 20_000, 1_000)
	copyToNeighbour(t, direct)
	const patience = 3 * time.Second
	s := newStore(t, slow, Settings{Patience: patience, Budget: 64 << 20})
	from, to := today.AddDate(0, 0, -manyDays), today.Add(time.Hour)
	before := totals(t, s, from, to)
	view, err := s.View(t.Context(), neighbour, today, to)
	require.NoError(t, err)
	open := s.replicas[environmentID]

	_, err = direct.Exec(
		t.Context(),
		`update product_session set source = 'changed', changed_xid = pg_current_xact_id() where environment_id = 7`,
	)
	require.NoError(t, err)
	proxy.Limit(768 << 10) // 20,000 sessions of some 300 bytes
	began := time.Now()
	changed := make(chan error)
	go func() {
		_, err := s.View(context.Background(), environmentID, from, to)
		changed <- err
	}()
	require.Eventually(t, func() bool { return s.polling.Load() > 0 }, 30*time.Second, time.Millisecond)
	most, others := int64(0), 0
	for done := false; !done; {
		select {
		case err := <-changed:
			require.NoError(t, err)
			done = true
		default:
			again, err := s.View(t.Context(), neighbour, today, to)
			require.NoError(t, err, "one environment's change is no other's trouble")
			require.Same(t, view.Dataset(), again.Dataset())
			most = max(most, s.polling.Load())
			others++
		}
	}
	require.Greater(t, time.Since(began), 2*patience, "the change was not large enough to show anything")
	require.Positive(t, others)
	piece := int64(changePiece) * 2048
	require.LessOrEqual(t, most, s.pollBudget()+piece)

	proxy.Limit(0)
	after := totals(t, s, from, to)
	require.Equal(t, before, after)
	require.Same(t, open, s.replicas[environmentID], "nothing was read anew")
	selection, err := s.Select(t.Context(), environmentID, analytics.Scope{
		Start: from, End: to, Cross: []analytics.Filter{{Dimension: analytics.Source, Values: []string{"changed"}}},
	}, false, false, today)
	require.NoError(t, err)
	only, err := selection.Totals(t.Context())
	require.NoError(t, err)
	require.Equal(t, before.Sessions, only.Sessions)
}

// What a view holds is the state between two polls also while a poll is half written.
func TestAViewIsNeverHalfAPoll(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	manySessions(t, db.Pool, 4_000, 400)
	s := newStore(t, db.Pool, Settings{MaxAge: time.Hour, FollowEach: time.Hour, Budget: 16 << 20})
	from, to := today.AddDate(0, 0, -manyDays), today.Add(time.Hour)
	total := func() (all, changed int64) {
		for _, filter := range [][]analytics.Filter{nil, {{Dimension: analytics.Source, Values: []string{"changed"}}}} {
			selection, err := s.Select(
				t.Context(), environmentID, analytics.Scope{Start: from, End: to, Cross: filter}, false, false, today,
			)
			require.NoError(t, err)
			m, err := selection.Totals(t.Context())
			require.NoError(t, err)
			all, changed = max(all, m.Sessions), m.Sessions
		}
		return all, changed
	}
	all, changed := total()
	require.EqualValues(t, 4_000, all)
	require.Zero(t, changed)
	_, err := db.Pool.Exec(
		t.Context(), `update product_session set source = 'changed', changed_xid = pg_current_xact_id()`,
	)
	require.NoError(t, err)

	// Half a poll, as spill leaves it.
	r := s.replicas[environmentID]
	failure := pgx.ErrTxClosed
	require.ErrorIs(t, s.wait(t.Context(), s.start(hangLimit, func(ctx context.Context, task *task) error {
		return s.reader.Read(ctx, func(tx pgx.Tx) error {
			p := &poll{store: s, task: task, replica: r, tx: tx, rows: r.followed(), size: gauge{total: &s.polling}}
			defer p.size.end()
			require.NoError(t, p.readChanged(ctx, sessionTable))
			require.NoError(t, p.spill(ctx))
			return failure
		})
	})), failure)
	require.True(t, r.partial)
	_, changed = total()
	require.Zero(t, changed, "the view from before is served as long as it is young enough")
	// Without that view a request has to wait for a poll that ends.
	r.drop(r.frames()[0].key)
	all, changed = total()
	require.EqualValues(t, 4_000, all)
	require.EqualValues(t, 4_000, changed)
	require.False(t, r.partial)
}

// A transaction that is held open in another database of the cluster keeps the oldest running
// transaction, and with it what a snapshot sees of the past, where it is. Polls read no row twice for it.
func TestATransactionOfAnotherDatabaseDoesNotSlowPolls(t *testing.T) {
	t.Parallel()
	db, other := pgtest.New(t), pgtest.New(t)
	foreign, err := other.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, foreign.Rollback(context.Background())) }()
	var held string
	require.NoError(t, foreign.QueryRow(t.Context(), `select pg_current_xact_id()::text`).Scan(&held))

	manySessions(t, db.Pool, 3_000, 300)
	s := newStore(t, db.Pool, Settings{FollowEach: time.Hour})
	from, to := today.AddDate(0, 0, -manyDays), today.Add(time.Hour)
	require.EqualValues(t, 3_000, totals(t, s, from, to).Sessions)
	const each = 40
	for round := range 6 {
		for i := range each / 2 {
			write(t, db.Pool, "visitor 1", "s"+string(rune('a'+i)), today.Add(-time.Duration(round)*time.Minute))
			write(t, db.Pool, "new", "n"+string(rune('a'+i)), today)
		}
		var xmin string
		require.NoError(t, db.Pool.QueryRow(t.Context(), `select pg_snapshot_xmin(pg_current_snapshot())::text`).Scan(&xmin))
		require.LessOrEqual(t, len(xmin), len(held))
		require.False(
			t, len(xmin) == len(held) && xmin > held, "the foreign transaction must be what holds the oldest one back",
		)
		read, discarded := scanned(t, s, s.replicas[environmentID])
		require.EqualValues(t, each, read, "a poll reads what changed since the one before")
		require.Zero(t, discarded, "and finds it without looking at anything else")
		require.EqualValues(t, 3_000+each, totals(t, s, from, to).Sessions)
	}
}

// scanned returns how many sessions the next poll of a replica reads, and how many it only looks at.
func scanned(t *testing.T, s *Store, r *replica) (read, discarded int64) {
	t.Helper()
	tx, err := s.pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(context.Background())) }()
	if pgtest.Capabilities(t).Citus != "" {
		// There the environment may be looked up by other indexes, and which is the cheapest is for statistics to say.
		_, err = s.pool.Exec(t.Context(), `analyze product_session`)
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `set local citus.propagate_set_commands = 'local'`) // to the nodes
		require.NoError(t, err)
	}
	_, err = tx.Exec(t.Context(), `set local enable_seqscan = off`) // as if the table were large
	require.NoError(t, err)
	var plan []byte
	require.NoError(t, tx.QueryRow(t.Context(), `explain (analyze, format json) `+s.reader.Route(sessionTable.changedSQL),
		append(r.seen.args(r.id), r.keptDays(frame.Sessions))...).Scan(&plan))
	var answer any
	require.NoError(t, json.Unmarshal(plan, &answer))
	var walk func(part any) // the plan, and on a cluster those of the nodes within it
	walk = func(part any) {
		switch part := part.(type) {
		case []any:
			for _, child := range part {
				walk(child)
			}
		case map[string]any:
			number := func(key string) int64 { n, _ := part[key].(float64); return int64(n) }
			kind, _ := part["Node Type"].(string)
			discarded += number("Rows Removed by Filter") + number("Rows Removed by Index Recheck")
			require.NotEqual(t, "Seq Scan", kind)
			if strings.HasSuffix(kind, "Index Scan") {
				require.Regexp(t, "^product_session_unseen", part["Index Name"]) // a shard's has a number behind
				read += number("Actual Rows") * number("Actual Loops")
			}
			for _, child := range part {
				walk(child)
			}
		}
	}
	walk(answer)
	return read, discarded
}

// A merge that takes long stalls nobody else's reports, neither when they have to make room in the frames
// that are being merged, and who gives up waiting for it does so at once.
func TestAMergeStallsNobodyElse(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	manySessions(t, db.Pool, 3_000, 300)
	copyToNeighbour(t, db.Pool)
	measure := newStore(t, db.Pool, Settings{})
	from, to := today.AddDate(0, 0, -manyDays), today.Add(time.Hour)
	_, err := measure.View(t.Context(), environmentID, from, to)
	require.NoError(t, err)

	// Room for one of the two environments at a time, and for the reservations of days that are being read.
	s := newStore(t, db.Pool, Settings{Budget: measure.Bytes() * 16 / 11 * 7 / 4, FollowEach: time.Hour})
	_, err = s.View(t.Context(), environmentID, from, to)
	require.NoError(t, err)
	merging := s.replicas[environmentID]
	require.NoError(t, merging.writing.acquire(t.Context()))
	loaded := len(merging.frames())

	_, err = s.View(t.Context(), neighbour, from, to)
	require.NoError(t, err)
	require.Less(t, len(merging.frames()), loaded, "its frames were given up")
	require.LessOrEqual(t, s.Bytes(), s.frameBudget())

	impatient, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err = s.View(impatient, environmentID, from, to) // any of its days may be those that were given up
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(began), s.settings.Patience)
	merging.writing.release()
	_, err = s.View(t.Context(), environmentID, today, to)
	require.NoError(t, err)
}

// No statement reads all visitors: a limit on statements does not limit how many people an app may have.
func TestManyVisitorsOpenWithinAStatementTimeout(t *testing.T) {
	t.Parallel()
	skipLarge(t)
	proxy, slow, direct := throughProxy(t, postgres.Options{StatementTimeout: 8 * time.Second})
	const visitors = 200_000
	for range 10 { // a slow disk takes long for all of them
		_, err := direct.Exec(t.Context(), `insert into product_analytics_first_touch
				(environment_id, app_user_id, first_seen_at, session_rank, session_started_at, session_id, source, campaign,
				country, platform, device, changed_xid)
			select 7, gen_random_uuid()::text, '2026-11-01', 0, '2026-11-01', 's', repeat('source', 10), repeat('campaign', 10),
			'GB', 'web', 'desktop', pg_current_xact_id()
			from generate_series(1, $1)`, visitors/10)
		require.NoError(t, err)
	}
	proxy.Limit(2 << 20) // all of them take half as long again as a statement may, one piece a quarter of that
	s := newStore(t, slow, Settings{Patience: 30 * time.Second})
	began := time.Now()
	view, err := s.View(t.Context(), environmentID, today, today.Add(time.Hour))
	require.NoError(t, err)
	require.Greater(t, time.Since(began), 10*time.Second, "too few visitors to show anything")
	require.Equal(t, visitors, view.Visitors.Len())
}

// The age that operators watch grows while the database can't be followed, and only then.
func TestAge(t *testing.T) {
	t.Parallel()
	proxy, slow, direct := throughProxy(t, postgres.Options{})
	write(t, direct, "v1", "a", today)
	var log strings.Builder
	s := New(
		slow,
		Settings{
			Patience: 500 * time.Millisecond, FollowEach: 20 * time.Millisecond,
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
		},
	)
	require.NoError(t, s.Start(t.Context()))
	require.Zero(t, s.Age(), "nothing is open")
	_, err := s.View(t.Context(), environmentID, today, today.Add(time.Hour))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.Age() < 400*time.Millisecond }, 10*time.Second, time.Millisecond)
	proxy.Limit(1)
	require.Eventually(t, func() bool { return s.Age() > 2*time.Second }, 20*time.Second, 10*time.Millisecond)
	_, err = s.View(t.Context(), environmentID, today, today.Add(time.Hour))
	require.ErrorIs(t, err, analytics.ErrUnavailable)
	require.NotErrorIs(t, err, context.Canceled)
	proxy.Limit(0)
	proxy.Cut()
	require.Eventually(t, func() bool { return s.Age() < 400*time.Millisecond }, 20*time.Second, time.Millisecond)
	require.NoError(t, s.Stop(t.Context()))
	require.Equal(
		t, 1, strings.Count(log.String(), "can't follow the database"), "an outage is one line for an environment: %s",
		log.String(),
	)
	_, err = s.View(t.Context(), neighbour, today, today.Add(time.Hour))
	require.ErrorIs(t, err, analytics.ErrUnavailable, "a stopped store says so")
}

// What was asked for lately is polled by itself, so that who asks again need not wait; what was not is left alone.
func TestWhatIsReadIsPolledBeforeItIsAskedForAgain(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	manySessions(t, db.Pool, 400, 40)
	s := newStore(t, db.Pool, Settings{MaxAge: 500 * time.Millisecond, FollowEach: time.Hour, Attend: 4 * time.Second})
	totals(t, s, today.AddDate(0, 0, -manyDays), today.Add(time.Hour))
	r := s.replicas[environmentID]
	asked := r.lastPolled()
	require.Eventually(
		t, func() bool { return r.lastPolled().After(asked.Add(time.Second)) }, time.Minute, 20*time.Millisecond,
	)
	unused := func() bool { return time.Since(r.lastUsed()) > 6*time.Second }
	require.Eventually(t, unused, time.Minute, 100*time.Millisecond)
	left := r.lastPolled()
	time.Sleep(time.Second)
	require.Equal(t, left, r.lastPolled(), "nobody has asked for it for a while")
}
