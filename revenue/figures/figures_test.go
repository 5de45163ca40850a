package figures_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/revenue/fold"
)

const environment = 7

var june = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

func at(day int) time.Time { return june.AddDate(0, 0, day-1) }

// app is what providers reported of an app.
type app struct {
	t     *testing.T
	db    *postgres.DB
	store *figures.Ledgers
	now   time.Time
	n     int
}

func newApp(t *testing.T) *app {
	db := pgtest.New(t)
	return &app{t: t, db: db, store: figures.NewLedgers(db.Pool, figures.Settings{}), now: at(60)}
}

// revenueCat delivers an event of a subscription of a person, as members of the event.
func (a *app) revenueCat(kind, subscription string, day int, price float64, more string) {
	a.t.Helper()
	a.n++
	body := fmt.Sprintf(`{"event": {"id": "e%d", "type": %q, "event_timestamp_ms": %d, "purchased_at_ms": %[3]d,
		"store": "APP_STORE", "product_id": "pro", "country_code": "DE", "app_user_id": "person of %s", "price": %v,
		"subscriber_attributes": {"svc_app_user_id": {"value": "%[4]s"}}, "tax_percentage": 0.2,
		"commission_percentage": 0.15, "original_transaction_id": %[4]q, %[6]s}}`,
		a.n, kind, at(day).UnixMilli(), subscription, price, more)
	receipt, err := revenue.New(a.db.Pool, revenue.Options{}).Receive(context.Background(), revenue.Delivery{
		Provider: fold.RevenueCat, Live: environment, Test: environment + 1, Body: []byte(body),
	})
	require.NoError(a.t, err)
	require.Equal(a.t, fold.Handled, receipt.Verdict.State, receipt.Verdict.Reason)
}

func (a *app) read(scope figures.Scope) *figures.Reader {
	a.t.Helper()
	scope.EnvironmentID = environment
	scope, err := scope.Resolve(a.now)
	require.NoError(a.t, err)
	return a.store.Reader(scope, a.now)
}

func until(day int) string { return fmt.Sprintf(`"expiration_at_ms": %d`, at(day).UnixMilli()) }

// One subscription after the other: a monthly one with a trial that is refunded in July, and a yearly one that is not
// renewed.
func TestFiguresOfAFewSubscriptions(t *testing.T) {
	t.Parallel()
	a, ctx := newApp(t), t.Context()
	a.revenueCat("INITIAL_PURCHASE", "monthly", 1, 0, `"transaction_id": "m0", "period_type": "TRIAL", `+until(8))
	a.revenueCat("RENEWAL", "monthly", 8, 10, `"transaction_id": "m1", "is_trial_conversion": true, `+until(38))
	a.revenueCat("RENEWAL", "monthly", 38, 10, `"transaction_id": "m2", `+until(69))
	a.revenueCat("CANCELLATION", "monthly", 35, -10, `"transaction_id": "m1", "cancel_reason": "CUSTOMER_SUPPORT"`)
	a.revenueCat("INITIAL_PURCHASE", "yearly", 20, 120, `"transaction_id": "y1", `+until(385))
	a.revenueCat("INITIAL_PURCHASE", "tried", 3, 0, `"transaction_id": "t0", "period_type": "TRIAL", `+until(10))

	inJune := figures.Scope{Start: at(1), End: at(31)}
	totals, err := a.read(inJune).Totals(ctx)
	require.NoError(t, err)
	require.Equal(t, &figures.Totals{
		Gross: 130e6, New: 130e6, Tax: 26e6, Commission: 19_500_000, Transactions: 2, Refunded: 1, Customers: 2,
	}, totals, "the refund is in July, and of a transaction of June")
	require.EqualValues(t, 84_500_000, totals.Proceeds())
	inJune.Basis = figures.ByCharge
	totals, err = a.read(inJune).Totals(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 10e6, totals.Refunds, "which changes the past by that of its charge")
	require.EqualValues(t, 120e6, totals.Net())
	july := figures.Scope{Start: at(31), End: at(60)}
	totals, err = a.read(july).Totals(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 0, totals.New)
	require.EqualValues(t, 10e6, totals.Renewal())
	require.EqualValues(t, 0, totals.Net())

	found, err := a.read(inJune).Subscriptions(ctx)
	require.NoError(t, err)
	require.Equal(t, figures.State{Active: 2, MRR: 20e6}, found.State, "10 a month and 120 a year")
	require.EqualValues(t, 240e6, found.State.ARR())
	require.Equal(t, figures.Movement{New: 20e6}, found.Movement)
	require.Equal(t, figures.Trials{Started: 2, Converted: 1}, found.Trials)
	require.EqualValues(t, 1, found.Trials.Abandoned())
	series, err := a.read(inJune).SubscriptionSeries(ctx, analytics.Week)
	require.NoError(t, err)
	require.Len(t, series, 5)
	require.Equal(t, figures.State{Trials: 2}, series[0].State)
	require.Equal(t, figures.State{Active: 1, MRR: 10e6}, series[1].State)

	rows, err := a.read(inJune).Breakdown(ctx, figures.PeriodLength)
	require.NoError(t, err)
	require.Len(t, rows, 3)
	require.Equal(t, "P1Y", rows[0].Value)
	require.EqualValues(t, 10e6, rows[0].Subscriptions.MRR)
	require.Equal(t, "P1M", rows[1].Value)
	require.Equal(t, figures.Trials{Started: 2, Converted: 1}, rows[2].Trials, "trials of a week")
	inJune.Filters = []figures.Filter{{Dimension: figures.PeriodLength, Values: []string{"P1Y"}}}
	totals, err = a.read(inJune).Totals(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 120e6, totals.Gross)

	retention, err := a.read(figures.Scope{Start: at(1), End: at(31)}).Retention(ctx)
	require.NoError(t, err)
	require.Equal(t, []figures.SubscriptionRetention{
		{PeriodLength: "P1M", Periods: []figures.RetainedPeriod{{Period: 0, Due: 1, Paid: 1}, {Period: 1, Due: 1, Paid: 1}}},
		{PeriodLength: "P1Y", Periods: []figures.RetainedPeriod{{Period: 0, Due: 1, Paid: 1}}},
	}, retention)
}

