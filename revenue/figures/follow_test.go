package figures_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/revenue/fold"
)

// What is committed is in the next figure: new rows, rows that change and rows that are no longer.
func TestFiguresFollowTheLedger(t *testing.T) {
	t.Parallel()
	a, ctx := newApp(t), t.Context()
	june := figures.Scope{Start: at(1), End: at(31)}
	totals := func() *figures.Totals {
		t.Helper()
		found, err := a.read(june).Totals(ctx)
		require.NoError(t, err)
		return found
	}
	require.Equal(t, &figures.Totals{}, totals())
	a.revenueCat("INITIAL_PURCHASE", "one", 1, 10, `"transaction_id": "a", `+until(31))
	require.EqualValues(t, 10e6, totals().Gross)
	a.revenueCat("NON_RENEWING_PURCHASE", "two", 2, 5, `"transaction_id": "b"`)
	found := totals()
	require.EqualValues(t, 15e6, found.Gross)
	require.EqualValues(t, 2, found.Customers)
	require.EqualValues(t, 15e6, found.New)

	// Both turn out to be one person's, who then is erased.
	ledger := revenue.New(a.db.Pool, revenue.Options{})
	record := func(pgx.Tx) error { return nil }
	for _, subject := range []string{"one", "b"} {
		require.NoError(t, ledger.MapByHand(ctx, environment, fold.RevenueCat, subject, "ann", record))
	}
	_, err := a.db.Pool.Exec(ctx, `
		insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at, session_rank,
			session_started_at, session_id, source, medium, platform, changed_xid)
		values ($1, 'ann', $2, 1, $2, 's', 'google', 'cpc', 'web', pg_current_xact_id())`, environment, at(1))
	require.NoError(t, err)
	found = totals()
	require.EqualValues(t, 1, found.Customers)
	require.EqualValues(t, 15e6, found.New) // of what one customer bought twice, both are first payments
	channels := func() (names []string) {
		t.Helper()
		rows, err := a.read(june).Breakdown(ctx, figures.AcquisitionChannel)
		require.NoError(t, err)
		for _, row := range rows {
			names = append(names, row.Value)
		}
		return names
	}
	require.Equal(t, []string{"Paid Search"}, channels())
	_, err = a.db.Pool.Exec(ctx, `
		update product_analytics_first_touch set medium = 'email', source = 'news', changed_xid = pg_current_xact_id()
		where environment_id = $1`, environment)
	require.NoError(t, err)
	require.Equal(t, []string{"Email"}, channels(), "a first touch that changes")
	subscriptions, err := a.read(june).Subscriptions(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 1, subscriptions.State.Active)

	// A delivery that is read otherwise by a newer version leaves nothing of what it was.
	_, err = a.db.Pool.Exec(ctx, `
		update provider_event set body = convert_to(replace(convert_from(body, 'UTF8'), 'INITIAL_PURCHASE', 'TEST'), 'UTF8')
		where environment_id = $1`, environment)
	require.NoError(t, err)
	_, err = ledger.Replay(ctx, environment)
	require.NoError(t, err)
	require.EqualValues(t, 5e6, totals().Gross)
	subscriptions, err = a.read(june).Subscriptions(ctx)
	require.NoError(t, err)
	require.Zero(t, subscriptions.State.Active)

	fresh := figures.NewLedgers(a.db.Pool, figures.Settings{})
	scope, err := figures.Scope{EnvironmentID: environment, Start: at(1), End: at(31)}.Resolve(a.now)
	require.NoError(t, err)
	read, err := fresh.Reader(scope, a.now).Totals(ctx)
	require.NoError(t, err)
	require.Equal(t, read, totals(), "whoever reads everything anew finds the same")
}

// A transaction that began before another one and ends after it is not missed.
func TestFiguresFollowLateTransactions(t *testing.T) {
	t.Parallel()
	a, ctx := newApp(t), t.Context()
	insert := `insert into revenue_ledger (environment_id, provider, provider_event_id, kind, occurred_at, amount_micros)
		values ($1, 'stripe', $2, 'originating', $3, 1000000)`
	late, err := a.db.Pool.Begin(ctx)
	require.NoError(t, err)
	defer func() { _ = late.Rollback(context.WithoutCancel(ctx)) }()
	_, err = late.Exec(ctx, insert, environment, "late", at(2))
	require.NoError(t, err)
	for i := range 3 {
		_, err = a.db.Pool.Exec(ctx, insert, environment, fmt.Sprint("early", i), at(2))
		require.NoError(t, err)
		totals, err := a.read(figures.Scope{Start: at(1), End: at(31)}).Totals(ctx)
		require.NoError(t, err)
		require.EqualValues(t, (i+1)*1e6, totals.Gross)
	}
	require.NoError(t, late.Commit(ctx))
	totals, err := a.read(figures.Scope{Start: at(1), End: at(31)}).Totals(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 4e6, totals.Gross)
}

