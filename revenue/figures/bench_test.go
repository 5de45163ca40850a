package figures_test

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/internal/pgtest"
	"github.com/svc-dev/svc/revenue/figures"
)

// BenchmarkFigures times every figure of a year over a ledger of SVC_BENCH_LEDGER charges (10,000 unless it is set) of
// monthly subscriptions, a twentieth of which are refunded.
func BenchmarkFigures(b *testing.B) {
	rows, err := strconv.Atoi(cmp.Or(os.Getenv("SVC_BENCH_LEDGER"), "10000"))
	require.NoError(b, err)
	db := pgtest.New(b)
	loader, err := db.Pool.Acquire(b.Context())
	require.NoError(b, err)
	defer loader.Release()
	_, err = loader.Exec(b.Context(), `set statement_timeout = 0`)
	require.NoError(b, err)
	_, err = loader.Exec(b.Context(), `
		with charge as (
			select i, 'sub' || i / 10 as sub, 'person' || i / 10 as person,
				timestamptz '2025-06-01Z' + make_interval(days => (i / 10) % 300 + 30 * (i % 10)) as at
			from generate_series(0, $2::int - 1) i
		), charged as (
			insert into revenue_ledger (environment_id, source, provider, transaction_key, kind, provider_event_id,
				subscription_key, app_user_id, occurred_at, amount_micros, product_id, store, country, period_start, period_end)
			select $1, 'webhook', 'stripe', 'in' || i, case when i % 10 = 0 then 'originating' else 'renewal' end, 'evt' || i,
				sub, person, at, 9990000, 'product' || i % 7, 'stripe', 'C' || i % 30, at, at + interval '30 days' from charge
		), refunded as (
			insert into revenue_ledger (environment_id, source, provider, transaction_key, kind, provider_event_id, refers_to,
				subscription_key, app_user_id, occurred_at, charged_at, amount_micros, store)
			select $1, 'webhook', 'stripe', 're' || i, 'refund', 'evtr' || i, 'in' || i, sub, person, at + interval '3 days', at,
				-9990000, 'stripe' from charge where i % 20 = 0
		)
		insert into subscription_period (environment_id, provider, transaction_key, subscription_key, provider_event_id,
			period_type, starts_at, ends_at, auto_renew, amount_micros, product_id, store, country, app_user_id)
		select $1, 'stripe', 'in' || i, sub, 'evt' || i, 'normal', at, at + interval '30 days', true, 9990000,
			'product' || i % 7, 'stripe', 'C' || i % 30, person from charge`, environment, rows)
	require.NoError(b, err)
	_, err = loader.Exec(b.Context(), `vacuum analyze revenue_ledger, subscription_period`)
	require.NoError(b, err)
	scope, err := figures.Scope{EnvironmentID: environment, Start: at(1), End: at(366)}.Resolve(at(366))
	require.NoError(b, err)
	scope.Start, scope.End = scope.Start.AddDate(0, -6, 0), scope.End.AddDate(0, -6, 0)
	b.Run("first read", func(b *testing.B) {
		for b.Loop() {
			ledgers := figures.NewLedgers(db.Pool, figures.Settings{Budget: 1 << 30})
			_, err := ledgers.Reader(scope, scope.End.Add(time.Hour)).Totals(b.Context())
			require.NoError(b, err)
			b.ReportMetric(float64(ledgers.Bytes())/float64(rows), "held-B/charge")
		}
	})
	of := figures.NewLedgers(db.Pool, figures.Settings{Budget: 1 << 30}).Reader(scope, scope.End.Add(time.Hour))
	for name, read := range map[string]func(ctx context.Context) error{
		"totals":    func(ctx context.Context) error { _, err := of.Totals(ctx); return err },
		"series":    func(ctx context.Context) error { _, err := of.Series(ctx, analytics.Day); return err },
		"breakdown": func(ctx context.Context) error { _, err := of.Breakdown(ctx, figures.Country); return err },
		"subscriptions": func(ctx context.Context) error {
			_, err := of.SubscriptionSeries(ctx, analytics.Month)
			return err
		},
		"lifetime":  func(ctx context.Context) error { _, err := of.LifetimeValue(ctx, 30); return err },
		"retention": func(ctx context.Context) error { _, err := of.Retention(ctx); return err },
	} {
		require.NoError(b, read(b.Context())) // what is read first
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, read(b.Context()))
			}
		})
	}
}
