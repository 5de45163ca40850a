package store

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/internal/mapped"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const manyDays = 90

// manySessions writes sessions over manyDays days until today, with values of every kind.
func manySessions(t testing.TB, pool *pgxpool.Pool, sessions, visitors int) {
	t.Helper()
	for _, statement := range []struct {
		sql  string
		args []any
	}{
		{`insert into event_name (environment_id, id, kind, text, text_hash)
			select 7, i, case when i <= 20 then 4 when i <= 25 then 5 when i = 26 then 1 else 6 end, case when i = 26 then ''
			else 'name ' || i end, gen_random_uuid() from generate_series(1, 35) i`, nil},
		// A hit is (ms since 2020) << 22 | name.
		{`insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, source,
			medium, campaign, referrer, landing_url,
				country, region, city, latitude, longitude, platform, device, browser, os, changed_xid, hits)
			select 7, 'visitor ' || (i * 7919) % $2, 's' || i, at, at + (n - 1) * interval '20 minutes', at::date,
				'source ' || i % 17, (array['cpc', 'organic', 'email', ''])[1 + i % 4], 'campaign ' || i % 13, case when i % 3 = 0
				then 'https://ref' || i % 11 || '.example/' else '' end, '',
				'C' || i % 23 % 7, 'R' || i % 23 % 11, 'City ' || i % 23, i % 23 % 9, i % 23 % 17, (array['web', 'ios',
				'android'])[1 + i % 3], 'device ' || i % 4, 'browser ' || i % 5, 'os ' || i % 6, pg_current_xact_id(),
				(select array_agg((((extract(epoch
				from at) * 1000)::bigint - 1577836800000 + h * 1200000) << 22) | (1 + (i * 7 + h * h) % 35))
				from generate_series(0, n - 1) h)
			from (select i, 1 + (i * 13) % 9 as n, timestamptz '2026-11-20 12:00Z' - (i::float8 / $1) * $3 * interval '1 day'
			as at from generate_series(0, $1 - 1) i) s`,
			[]any{sessions, visitors, manyDays}},
		{`insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at, session_rank,
			session_started_at, session_id, custom_user_id, source, campaign, country, platform, device, changed_xid)
			select distinct on (app_user_id) 7, app_user_id, started_at, 0, started_at, session_id, 'user ' || app_user_id,
			source, campaign, country, platform, device, changed_xid
			from product_session order by app_user_id, started_at`, nil},
		{`insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at,
			amount_micros)
			select 7, (array['stripe', 'superwall', 'revenuecat'])[1 + i % 3], 'e' || i, (array['originating', 'originating',
			'renewal', 'refund'])[1 + i % 4],
				case when i % 10 = 0 then '' when i % 10 = 1 then 'nobody ' || i
				else 'visitor ' || (i * 37) % $1 end, timestamptz '2026-11-20 11:00Z' - i * interval '3 hours', 1000 + i
			from generate_series(1, 500) i`, []any{visitors}},
	} {
		_, err := pool.Exec(context.Background(), statement.sql, statement.args...)
		require.NoError(t, err)
	}
}