// Memory is bounded: environments that were not asked for give way, one that is too large is read in portions, and one
// customer who is too large is refused.
func TestLedgersHaveABudget(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for environment, rows := range map[int]int{1: 3000, 2: 3000, 3: 10_000, 4: 10_000} {
		_, err := db.Pool.Exec(t.Context(), `
			insert into revenue_ledger (environment_id, provider, provider_event_id, kind, occurred_at, amount_micros,
				app_user_id)
			select $1::int, 'stripe', 'e' || i, 'originating', $3, 1000000, case $1::int when 4 then 'one' else '' end
			from generate_series(1, $2::int) i`, environment, rows, at(2))
		require.NoError(t, err)
	}
	_, err := db.Pool.Exec(t.Context(), `
		insert into revenue_ledger (environment_id, provider, provider_event_id, kind, occurred_at, amount_micros,
			app_user_id)
		select 4, 'stripe', 'other' || i, 'originating', $1, 1000000, 'other' || i from generate_series(1, 1500) i`, at(2))
	require.NoError(t, err)
	const budget = 1 << 20
	ledgers := figures.NewLedgers(db.Pool, figures.Settings{Budget: budget})
	gross := func(environment int64) (int64, error) {
		scope, err := figures.Scope{EnvironmentID: environment, Start: at(1), End: at(31)}.Resolve(at(60))
		require.NoError(t, err)
		totals, err := ledgers.Reader(scope, at(60)).Totals(t.Context())
		if err != nil {
			return 0, err
		}
		return totals.Gross, nil
	}
	for range 2 {
		for environment := range int64(2) {
			found, err := gross(environment + 1)
			require.NoError(t, err)
			require.EqualValues(t, 3000e6, found)
			require.LessOrEqual(t, ledgers.Bytes(), int64(budget))
		}
	}
	var asking sync.WaitGroup
	for range 8 { // some of whom share a reading
		asking.Go(func() {
			found, err := gross(3)
			assert.NoError(t, err)
			assert.EqualValues(t, 10_000e6, found)
		})
	}
	asking.Wait()
	_, err = gross(4)
	require.True(t, fault.Is(err, fault.ReportsDown), "%v", err)
	require.ErrorContains(t, err, "has 10000 of 11500 charges")
	require.LessOrEqual(t, ledgers.Bytes(), int64(budget))
	found, err := gross(1)
	require.NoError(t, err)
	require.EqualValues(t, 3000e6, found)
}

// A sum of more than 64 bits is the end of their range, and what is taken from it later is exact.
func TestFiguresOfHugeAmounts(t *testing.T) {
	t.Parallel()
	a, ctx := newApp(t), t.Context()
	for i := range 4 {
		kind, amount := "originating", int64(math.MaxInt64)
		if i == 3 {
			kind, amount = "refund", math.MinInt64
		}
		_, err := a.db.Pool.Exec(ctx, `
			insert into revenue_ledger (environment_id, source, provider, provider_event_id, transaction_key, kind, occurred_at,
				amount_micros, tax_ppm, period_start, period_end)
			values ($1, 'webhook', 'stripe', $2, $2, $3, $4, $5, 100000, $4, $6)`,
			environment, fmt.Sprint("e", i), kind, at(2), amount, at(3))
		require.NoError(t, err)
		_, err = a.db.Pool.Exec(ctx, `
			insert into subscription_period (environment_id, provider, transaction_key, subscription_key, provider_event_id,
				period_type, starts_at, ends_at, auto_renew, amount_micros, store)
			values ($1, 'stripe', $2, $2, $2, 'normal', $3, $4, true, $5, 'stripe')`,
			environment, fmt.Sprint("e", i), at(2), at(3), amount)
		require.NoError(t, err)
	}
	scope := figures.Scope{Start: at(1), End: at(31)}
	totals, err := a.read(scope).Totals(ctx)
	require.NoError(t, err)
	require.Equal(t, int64(math.MaxInt64), totals.Gross)
	require.Equal(t, int64(math.MaxInt64), totals.Refunds)
	const tenth = math.MaxInt64/10 + 1 // rounded
	require.EqualValues(t, int64(2*tenth), totals.Tax)
	series, err := a.read(scope).SubscriptionSeries(ctx, analytics.Day)
	require.NoError(t, err)
	require.Equal(t, int64(math.MaxInt64), series[1].State.MRR)
	require.Equal(t, int64(math.MaxInt64), series[1].State.ARR())
	require.Zero(t, series[2].State.MRR, "what is over is over")
}
