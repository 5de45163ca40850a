package report

import (
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
