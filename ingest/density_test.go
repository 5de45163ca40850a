package ingest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres"
)

// The pages of recent events rest on this: no five minutes have more sparse events, and no tenth of a second more dense
// ones, than are read at a time.
func TestDensitiesBoundWhatMomentsHave(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	d, five, tenth := newDensities(), map[moment]int{}, map[moment]int{}
	counted := map[postgres.Density]int{}
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for range 200 {
		var items []*item
		for range 500 {
			at := start.Add(time.Duration(random.IntN(600_000)) * time.Millisecond)
			if random.IntN(4) == 0 {
				at = start
			}
			items = append(items, &item{
				environment: int64(random.IntN(2)), path: PathProduct, product: &ProductEvent{OccurredAt: at},
			})
		}
		items = append(items, &item{path: PathTrack, product: &ProductEvent{OccurredAt: start}})
		d.tell(items)
		for _, it := range items {
			counted[it.density]++
			at := it.product.OccurredAt.UnixMilli()
			switch it.density {
			case postgres.Sparse:
				if it.path == PathProduct {
					five[momentOf(it.environment, postgres.FiveMinutes.Milliseconds(), at)]++
				}
			case postgres.Dense:
				tenth[momentOf(it.environment, postgres.Tenth.Milliseconds(), at)]++
			}
		}
	}
	for m, n := range five {
		require.Equal(t, postgres.SparseEvents, n, m)
	}
	for m, n := range tenth {
		require.LessOrEqual(t, n, postgres.TenthEvents, m)
	}
	require.Greater(t, counted[postgres.Dense], 20_000)
	require.Greater(t, counted[postgres.Crowded], 1_000)
}

func TestDensitiesForgetMomentsThatNothingCameIn(t *testing.T) {
	t.Parallel()
	d := newDensities()
	busy := moment{1, 2, 3}
	for i := range int64(5 * momentsCounted) {
		d.count(moment{2, 2, i})
		if i%1000 == 0 {
			require.EqualValues(t, i/1000+1, d.count(busy))
		}
	}
	require.LessOrEqual(t, len(d.counts)+len(d.before), 2*momentsCounted)
	require.Equal(t, 1, d.count(moment{2, 2, 0}), "forgotten")
}
