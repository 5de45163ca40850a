package report

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
)

// Counts are shared while they take little memory together, and those that find no room are right all the same.
func TestCountsAreRememberedWithinABudget(t *testing.T) {
	s := &Selection{picked: &picked{counts: newCountCache()}}
	counted := 0
	ask := func(key string, cells int) int {
		return remembered(s, countKey{what: key}, cells, 8, func() int {
			counted++
			return cells
		})
	}
	for range 2 {
		require.Equal(t, 100, ask("small", 100))
	}
	require.Equal(t, 1, counted)
	for range 2 {
		require.Equal(t, 1<<20, ask("large", 1<<20))
	}
	require.Equal(t, 3, counted, "larger than all may take together")
	for i := range 3 * rememberedBytes / leastRemembered {
		require.Equal(t, 1, ask(strconv.Itoa(i), 1))
	}
	require.LessOrEqual(t, s.picked.counts.bytes, rememberedBytes)
	counted = 0
	require.Equal(t, 100, ask("small", 100))
	require.Zero(t, counted, "what was remembered stays")
	require.Equal(t, 1, ask(strconv.Itoa(3*rememberedBytes/leastRemembered-1), 1))
	require.Equal(t, 1, counted, "there was no room")
}

// Those who ask for the same overview share one; who limits revenue, filters, or asks after a change gets another.
func TestAnOverviewIsShared(t *testing.T) {
	env := synthetic(3_000)
	engine, scope := NewEngine(DefaultTuning()), analytics.Scope{Start: benchEnd.AddDate(0, 0, -benchDays), End: benchEnd}
	view := env.View(math.MinInt32, math.MaxInt32)
	ask := func(scope analytics.Scope, later time.Duration) *Overview {
		s, err := engine.Select(view, scope, nil, benchEnd.Add(later))
		require.NoError(t, err)
		overview, err := s.Overview(t.Context())
		require.NoError(t, err)
		return overview
	}
	whole := ask(scope, 0)
	require.Same(t, whole, ask(scope, time.Minute))
	limited := scope
	limited.RevenueProvider = "stripe"
	require.Less(t, ask(limited, 0).Channel[0].Revenue, whole.Channel[0].Revenue)
	filtered := scope
	filtered.Cross = crossFilters
	require.Less(t, ask(filtered, 0).Channel[0].Visitors, whole.Channel[0].Visitors)
	env.SetPurchases(nil)
	view = env.View(math.MinInt32, math.MaxInt32)
	require.Zero(t, ask(scope, 0).Channel[0].Revenue)
}
