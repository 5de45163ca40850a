package report

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
)

// Counts are shared while they take little memory together: of many the latest used. Those that are too large are
// right all the same.
func TestCountsAreRememberedWithinABudget(t *testing.T) {
	s := &Selection{picked: &picked{counts: newCountCache(0)}}
	counted := 0
	ask := func(key string, cells int) {
		require.Equal(t, cells, remembered(s, countKey{what: key}, cells, 8, func() int {
			counted++
			return cells
		}))
	}
	const half = fewestRemembered / 2 / 8
	for range 2 {
		ask("small", 100)
		ask("half", half)
	}
	require.Equal(t, 2, counted)
	for range 2 {
		ask("large", half+1)
	}
	require.Equal(t, 4, counted, "larger than half of what all may take")
	const several = 1_000
	for i := range several {
		ask(strconv.Itoa(i), 128)
		ask("small", 100)
	}
	require.Equal(t, 4+several, counted, "what is asked again and again stays")
	ask("half", half)
	require.Equal(t, 4+several, counted, "there is room for all of these")
	for i := range 2 * fewestRemembered / leastRemembered {
		ask("other "+strconv.Itoa(i), 128)
	}
	counted = 0
	for _, old := range []string{"small", "0"} {
		ask(old, 100)
	}
	require.Equal(t, 2, counted, "what nobody asked for since gave way")
	ask("other "+strconv.Itoa(2*fewestRemembered/leastRemembered-1), 128)
	require.Equal(t, 2, counted, "the latest stay")
}

// What counts may take together grows with the sessions that would have to be counted again, up to a bound.
func TestManySessionsRememberMore(t *testing.T) {
	const each = 256 << 10
	for sessions, room := range map[int]int{0: 2 << 20, 5 << 20: 5 << 20, 155e6: 16 << 20} {
		s, counted := &Selection{picked: &picked{counts: newCountCache(sessions)}}, 0
		ask := func(i int) {
			remembered(s, countKey{what: strconv.Itoa(i)}, each, 1, func() int { counted++; return i })
		}
		fit := room / each
		for i := range fit + 1 {
			ask(i)
		}
		for i := range fit {
			ask(i + 1)
		}
		require.Equal(t, fit+1, counted, "the latest are remembered")
		ask(0)
		require.Equal(t, fit+2, counted, "the first gave way")
	}
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
