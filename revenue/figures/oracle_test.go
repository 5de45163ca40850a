package figures_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/revenue"
	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/revenue/fold"
	"github.com/svc-dev/svc/revenue/moneyoracle"
)

// Whatever providers tell, in whatever order and however often, the figures are those of what happened, also where
// memory allows only some customers at a time.
func TestFiguresAreThoseOfWhatHappened(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	ledgers := figures.NewLedgers(db.Pool, figures.Settings{})
	small, portions := figures.NewLedgers(db.Pool, figures.Settings{}), 0
	for seed := range uint64(10) {
		w := moneyoracle.New(seed, at(200))
		id := int64(100 + 2*seed)
		require.NoError(t, w.Store(t.Context(), db.Pool, id))
		for i, d := range w.Deliveries {
			receipt, err := revenue.New(db.Pool, revenue.Options{}).Receive(context.Background(), revenue.Delivery{
				Provider: d.Provider, Live: id, Test: id + 1, Body: d.Body,
			})
			require.NoError(t, err)
			require.Equal(t, fold.Handled, receipt.Verdict.State, "%s: %s", receipt.Verdict.Reason, d.Body)
			if i%64 == 0 { // what is read early follows what comes later
				_, err := ledgers.Reader(resolved(t, w, id, figures.Scope{}), w.Now).Breakdown(t.Context(), figures.FlowVersion)
				require.NoError(t, err)
			}
		}
		portions += small.ReadInPortions(t, id)
		for range 6 {
			scope := resolved(t, w, id, w.Scope())
			compare(t, w, ledgers.Reader(scope, w.Now), fmt.Sprintf("seed %d, %+v", seed, scope))
			compare(t, w, small.Reader(scope, w.Now), fmt.Sprintf("in portions, seed %d, %+v", seed, scope))
		}
		requireNewOfSources(t, db.Pool, w, id, ledgers)
		// Superwall promises that the sum of all its prices is net revenue.
		told, sum := map[string]bool{}, 0.0
		for _, d := range w.Deliveries {
			var event struct {
				Data struct {
					ID    string
					Price float64
				}
			}
			require.NoError(t, json.Unmarshal(d.Body, &event))
			if d.Provider == fold.Superwall && !told[event.Data.ID] {
				told[event.Data.ID] = true
				sum += event.Data.Price
			}
		}
		totals, err := ledgers.Reader(resolved(t, w, id, figures.Scope{
			Start: w.Start, End: w.Now.AddDate(2, 0, 0),
			Filters: []figures.Filter{{Dimension: figures.Provider, Values: []string{"superwall"}}},
		}), w.Now).Totals(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, math.Round(sum*100)*10_000, totals.Net(), "seed %d", seed)
	}
	require.Greater(t, portions, 40)
	require.Zero(t, small.Bytes(), "what was read in portions is not kept")
}

func resolved(t *testing.T, w *moneyoracle.World, environment int64, scope figures.Scope) figures.Scope {
	t.Helper()
	scope.EnvironmentID = environment
	scope, err := scope.Resolve(w.Now)
	require.NoError(t, err)
	return scope
}

func compare(t *testing.T, w *moneyoracle.World, of *figures.Reader, where string) {
	t.Helper()
	ctx, scope := t.Context(), of.Scope()
	chosen := moneyoracle.Chosen(scope)
	totals, err := of.Totals(ctx)
	require.NoError(t, err)
	require.Equal(t, w.Totals(scope, chosen), *totals, where)

	grain := []analytics.Grain{analytics.Day, analytics.Week, analytics.Month}[w.Rand.IntN(3)]
	series, err := of.Series(ctx, grain)
	require.NoError(t, err)
	bounds, err := analytics.Buckets(grain, scope.Start, scope.End, scope.Location)
	require.NoError(t, err)
	points, err := of.SubscriptionSeries(ctx, grain)
	require.NoError(t, err)
	require.Len(t, points, len(bounds)-1)
	require.Len(t, series, len(bounds)-1)
	for i := range series {
		part := scope
		if part.Start = bounds[i]; part.Start.Before(scope.Start) {
			part.Start = scope.Start
		}
		if part.End = bounds[i+1]; part.End.After(scope.End) {
			part.End = scope.End
		}
		require.Equal(t, figures.Point{Bucket: bounds[i], Totals: w.Totals(part, chosen)}, series[i], where)
		want := w.Point(part.Start, part.End, chosen)
		want.Bucket = bounds[i]
		require.Equal(t, want, points[i], where)
	}
	found, err := of.Subscriptions(ctx)
	require.NoError(t, err)
	want := w.Point(scope.Start, scope.End, chosen)
	want.Bucket = scope.Start
	require.Equal(t, figures.Subscriptions{SubscriptionPoint: want, Trials: w.Trials(scope, chosen)}, *found, where)
	m, before := want.Movement, w.State(scope.Start, chosen).MRR
	require.Equal(t, want.State.MRR, before+m.New+m.Reactivation+m.Expansion-m.Contraction-m.Churn, where)

	for by, valueOf := range moneyoracle.Values {
		rows, err := of.Breakdown(ctx, by)
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, row := range rows {
			seen[row.Value] = true
			mine := func(s *moneyoracle.Sub, p *moneyoracle.Span) bool { return chosen(s, p) && valueOf(s, p) == row.Value }
			require.Equal(t, figures.Row{
				Value: row.Value, Totals: w.Totals(scope, mine), Subscriptions: w.State(scope.End, mine),
				Trials: w.Trials(scope, mine),
			}, row, "%s by %s", where, by)
		}
		for _, s := range w.Subs {
			for _, p := range s.Spans {
				if chosen(s, p) && p.Counts(scope) {
					require.True(t, seen[valueOf(s, p)], "%s by %s", where, by)
				}
			}
		}
	}
	values, err := of.LifetimeValue(ctx, 40)
	require.NoError(t, err)
	require.Equal(t, w.Lifetime(scope, 40, chosen), values, where)
	retention, err := of.Retention(ctx)
	require.NoError(t, err)
	require.Equal(t, w.Retention(scope, chosen), retention, where)
}

// requireNewOfSources holds what acquisition reports count, the originating amounts of each person's first source, to
// what the report of revenue calls new, which is what happened.
func requireNewOfSources(t *testing.T, pool *pgxpool.Pool, w *moneyoracle.World, id int64, ledgers *figures.Ledgers) {
	t.Helper()
	for range 6 {
		scope := w.Scope()
		scope.Filters = nil
		scope = resolved(t, w, id, scope)
		rows, err := pool.Query(t.Context(), `
			select coalesce(f.source, 'nowhere'), coalesce(sum(l.amount_micros), 0)::bigint from revenue_ledger l
			left join product_analytics_first_touch f using (environment_id, app_user_id)
			where l.environment_id = $1 and l.kind = 'originating' and l.occurred_at >= $2 and l.occurred_at < $3
			group by 1`, id, scope.Start, scope.End)
		require.NoError(t, err)
		bySource, sum := map[string]int64{}, int64(0)
		var source string
		var micros int64
		_, err = pgx.ForEachRow(rows, []any{&source, &micros}, func() error {
			bySource[source], sum = micros, sum+micros
			return nil
		})
		require.NoError(t, err)
		totals, err := ledgers.Reader(scope, w.Now).Totals(t.Context())
		require.NoError(t, err)
		all := moneyoracle.Chosen(scope)
		require.Equal(t, w.Totals(scope, all).New, sum)
		require.Equal(t, totals.New, sum)
		for source, micros := range bySource {
			require.Equal(t, w.NewBySource(scope, source), micros, source)
		}
	}
}