// Whoever pays more, less, again or no longer moves recurring revenue by one of the five reasons.
func TestRecurringRevenueMoves(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	buy := func(subscription, transaction string, from, to int, price float64) {
		more := fmt.Sprintf(`"transaction_id": %q, `, transaction) + until(to)
		a.revenueCat("INITIAL_PURCHASE", subscription, from, price, more)
	}
	buy("new", "a", 35, 65, 1)
	buy("up", "b", 1, 31, 2)
	buy("up", "c", 31, 61, 6)
	buy("down", "d", 1, 31, 20)
	buy("down", "e", 31, 61, 12)
	buy("back", "f", 1, 10, 100)
	buy("back", "g", 40, 70, 16)
	buy("gone", "h", 5, 35, 32)
	buy("brief", "i", 32, 39, 64)
	found, err := a.read(figures.Scope{Start: at(31), End: at(59)}).Subscriptions(t.Context())
	require.NoError(t, err)
	require.Equal(t, figures.Movement{
		New: 1e6, Reactivation: 16e6, Expansion: 4e6, Contraction: 8e6, Churn: 32e6,
	}, found.Movement)
	require.Equal(t, figures.State{Active: 4, MRR: 35e6}, found.State)
	require.EqualValues(t, 3, found.ActiveAtStart)
	require.EqualValues(t, 2, found.Churned, "gone, and the brief one that came meanwhile")
}

// A lifetime value counts those whose day is over.
func TestLifetimeValue(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for person, day := range map[string]int{"early": 1, "late": 58, "never": 2, "before": -20} {
		_, err := a.db.Pool.Exec(t.Context(), `
			insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at, session_rank,
				session_started_at, session_id, source, medium, platform, changed_xid)
			values ($1, $2, $3, 1, $3, 's', 'google', 'cpc', 'web', pg_current_xact_id())`, environment, person, at(day))
		require.NoError(t, err)
	}
	a.revenueCat("NON_RENEWING_PURCHASE", "early", 1, 5, `"transaction_id": "a"`)
	a.revenueCat("NON_RENEWING_PURCHASE", "early", 4, 10, `"transaction_id": "b"`)
	a.revenueCat("NON_RENEWING_PURCHASE", "late", 58, 7, `"transaction_id": "c"`)
	a.revenueCat("NON_RENEWING_PURCHASE", "nobody", 6, 9, `"transaction_id": "d"`)
	of := a.read(figures.Scope{Start: at(1), End: at(60)})
	values, err := of.LifetimeValue(t.Context(), 3)
	require.NoError(t, err)
	require.Equal(t, []figures.LifetimeValue{
		{Day: 0, Customers: 3, Paying: 2, Net: 12e6}, {Day: 1, Customers: 3, Paying: 2, Net: 12e6},
		{Day: 2, Customers: 2, Paying: 1, Net: 5e6}, {Day: 3, Customers: 2, Paying: 1, Net: 15e6},
	}, values)
	require.InDelta(t, 15e6, *values[3].PerPayingCustomer(), 0)
	rows, err := of.Breakdown(t.Context(), figures.AcquisitionChannel)
	require.NoError(t, err)
	require.Equal(t, "Paid Search", rows[0].Value)
	require.EqualValues(t, 22e6, rows[0].Totals.Gross)
	require.Equal(t, "", rows[1].Value)
	_, err = of.LifetimeValue(t.Context(), 367)
	require.Error(t, err)
}
