package report

import (
	"errors"
	"fmt"
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

// A funnel is counted once for all who ask, until a window ends of which it does not know, or for who asks as of before
// one did.
func TestFunnelIsRememberedWhileItHolds(t *testing.T) {
	memory, counted := &funnelMemory[[2]int64]{}, int64(0)
	at := func(moment int64) int64 {
		report, err := memory.at(moment, func() (keptFunnel[[2]int64], error) {
			counted++
			count := counted
			open, over := validity{from: math.MinInt64, until: 20}, validity{from: 11, until: math.MaxInt64}
			if moment < 11 {
				over = validity{from: math.MinInt64, until: 10}
			}
			if moment > 20 {
				open = validity{from: 21, until: math.MaxInt64}
			}
			asOf := func(moment int64) [2]int64 { return [2]int64{count, moment} }
			return keptFunnel[[2]int64]{always.and(open).and(over), asOf}, nil
		})
		require.NoError(t, err)
		require.Equal(t, moment, report[1])
		return report[0]
	}
	require.Equal(t, []int64{1, 1, 1}, []int64{at(15), at(20), at(11)})
	require.Equal(t, []int64{2, 2}, []int64{at(10), at(0)})
	require.Equal(t, []int64{3, 3}, []int64{at(21), at(1 << 40)})
	_, err := memory.at(0, func() (keptFunnel[[2]int64], error) { return keptFunnel[[2]int64]{}, errors.New("no disk") })
	require.ErrorContains(t, err, "no disk")
	require.EqualValues(t, 4, at(30), "what failed is not remembered")
}

// Windows that end soon do not end how long a funnel is kept; those that end later do, and so do more than it knows of.
func TestFunnelKnowsWhoseWindowsEndSoon(t *testing.T) {
	env := frame.NewDataset()
	env.SetNames([]frame.NameRow{{ID: 1, Kind: frame.Custom, Text: "a"}})
	noon := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	builder := env.NewBuilder()
	for i := range 60 { // somebody begins every minute, and has an hour
		at := noon.Add(time.Duration(i) * time.Minute).UnixMilli()
		builder.Add(&frame.Session{
			Visitor: strconv.Itoa(i), ID: "s", HomeDay: frame.Day(noon), Hits: []int64{frame.PackHit(at, 1)},
		})
	}
	env.Put(frame.Sessions, frame.Day(noon), builder.Seal())
	step := analytics.FunnelStep{Condition: &analytics.GoalCondition{Event: &analytics.GoalEvent{Name: "a"}}}
	f := analytics.Funnel{
		Steps: []analytics.FunnelStep{step, step}, By: analytics.FunnelByVisitor, Order: analytics.FunnelLoose,
		WindowMinutes: 60,
	}
	scope := analytics.Scope{Start: noon, End: noon.Add(time.Hour), Follow: time.Hour}
	keeps := func(soon time.Duration, ends int) (known int, until time.Duration) {
		tuning := DefaultTuning()
		tuning.FunnelSoon, tuning.FunnelEnds = soon, ends
		now := noon.Add(90 * time.Minute)
		s, err := NewEngine(tuning).Select(env.View(math.MinInt32, math.MaxInt32), scope, nil, now)
		require.NoError(t, err)
		tally, holds := s.tallyFunnel(&f)
		require.Equal(t, frame.Millis(now)-time.Minute.Milliseconds()+1, holds.from)
		return len(tally.ends), time.Duration(holds.until-frame.Millis(now)) * time.Millisecond
	}
	for _, of := range []struct {
		soon  time.Duration
		ends  int
		known int
		until time.Duration
	}{
		{soon: 10 * time.Minute, ends: 100, known: 11, until: 11 * time.Minute},
		{soon: 10 * time.Minute, ends: 5, known: 5, until: 5 * time.Minute},
		{soon: 0, ends: 100, known: 1, until: time.Minute},
		{soon: 10 * time.Minute, ends: 0, known: 0, until: 0},
	} {
		known, until := keeps(of.soon, of.ends)
		require.Equal(t, of.known, known)
		require.Equal(t, of.until, until)
	}
}

// What is kept of a funnel is as of every moment what counting says that does not keep it, of files as of memory: ends
// are exact although trails tell no times, and names that were rare come to be among the most frequent.
func TestFunnelIsKeptAsWindowsEnd(t *testing.T) {
	noon := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	people := func() *frame.Dataset {
		env := frame.NewDataset()
		names := []frame.NameRow{{ID: 1, Kind: frame.Custom, Text: "a"}, {ID: 2, Kind: frame.Custom, Text: "b"}}
		for id := uint32(3); id <= 16; id++ {
			names = append(names, frame.NameRow{ID: id, Kind: frame.PageView, Text: fmt.Sprint("/", id)})
		}
		env.SetNames(names)
		builder := env.NewBuilder()
		for i := range 180 { // who comes later views other pages
			at := noon.Add(time.Duration(i) * 20 * time.Second).UnixMilli()
			page := uint32(3 + i%7)
			if i >= 90 {
				page = uint32(9 + i%6)
			}
			s := frame.Session{
				Visitor: visitorID(i), ID: "s", HomeDay: frame.Day(noon), Source: fmt.Sprint(i % 3),
				Hits: []int64{frame.PackHit(at, page), frame.PackHit(at+100_000, 1)},
			}
			if i%3 == 0 {
				s.Hits = append(s.Hits, frame.PackHit(at+200_000, 2))
			}
			if i%5 > 0 {
				s.Hits = append(s.Hits, frame.PackHit(at+300_000, page))
			}
			builder.Add(&s)
		}
		env.Put(frame.Sessions, frame.Day(noon), builder.Seal())
		return env
	}
	step := func(event string) analytics.FunnelStep {
		return analytics.FunnelStep{Condition: &analytics.GoalCondition{Event: &analytics.GoalEvent{Name: event}}}
	}
	f := analytics.Funnel{
		Steps: []analytics.FunnelStep{step("a"), step("b"), step("a")}, By: analytics.FunnelByVisitor,
		Order: analytics.FunnelLoose, WindowMinutes: 60,
	}
	scope := analytics.Scope{Start: noon.Add(-time.Hour), End: noon.Add(3 * time.Hour), Follow: time.Hour}
	reports := func(view *frame.View, tuning Tuning, now time.Time) (all []any) {
		s, err := NewEngine(tuning).Select(view, scope, nil, now)
		require.NoError(t, err)
		funnel, err := s.Funnel(t.Context(), f)
		require.NoError(t, err)
		series, err := s.FunnelSeries(t.Context(), f, analytics.Hour)
		require.NoError(t, err)
		by, err := s.FunnelBreakdown(t.Context(), f, analytics.Source)
		require.NoError(t, err)
		for _, outcome := range []analytics.FunnelOutcome{analytics.FunnelOpen, analytics.FunnelDropped} {
			people, err := s.FunnelVisitors(t.Context(), f, 1, outcome, Page{First: MaxFirst})
			require.NoError(t, err)
			all = append(all, people.Rows)
		}
		return append(all, funnel, series, by)
	}
	keeps, anew := DefaultTuning(), DefaultTuning()
	keeps.FunnelSoon, anew.FunnelSoon, anew.FunnelEnds = 100*time.Minute, 0, 0
	for ended, began := range map[int]time.Time{1: noon.Add(62 * time.Minute), 100: noon.Add(95 * time.Minute)} {
		memory, files := people(), people()
		save(t, files, func(*frame.Part, []byte) {})
		kept, plain := files.View(math.MinInt32, math.MaxInt32), memory.View(math.MinInt32, math.MaxInt32)
		s, err := NewEngine(keeps).Select(kept, scope, nil, began)
		require.NoError(t, err)
		tally, holds := s.tallyFunnel(&f)
		require.Len(t, tally.ends, 180-ended)
		require.EqualValues(t, math.MaxInt64, holds.until)
		for later := time.Duration(0); later < 70*time.Minute; later += 33 * time.Second {
			now := began.Add(later)
			require.Equal(t, reports(plain, anew, now), reports(kept, keeps, now), later)
		}
	}
}
