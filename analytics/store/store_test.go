package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const environmentID = 7

// skipLarge skips a test that fills large tables in short runs.
func skipLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("fills large tables")
	}
}

// today is a fixed moment, so that days and ranges are known.
var today = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func newStore(t testing.TB, pool *pgxpool.Pool, settings Settings) *Store {
	t.Helper()
	settings.Logger = slog.New(slog.DiscardHandler)
	if settings.MaxAge == 0 {
		settings.MaxAge = time.Nanosecond // every request polls
	}
	s := New(pool, settings)
	require.NoError(t, s.Start(context.Background()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	return s
}

// write stores a session with one page view for each time, and its visitor's first touch, as
// ingest does.
func write(t testing.TB, tx querier, visitor, session string, times ...time.Time) {
	t.Helper()
	ctx := context.Background()
	first, last := times[0], times[0]
	var hits []int64
	for _, at := range times {
		if at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
		hits = append(hits, frame.PackHit(at.UnixMilli(), 2))
	}
	for _, statement := range []struct {
		sql  string
		args []any
	}{
		{
			`insert into event_name (environment_id, id, kind, text, text_hash) values ($1, 2, 4, '/', gen_random_uuid())
				on conflict do nothing`,
			[]any{environmentID},
		},
		{`insert into product_session as s (environment_id, app_user_id, session_id, started_at, last_at, home_day,
			changed_xid, platform, source, latitude, longitude, country, hits)
			values ($1, $2, $3, $4, $5, ($4::timestamptz at time zone 'UTC')::date, pg_current_xact_id(), 'web', 'google',
				51.5074, -0.1278, 'GB', $6)
			on conflict (environment_id, app_user_id, session_id) do update
			set hits = s.hits || excluded.hits, changed_xid = excluded.changed_xid,
				started_at = least(s.started_at, excluded.started_at), last_at = greatest(s.last_at, excluded.last_at)`,
			[]any{environmentID, visitor, session, first, last, hits}},
		{`insert into product_analytics_first_touch as f (environment_id, app_user_id, first_seen_at, session_rank,
			session_started_at, session_id, source, changed_xid)
			values ($1, $2, $3, 0, $3, $4, 'google', pg_current_xact_id())
			on conflict (environment_id, app_user_id) do update set
			first_seen_at = least(f.first_seen_at, excluded.first_seen_at),
			changed_xid = excluded.changed_xid`, []any{environmentID, visitor, first, session}},
	} {
		rows, err := tx.Query(ctx, statement.sql, statement.args...)
		require.NoError(t, err)
		rows.Close()
		require.NoError(t, rows.Err())
	}
}

// totals returns the summary of [from, to) through the store.
func totals(t testing.TB, s *Store, from, to time.Time) report.Metrics {
	t.Helper()
	view, err := s.View(context.Background(), environmentID, from, to)
	require.NoError(t, err)
	selection, err := s.engine.Select(view, analytics.Scope{Start: from, End: to}, nil, today)
	require.NoError(t, err)
	m, err := selection.Totals(context.Background())
	require.NoError(t, err)
	return m
}

// Who asks first after a start finds the latest days of the busiest environments, as far as half the budget goes.
func TestWarm(t *testing.T) {
	db := pgtest.New(t)
	ctx, now := context.Background(), time.Now()
	write(t, db.Pool, "v1", "a", now.AddDate(0, 0, -1))
	write(t, db.Pool, "v1", "b", now.AddDate(0, 0, -1))
	write(t, db.Pool, "v1", "c", now.AddDate(0, 0, -40))
	const quieter = environmentID + 1
	_, err := db.Pool.Exec(ctx, `insert into product_session (environment_id, app_user_id, session_id, started_at,
		last_at, home_day, changed_xid, platform, hits)
		select $1, app_user_id, session_id, started_at, last_at, home_day, changed_xid, platform, hits from product_session
		where session_id = 'a'`, quieter)
	require.NoError(t, err)
	// Beside them, what opening takes on the way is little.
	_, err = db.Pool.Exec(ctx, `insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at,
		session_rank, session_started_at, session_id, changed_xid)
		select environment, 'w' || n, now(), 0, now(), '', pg_current_xact_id()
		from unnest($1::bigint[]) environment, generate_series(1, 2000) n`,
		[]int64{environmentID, quieter})
	require.NoError(t, err)
	frames := func(s *Store) map[int64]int {
		s.mu.Lock()
		defer s.mu.Unlock()
		loaded := map[int64]int{}
		for id, r := range s.replicas {
			loaded[id] = len(r.frames())
		}
		return loaded
	}
	s := newStore(t, db.Pool, Settings{})
	require.NoError(t, s.warm(ctx, 14))
	require.Equal(t, map[int64]int{environmentID: 1, quieter: 1}, frames(s))
	require.EqualValues(t, 3, totals(t, s, now.AddDate(0, 0, -50), now).Sessions, "the rest is read when somebody asks")

	busiest := s.Bytes() / 2
	scant := newStore(t, db.Pool, Settings{Budget: 2 * busiest})
	require.NoError(t, scant.warm(ctx, 14))
	require.Equal(t, map[int64]int{environmentID: 1}, frames(scant))

	none, err := s.findBusiest(ctx, now.AddDate(0, 0, 2).UTC())
	require.NoError(t, err)
	require.Empty(t, none)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	require.Error(t, s.warm(canceled, 14))
}

func TestViewReadsWhatIsStored(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	write(t, db.Pool, "v1", "a", today, today.Add(time.Minute))
	write(t, db.Pool, "v2", "b", today.AddDate(0, 0, -1))
	_, err := db.Pool.Exec(ctx, `insert into revenue_ledger (environment_id, provider, provider_event_id, kind,
		app_user_id, occurred_at, amount_micros)
		values ($1, 'stripe', 'e1', 'originating', 'v1', $2, 990000), ($1, 'superwall', 'e2', 'refund', 'v1', $2,
		-990000)`, environmentID, today)
	require.NoError(t, err)
	s := newStore(t, db.Pool, Settings{})
	m := totals(t, s, today.AddDate(0, 0, -2), today.Add(time.Hour))
	require.Equal(t, int64(2), m.Visitors)
	require.Equal(t, int64(3), m.Views)
	require.Equal(t, int64(2), m.NewVisitors)
	require.Equal(t, int64(990000), m.Revenue)
	view, err := s.View(ctx, environmentID, today, today.Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, 51.5074, view.Places[len(view.Places)-1].Lat, "a stored real is shown as it was written")
	require.Equal(
		t, int64(0), totals(t, newStore(t, db.Pool, Settings{}), today.AddDate(0, 0, 2), today.AddDate(0, 0, 3)).Sessions,
	)
}

func TestViewFollowsChanges(t *testing.T) {
	db := pgtest.New(t)
	s := newStore(t, db.Pool, Settings{})
	from, to := today.AddDate(0, 0, -9), today.Add(time.Hour)
	require.Zero(t, totals(t, s, from, to).Sessions)
	write(t, db.Pool, "v1", "a", today)
	require.Equal(t, int64(1), totals(t, s, from, to).Sessions)
	// A late hit of a session that is known, before its home day and before the range.
	write(t, db.Pool, "v1", "a", today.AddDate(0, 0, -2))
	require.Equal(t, int64(2), totals(t, s, from, to).Views)
	require.Equal(t, int64(1), totals(t, s, today.AddDate(0, 0, -3), today.AddDate(0, 0, -1)).Views)
	require.Equal(
		t, int64(1), totals(t, s, today.AddDate(0, 0, -3), today.AddDate(0, 0, -1)).NewVisitors, "the first touch moved",
	)
	// A purchase that is joined to its person later.
	ctx := context.Background()
	_, err := db.Pool.Exec(ctx, `insert into revenue_ledger (environment_id, provider, provider_event_id, kind,
		occurred_at, amount_micros)
		values ($1, 'stripe', 'e1', 'originating', $2, 5)`, environmentID, today)
	require.NoError(t, err)
	require.Equal(t, int64(5), totals(t, s, from, to).Revenue)
	_, err = db.Pool.Exec(ctx, `update revenue_ledger set app_user_id = 'v1', changed_xid = pg_current_xact_id()`)
	require.NoError(t, err)
	require.Equal(t, int64(5), totals(t, s, from, to).Revenue, "the row is replaced, not added")
}

// A transaction that is held open while later ones commit is seen as soon as it commits.
func TestLateCommitIsNotMissed(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	s := newStore(t, db.Pool, Settings{})
	from, to := today.AddDate(0, 0, -1), today.Add(time.Hour)
	write(t, db.Pool, "v0", "s", today)
	held, err := db.Pool.Begin(ctx)
	require.NoError(t, err)
	write(t, held, "held", "s", today)
	for i := range 3 {
		write(t, db.Pool, fmt.Sprintf("v%d", i+1), "s", today)
		require.Equal(t, int64(i+2), totals(t, s, from, to).Sessions)
	}
	// The invalidation of a day that commits late is not missed either; one that was seen does not
	// throw the environment away again, although the held transaction keeps the mark low.
	_, err = db.Pool.Exec(
		ctx, `insert into frame_invalidated (environment_id, home_day, xid) values ($1, $2, pg_current_xact_id())`,
		environmentID, today,
	)
	require.NoError(t, err)
	require.Equal(t, int64(4), totals(t, s, from, to).Sessions)
	before := s.replicas[environmentID]
	require.Equal(t, int64(4), totals(t, s, from, to).Sessions)
	require.Same(t, before, s.replicas[environmentID])
	require.NoError(t, held.Commit(ctx))
	require.Equal(t, int64(5), totals(t, s, from, to).Sessions)
}

func TestErasedSessionsDisappear(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	s := newStore(t, db.Pool, Settings{})
	from, to := today.AddDate(0, 0, -1), today.Add(time.Hour)
	write(t, db.Pool, "v1", "a", today)
	write(t, db.Pool, "v2", "b", today)
	require.Equal(t, int64(2), totals(t, s, from, to).Visitors)
	tx, err := db.Pool.Begin(ctx)
	require.NoError(t, err)
	for _, sql := range []string{
		`delete from product_session where app_user_id = 'v1'`,
		`delete from product_analytics_first_touch where app_user_id = 'v1'`,
		`insert into frame_invalidated (environment_id, home_day, xid)
			values (7, '2026-11-20', pg_current_xact_id()), (7, null, pg_current_xact_id())`,
	} {
		_, err = tx.Exec(ctx, sql)
		require.NoError(t, err)
	}
	require.NoError(t, tx.Commit(ctx))
	m := totals(t, s, from, to)
	require.Equal(t, int64(1), m.Visitors)
	require.Equal(t, int64(1), m.NewVisitors)
}

// A day that lost sessions is read anew, the others and the environment stay.
func TestOnlyTheNamedDayIsReadAnew(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	s := newStore(t, db.Pool, Settings{})
	from, to := today.AddDate(0, 0, -2), today.Add(time.Hour)
	write(t, db.Pool, "v1", "a", today)
	write(t, db.Pool, "v1", "old", today.AddDate(0, 0, -1))
	write(t, db.Pool, "v2", "b", today)
	before, err := s.View(ctx, environmentID, from, to)
	require.NoError(t, err)
	require.Len(t, before.Frames, 2)
	remove := func(session string) {
		_, err := db.Pool.Exec(ctx, `with gone as (delete from product_session where session_id = $1
			returning environment_id, home_day)
			insert into frame_invalidated (environment_id, home_day, xid)
			select environment_id, home_day, pg_current_xact_id() from gone`, session)
		require.NoError(t, err)
	}
	remove("a")
	after, err := s.View(ctx, environmentID, from, to)
	require.NoError(t, err)
	require.Same(t, before.Dataset(), after.Dataset())
	require.Same(t, before.Frames[0], after.Frames[0], "the other day is kept")
	require.Equal(t, 1, after.Frames[1].Sealed.Len())
	require.Equal(t, int64(2), totals(t, s, from, to).Sessions)
	require.Equal(t, int64(1), totals(t, s, today, to).Sessions)

	// A day without any session left, and one that nobody knows.
	remove("old")
	_, err = db.Pool.Exec(
		ctx, `insert into frame_invalidated (environment_id, home_day, xid)
			values ($1, '2020-02-02', pg_current_xact_id())`, environmentID,
	)
	require.NoError(t, err)
	require.Equal(t, int64(1), totals(t, s, from, to).Sessions)

	// A load that may have read what is gone does not count.
	r, day := s.replicas[environmentID], dayKey{frame.Sessions, frame.Day(today)}
	r.drop(day)
	r.mu.Lock()
	r.days[day].loading = &task{done: make(chan struct{})}
	r.invalidate(day)
	r.mu.Unlock()
	require.NoError(t, s.wait(ctx, s.start(hangLimit, func(ctx context.Context, t *task) error {
		return s.loadDay(ctx, t, r, day)
	})))
	require.False(t, r.isLoaded(day))
	require.Equal(t, int64(1), totals(t, s, from, to).Sessions)
	require.Same(t, r, s.replicas[environmentID])
}

func TestConcurrentRequestsShareAPoll(t *testing.T) {
	db := pgtest.New(t)
	write(t, db.Pool, "v1", "a", today)
	s := newStore(t, db.Pool, Settings{MaxAge: time.Hour, FollowEach: time.Hour})
	totals(t, s, today, today.Add(time.Hour))
	polled := s.replicas[environmentID].lastPolled()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := s.View(context.Background(), environmentID, today, today.Add(time.Hour)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, polled, s.replicas[environmentID].lastPolled())
}

func TestBudget(t *testing.T) {
	db := pgtest.New(t)
	for day := range 6 {
		for i := range 300 {
			write(t, db.Pool, fmt.Sprintf("v%d", i), fmt.Sprintf("s%d-%d", day, i), today.AddDate(0, 0, -day))
		}
	}
	// What two days need, measured, and what reading a day takes besides.
	measure := newStore(t, db.Pool, Settings{})
	totals(t, measure, today.AddDate(0, 0, -1), today.Add(time.Hour))
	env := measure.replicas[environmentID].data
	// Frames may take eleven sixteenths.
	budget := (env.Bytes() + 2*env.DayBytes(frame.Sessions, frame.Day(today))) * 16 / 11

	s := newStore(t, db.Pool, Settings{Budget: budget + budget/10})
	for day := range 6 {
		from := today.AddDate(0, 0, -day)
		require.Equal(t, int64(300), totals(t, s, from, from.Add(time.Hour)).Sessions)
		require.LessOrEqual(t, s.Bytes(), s.frameBudget())
	}
	loaded := s.replicas[environmentID].frames()
	require.Greater(t, len(loaded), 1)
	_, err := s.View(context.Background(), environmentID, today.AddDate(0, 0, -6), today.Add(time.Hour))
	var field *analytics.FieldError
	require.ErrorAs(t, err, &field)
	require.Equal(t, "range", field.Field)
	require.ElementsMatch(t, loaded, s.replicas[environmentID].frames(), "a range that is too large drops nothing")
	require.Equal(t, int64(300), totals(t, s, today, today.Add(time.Hour)).Sessions, "smaller ranges still work")
}

func TestUnavailableStoreIsSaidAndRecovers(t *testing.T) {
	db := pgtest.New(t)
	write(t, db.Pool, "v1", "a", today)
	s := newStore(t, db.Pool, Settings{Patience: time.Second})
	require.Equal(t, int64(1), totals(t, s, today, today.Add(time.Hour)).Sessions)
	ctx := context.Background()
	// A lock on the table stands for a database that hangs.
	tx, err := db.Pool.Begin(ctx)
	require.NoError(t, err)
	_, err = tx.Exec(ctx, `lock table product_session in access exclusive mode`)
	require.NoError(t, err)
	begun := time.Now()
	_, err = s.View(ctx, environmentID, today, today.Add(time.Hour))
	require.ErrorIs(t, err, analytics.ErrUnavailable)
	require.Less(t, time.Since(begun), 5*time.Second)
	_, err = newStore(t, db.Pool, Settings{Patience: time.Second}).View(ctx, environmentID, today, today.Add(time.Hour))
	require.ErrorIs(t, err, analytics.ErrUnavailable)
	require.NoError(t, tx.Rollback(ctx))
	require.Equal(t, int64(1), totals(t, s, today, today.Add(time.Hour)).Sessions)

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = s.View(canceled, environmentID, today, today.Add(time.Hour))
	require.True(t, errors.Is(err, context.Canceled) && !errors.Is(err, analytics.ErrUnavailable), "%v", err)
}

func TestMembersAreCached(t *testing.T) {
	db := pgtest.New(t)
	write(t, db.Pool, "v1", "a", today)
	s := newStore(t, db.Pool, Settings{})
	segment := &analytics.Segment{
		ID: "s",
		Rules: &analytics.SegmentRules{
			Days: 2, Cross: []analytics.Filter{{Dimension: analytics.Page, Values: []string{"/"}}},
		},
	}
	m, err := s.Members(context.Background(), environmentID, segment, today.Add(time.Minute))
	require.NoError(t, err)
	require.Equal(t, 1, m.Count())
	again, err := s.Members(context.Background(), environmentID, segment, today.Add(time.Minute))
	require.NoError(t, err)
	require.Same(t, m, again)
}

// The imported ids of a stored segment are read when it is evaluated, not at each request, and who its members are
// counts as memory that may be given up.
func TestImportedIDsAreReadOnce(t *testing.T) {
	db := pgtest.New(t)
	for i := range 200 {
		write(t, db.Pool, fmt.Sprintf("v%d", i), fmt.Sprintf("s%d", i), today)
	}
	s := newStore(t, db.Pool, Settings{})
	now, reads := today.Add(time.Minute), 0
	members := func(version string) *report.Members {
		t.Helper()
		segment := &analytics.Segment{ID: "s", Version: version, ReadImported: func(context.Context) ([]string, []string, error) {
			reads++
			return []string{"v1", "v2", "nobody"}, nil, nil
		}}
		m, err := s.Members(t.Context(), environmentID, segment, now)
		require.NoError(t, err)
		require.Equal(t, 2, m.Count())
		return m
	}
	_, err := s.View(t.Context(), environmentID, now, now)
	require.NoError(t, err)
	before := s.Bytes()
	first := members("1")
	require.Same(t, first, members("1"))
	require.Equal(t, 1, reads)
	require.Positive(t, first.Bytes())
	require.Equal(t, first.Bytes(), s.Bytes()-before)
	members("2")
	require.Equal(t, 2, reads)
	require.Equal(t, 2*first.Bytes(), s.Bytes()-before)

	// Just less than what is held: members are given up, as they were used before the day that a report asks for now.
	totals(t, s, today, now)
	held := s.Bytes()
	s.settings.Budget = (held - 1) * 16 / 11
	for s.frameBudget() >= held {
		s.settings.Budget--
	}
	s.trim()
	require.Less(t, len(s.members), 2)
	require.LessOrEqual(t, s.Bytes(), s.frameBudget())
}