// everyReport returns the JSON of every report of a selection, all asked for at once as GraphQL does. A fault of a file
// panics.
func everyReport(t *testing.T, s *report.Selection) map[string]string {
	t.Helper()
	out, failures := map[string]string{}, map[string]error{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	ask := func(name string, f func() (any, error)) {
		wg.Go(func() {
			var rows any
			err := mapped.Guard(func() (err error) {
				rows, err = f()
				return err
			})
			text, _ := json.Marshal(rows)
			mu.Lock()
			defer mu.Unlock()
			out[name] = string(text)
			if err != nil {
				failures[name] = err
			}
		})
	}
	page := report.Page{First: 40}
	ask("summary", func() (any, error) { return s.Summary(t.Context()) })
	for _, grain := range []analytics.Grain{analytics.Day, analytics.Week} {
		ask("series "+string(grain), func() (any, error) { return s.Series(t.Context(), grain) })
		ask("returning "+string(grain), func() (any, error) { return s.RetentionSeries(t.Context(), grain, nil) })
		ask("cohorts "+string(grain), func() (any, error) {
			return s.RetentionCohorts(t.Context(), grain, &report.Drill{Dimension: analytics.Source, Value: "source 3"})
		})
	}
	for _, d := range analytics.AttributionDimensions {
		ask(string(d), func() (any, error) { return s.Attribution(t.Context(), d, page) })
	}
	ask("source series", func() (any, error) {
		return s.AttributionSeries(t.Context(), analytics.Source, report.Revenue, analytics.Week)
	})
	for _, d := range analytics.LocationDimensions {
		ask(string(d), func() (any, error) { return s.Demographic(t.Context(), d, page) })
	}
	ask("city series", func() (any, error) {
		return s.DemographicSeries(t.Context(), analytics.City, report.BounceRate, analytics.Week)
	})
	for _, d := range analytics.TechnologyDimensions {
		ask(string(d), func() (any, error) { return s.Technology(t.Context(), d, page) })
	}
	ask("pages", func() (any, error) { return s.Pages(t.Context(), page) })
	ask("entries", func() (any, error) { return s.Entries(t.Context(), page) })
	ask("exits", func() (any, error) { return s.Exits(t.Context(), page) })
	for _, metric := range report.PagePointMetrics {
		ask("page series "+string(metric), func() (any, error) {
			return s.EngagementSeries(t.Context(), analytics.Page, metric, analytics.Day)
		})
	}
	ask("screens", func() (any, error) { return s.Screens(t.Context(), page) })
	ask("events", func() (any, error) { return s.Events(t.Context(), page) })
	ask("event series", func() (any, error) { return s.EventsSeries(t.Context(), report.Count, analytics.Day) })
	ask("event series visitors", func() (any, error) {
		return s.EventsSeries(t.Context(), report.Visitors, analytics.Day)
	})
	ask("overview", func() (any, error) { return s.Overview(t.Context()) })
	ask("retention", func() (any, error) { return s.Retention(t.Context()) })
	for _, d := range analytics.RetentionDimensions {
		ask("retention by "+string(d), func() (any, error) { return s.RetentionBreakdown(t.Context(), d, page) })
	}
	ask("curve", func() (any, error) { return s.RetentionCurve(t.Context(), 0, nil) })
	for _, metric := range report.VisitorMetrics {
		ask("visitors by "+string(metric), func() (any, error) {
			return s.Visitors(t.Context(), report.Page{First: 40, OrderBy: metric, Search: "1"})
		})
	}
	ask("second page of visitors", func() (any, error) {
		first, err := s.Visitors(t.Context(), report.Page{First: 25, OrderBy: report.Sessions})
		if err != nil {
			return nil, err
		}
		return s.Visitors(t.Context(), report.Page{First: 25, OrderBy: report.Sessions, After: first.EndCursor()})
	})
	wg.Wait()
	for name, err := range failures {
		if errors.Is(err, mapped.ErrFault) {
			panic(err)
		}
		t.Errorf("%s: %v", name, err)
	}
	return out
}

// someReports returns the JSON of a few reports of different kinds.
func someReports(t *testing.T, s *report.Selection) []string {
	t.Helper()
	out := make([]string, 4)
	var wg sync.WaitGroup
	for i, f := range []func() (any, error){
		func() (any, error) { return s.Overview(t.Context()) },
		func() (any, error) { return s.Summary(t.Context()) },
		func() (any, error) { return s.Visitors(t.Context(), report.Page{}) },
		func() (any, error) { return s.RetentionCohorts(t.Context(), analytics.Week, nil) },
	} {
		wg.Go(func() {
			rows, err := f()
			text, _ := json.Marshal(rows)
			if out[i] = string(text); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return out
}

// watch samples what a store holds until stop, which returns the most that was seen.
func watch(s *Store) (stop func() int64) {
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		peak := int64(0)
		for {
			peak = max(peak, s.Bytes())
			select {
			case <-done:
				most <- peak
				return
			default:
				time.Sleep(50 * time.Microsecond)
			}
		}
	}()
	return func() int64 { close(done); return <-most }
}

// A range ten times larger than the budget is answered as if memory held it, within the budget, and
// without dropping the frames that small ranges use.
func TestARangeTenTimesTheBudget(t *testing.T) {
	skipLarge(t)
	db := pgtest.New(t)
	manySessions(t, db.Pool, 35_000, 1_000)
	from, to := today.AddDate(0, 0, -manyDays+30), today.Add(time.Hour)
	unlimited := newStore(t, db.Pool, Settings{})
	scope := analytics.Scope{Start: from, End: to}
	whole, err := unlimited.Select(t.Context(), environmentID, scope, true, false, to)
	require.NoError(t, err)
	require.Zero(t, unlimited.scanned.Load())
	needed := unlimited.Bytes()

	// The time that a reading may take is not what this is about, and a slow machine needs more of it.
	s := newStore(t, db.Pool, Settings{Budget: needed / 10, StreamFor: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	peak := watch(s)
	day, err := s.Select(ctx, environmentID, analytics.Scope{Start: today, End: to}, false, false, to)
	require.NoError(t, err)
	_, err = day.Totals(t.Context())
	require.NoError(t, err)

	want := everyReport(t, whole)
	selection, err := s.Select(ctx, environmentID, scope, true, false, to)
	require.NoError(t, err)
	other, err := s.Select(ctx, environmentID, scope, false, false, to)
	require.NoError(t, err)
	require.EqualValues(t, 2, s.scanned.Load())
	var wg sync.WaitGroup
	wg.Go(func() {
		overview, err := other.Overview(t.Context())
		if text, _ := json.Marshal(overview); err != nil || string(text) != want["overview"] {
			t.Errorf("the overview beside other reports: %v %.500s", err, text)
		}
	})
	for name, got := range everyReport(t, selection) {
		require.Equal(t, want[name], got, name)
	}
	wg.Wait()
	filtered := scope
	filtered.Platform, filtered.Location = analytics.Mobile, time.FixedZone("", 5400)
	filtered.Cross = []analytics.Filter{
		{Dimension: analytics.Page, Operator: analytics.Contains, Values: []string{"name 1"}},
		{Dimension: analytics.Source, Operator: analytics.IsNot, Values: []string{"source 3"}},
	}
	filtered.Segment = &analytics.Segment{ID: "s", AppUserIDs: []string{
		"visitor 1", "visitor 8",
	}, Rules: &analytics.SegmentRules{
		Days: 60, Cross: []analytics.Filter{{Dimension: analytics.Country, Values: []string{"C1", "C2", "C3"}}}}}
	whole, err = unlimited.Select(t.Context(), environmentID, filtered, true, false, to)
	require.NoError(t, err)
	cancel()
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	selection, err = s.Select(ctx, environmentID, filtered, true, false, to)
	require.NoError(t, err)
	some, got := someReports(t, whole), someReports(t, selection)
	require.Equal(t, some, got)
	most := peak()
	t.Logf(
		"%d bytes in memory at once would be needed, the budget is %d, the most held was %d", needed, s.settings.Budget, most,
	)
	require.LessOrEqual(t, most, s.settings.Budget)
	require.Positive(t, most)
	cancel()
	require.Eventually(t, func() bool {
		return s.streaming.Load() == 0 && s.loading.Load() == 0
	}, 5*time.Second, time.Millisecond)
}

// overBudget returns a store whose budget holds no day of many sessions, and a scope over all of them.
func overBudget(t *testing.T, settings Settings) (*Store, *pgxpool.Pool, analytics.Scope) {
	t.Helper()
	db := pgtest.New(t)
	manySessions(t, db.Pool, 9_000, 300)
	settings.Budget = 250_000
	return newStore(t, db.Pool, settings), db.Pool, analytics.Scope{
		Start: today.AddDate(0, 0, -manyDays), End: today.Add(time.Hour),
	}
}

// A reading ends with its request, also while it waits for the portion of another.
func TestAScanEndsWithItsRequest(t *testing.T) {
	s, _, scope := overBudget(t, Settings{StreamFor: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	selection, err := s.Select(ctx, environmentID, scope, false, false, scope.End)
	require.NoError(t, err)
	_, err = selection.Totals(ctx)
	require.NoError(t, err)

	leave, err := s.portions.take(ctx, environmentID) // stands for the portion of another request
	require.NoError(t, err)
	failed := make(chan error)
	go func() {
		_, err := selection.Overview(ctx)
		failed <- err
	}()
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
	leave()

	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	within := sessionsIn(scope.Start.UnixMilli(), scope.End.UnixMilli())
	scan, err := s.newScan(ctx, environmentID, within.span, within)
	require.NoError(t, err)
	portions := 0
	err = scan.Each(ctx, func(*frame.View) error {
		if portions++; portions == 2 {
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 2, portions)
	require.Eventually(t, func() bool {
		return s.streaming.Load() == 0 && s.portions.turns.Free() == 1
	}, 5*time.Second, time.Millisecond)
}

// A portion that can't be used ends the reading: the portions after it are not read.
func TestAScanEndsWithAFailedPortion(t *testing.T) {
	s, _, scope := overBudget(t, Settings{StreamFor: time.Hour})
	within := sessionsIn(scope.Start.UnixMilli(), scope.End.UnixMilli())
	scan, err := s.newScan(t.Context(), environmentID, within.span, within)
	require.NoError(t, err)
	portions, failure := 0, errors.New("the second portion can't be used")
	err = scan.Each(t.Context(), func(*frame.View) error {
		if portions++; portions == 2 {
			return failure
		}
		return nil
	})
	require.ErrorIs(t, err, failure)
	require.Equal(t, 2, portions)
}

// A reading that takes too long says so and names the range.
func TestAScanIsLimitedInTime(t *testing.T) {
	s, _, scope := overBudget(t, Settings{StreamFor: time.Millisecond})
	selection, err := s.Select(t.Context(), environmentID, scope, false, false, scope.End)
	if err == nil {
		_, err = selection.Overview(t.Context())
	}
	var field *analytics.FieldError
	require.ErrorAs(t, err, &field)
	require.Equal(t, "range", field.Field)
	require.Contains(t, field.Message, "longer than 1ms")

	// A request that has a deadline itself still says why, and before it.
	s, _, scope = overBudget(t, Settings{StreamFor: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), deadlineMargin+50*time.Millisecond)
	defer cancel()
	within := sessionsIn(scope.Start.UnixMilli(), scope.End.UnixMilli())
	scan, err := s.newScan(ctx, environmentID, within.span, within)
	if err == nil {
		err = scan.Each(ctx, func(*frame.View) error { <-time.After(time.Until(scan.until)); return nil })
	}
	require.ErrorAs(t, err, &field)
	require.NoError(t, ctx.Err())
}

// A database that hangs while a range is read in portions is said to be unavailable, and the next
// reading works again.
func TestAScanOfADatabaseThatHangs(t *testing.T) {
	const patience = 3 * time.Second // a busy machine may make no progress for one
	s, pool, scope := overBudget(t, Settings{Patience: patience})
	selection, err := s.Select(t.Context(), environmentID, scope, false, false, scope.End)
	require.NoError(t, err)
	want, err := selection.Totals(t.Context())
	require.NoError(t, err)
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `lock table product_analytics_first_touch in access exclusive mode`)
	require.NoError(t, err)
	began := time.Now()
	_, err = selection.Totals(t.Context())
	require.ErrorIs(t, err, analytics.ErrUnavailable)
	require.Less(t, time.Since(began), 5*patience)
	require.NoError(t, tx.Rollback(t.Context()))
	got, err := selection.Totals(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// Live is read in portions when memory does not hold its sessions at once, and what fails then is never a matter of a
// range.
func TestLiveInPortions(t *testing.T) {
	db := pgtest.New(t)
	manySessions(t, db.Pool, 30, 30)
	_, err := db.Pool.Exec(t.Context(), `
		insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, country, city,
			platform, device, changed_xid, hits)
		select 7, 'online ' || i, 's', at, at, at::date, 'C' || i % 5, 'City ' || i % 7, (array['web', 'ios'])[1 + i % 2],
			'device ' || i % 3, pg_current_xact_id(),
			array[((extract(epoch from at) * 1000)::bigint - 1577836800000) << 22 | 1 + i % 35]
		from (select i, timestamptz '2026-11-20 12:30Z' - i * interval '400 milliseconds' as at
			from generate_series(1, 4000) i) s`)
	require.NoError(t, err)
	_, err = db.Pool.Exec(t.Context(), `
		insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at, session_rank,
			session_started_at, session_id, changed_xid)
		select environment_id, app_user_id, started_at, 0, started_at, session_id, changed_xid from product_session
			where app_user_id like 'online %'`)
	require.NoError(t, err)
	now := today.Add(30 * time.Minute)
	segment := &analytics.Segment{ID: "s", Version: "1", ReadImported: func(context.Context) ([]string, []string, error) {
		return []string{"online 3", "online 5", "online 3900", "visitor 1"}, nil, nil
	}}
	roomy := newStore(t, db.Pool, Settings{})
	_, err = roomy.Live(t.Context(), environmentID, "", segment, report.Page{}, now)
	require.NoError(t, err)
	s := newStore(t, db.Pool, Settings{Budget: roomy.Bytes(), StreamFor: time.Hour}) // frames have eleven sixteenths of it
	for _, ask := range []struct {
		platform string
		segment  *analytics.Segment
		page     report.Page
		online   int
	}{
		{online: 750}, {page: report.Page{First: 5}, online: 750}, {platform: analytics.IOS, online: 375},
		{platform: analytics.Android}, {segment: segment, online: 2},
	} {
		want, err := roomy.Live(t.Context(), environmentID, ask.platform, ask.segment, ask.page, now)
		require.NoError(t, err)
		require.Equal(t, ask.online, want.Count)
		scanned := s.scanned.Load()
		got, err := s.Live(t.Context(), environmentID, ask.platform, ask.segment, ask.page, now)
		require.NoError(t, err)
		require.Greater(t, s.scanned.Load(), scanned, "it was read in portions")
		require.Equal(t, want, got)
	}

	s = newStore(t, db.Pool, Settings{Budget: roomy.Bytes(), StreamFor: time.Nanosecond})
	_, err = s.Live(t.Context(), environmentID, "", nil, report.Page{}, now)
	var field *analytics.FieldError
	require.ErrorIs(t, err, analytics.ErrUnavailable)
	require.NotErrorAs(t, err, &field)
}
