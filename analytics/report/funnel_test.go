package report

import (
	"errors"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// A stranger who sends the first step again and again begins a million attempts. What they cost together grows with
// their number: had each been followed by itself, this would take hours.
func TestAttemptsCostWhatHitsCost(t *testing.T) {
	env := frame.NewDataset()
	env.SetNames([]frame.NameRow{{ID: 1, Kind: frame.Custom, Text: "a"}, {ID: 2, Kind: frame.Custom, Text: "b"}})
	noon := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	builder := env.NewBuilder()
	for i := range 20 {
		s := frame.Session{Visitor: "v", ID: strconv.Itoa(i), HomeDay: frame.Day(noon)}
		for j := range 50_000 {
			s.Hits = append(s.Hits, frame.PackHit(noon.UnixMilli()+int64(i*50_000+j), uint32(1+j/49_999)))
		}
		builder.Add(&s)
	}
	env.Put(frame.Sessions, frame.Day(noon), builder.Seal())
	env.SetFirstTouch(&frame.FirstTouch{Visitor: "v", FirstSeen: noon.UnixMilli()})
	scope := analytics.Scope{Start: noon, End: noon.Add(time.Hour), Follow: time.Hour}
	s, err := NewEngine(DefaultTuning()).Select(env.View(math.MinInt32, math.MaxInt32), scope, nil, noon.Add(time.Hour))
	require.NoError(t, err)
	step := func(event string) analytics.FunnelStep {
		return analytics.FunnelStep{Condition: &analytics.GoalCondition{Event: &analytics.GoalEvent{Name: event}}}
	}
	for _, last := range []string{"b", "c"} {
		f := analytics.Funnel{
			Steps: []analytics.FunnelStep{step("a"), step("a"), step("b"), step("b"), step(last)},
			By:    analytics.FunnelByVisitor, Order: analytics.FunnelLoose, WindowMinutes: 60,
		}
		began := time.Now()
		funnel, err := s.Funnel(t.Context(), f)
		require.NoError(t, err)
		require.Less(t, time.Since(began), 10*time.Second)
		require.Equal(t, int64(1), funnel.Steps[3].Entered)
		require.InDelta(t, 0.001, *funnel.Steps[1].MedianSeconds, 1e-9, "the earliest of equals began first")
	}
}

// A funnel is counted once for all who ask, until a window ends that was open, or for who asks as of before it did.
func TestFunnelIsRememberedWhileItHolds(t *testing.T) {
	memory, counted := &funnelMemory[int]{}, 0
	at := func(moment int64) int {
		n, err := memory.at(moment, func() (int, validity, error) {
			counted++
			open, over := validity{from: math.MinInt64, until: 20}, validity{from: 11, until: math.MaxInt64}
			if moment < 11 {
				over = validity{from: math.MinInt64, until: 10}
			}
			if moment > 20 {
				open = validity{from: 21, until: math.MaxInt64}
			}
			return counted, always.and(open).and(over), nil
		})
		require.NoError(t, err)
		return n
	}
	require.Equal(t, []int{1, 1, 1}, []int{at(15), at(20), at(11)})
	require.Equal(t, []int{2, 2}, []int{at(10), at(0)})
	require.Equal(t, []int{3, 3}, []int{at(21), at(1 << 40)})
	_, err := memory.at(0, func() (int, validity, error) { return 0, always, errors.New("no disk") })
	require.ErrorContains(t, err, "no disk")
	require.Equal(t, 4, at(30), "what failed is not remembered")
}
