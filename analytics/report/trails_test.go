package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/internal/mapped"
)

// saveWithoutHits moves the sessions of an environment into files whose hits are damaged: who reads one fails.
func saveWithoutHits(t *testing.T, env *frame.Dataset) {
	t.Helper()
	save(t, env, func(part *frame.Part, content []byte) {
		hits := part.Hits()
		at := bytes.Index(content, unsafe.Slice((*byte)(unsafe.Pointer(&hits[0])), 8*len(hits)))
		require.Positive(t, at)
		content[at]++
	})
	for _, f := range env.View(math.MinInt32, math.MaxInt32).Frames {
		require.Panics(t, func() { f.Sealed.Hits() })
	}
}

// save moves the sessions of an environment into files, whose content may be changed before.
func save(t *testing.T, env *frame.Dataset, change func(part *frame.Part, content []byte)) {
	t.Helper()
	folder := t.TempDir()
	for _, f := range env.View(math.MinInt32, math.MaxInt32).Frames {
		f = f.Compact()
		path := filepath.Join(folder, strconv.Itoa(int(f.Day)))
		to, err := os.Create(path)
		require.NoError(t, err)
		e := frame.NewEncoder(to, frame.PartFile)
		env.SavePart(f.Sealed, e)
		length, _, err := e.Close()
		require.NoError(t, err)
		require.NoError(t, to.Close())
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		change(f.Sealed, content)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		file, err := mapped.Open(path, length)
		require.NoError(t, err)
		saved := *f
		saved.Sealed, err = frame.OpenPart(file)
		require.NoError(t, err)
		require.True(t, saved.Sealed.HasTrails())
		require.True(t, env.PutFrame(frame.Sessions, env.Frame(frame.Sessions, f.Day), &saved))
	}
}

// threeDays returns sessions of three days, some of them over midnight, whose hits have few names.
func threeDays() *frame.Dataset {
	env := frame.NewDataset()
	var names []frame.NameRow
	for i := range 12 {
		id := uint32(i + 1)
		names = append(names,
			frame.NameRow{ID: id, Kind: frame.PageView, Text: fmt.Sprintf("/section-%d/page", i)},
			frame.NameRow{ID: id + 12, Kind: frame.Custom, Text: fmt.Sprintf("event_%d", i)})
	}
	env.SetNames(names)
	for n := range 3 {
		day, builder := benchEnd.AddDate(0, 0, n-3), env.NewBuilder()
		for i := range 200 {
			s := frame.Session{
				Visitor: visitorID(i % 90), ID: fmt.Sprint(n, "-", i), HomeDay: frame.Day(day), Source: fmt.Sprint("source-", i%3),
			}
			for h := range 1 + i%7 {
				at := day.Add(time.Duration(i)*7*time.Minute + time.Duration(h)*9*time.Minute)
				s.Hits = append(s.Hits, frame.PackHit(at.UnixMilli(), uint32(1+(i*h+n)%24)))
			}
			builder.Add(&s)
		}
		env.Put(frame.Sessions, frame.Day(day), builder.Seal())
	}
	return env
}

// Goals that are names, who meets them, and paths are the same along trails as along hits, and read none.
func TestGoalsAndPathsReadNoHits(t *testing.T) {
	env := threeDays()
	scope := analytics.Scope{
		Start: benchEnd.AddDate(0, 0, -benchDays-2), End: benchEnd.AddDate(0, 0, 2), Goals: benchGoals,
	}
	reports := func() (all []any) {
		view := env.View(math.MinInt32, math.MaxInt32)
		s, err := NewEngine(DefaultTuning()).Select(view, scope, nil, benchEnd)
		require.NoError(t, err)
		goals, err := s.Goals(t.Context(), Page{})
		require.NoError(t, err)
		series, err := s.GoalSeries(t.Context(), benchGoals[0].ID, analytics.Hour)
		require.NoError(t, err)
		by, err := s.GoalBreakdown(t.Context(), benchGoals[0].ID, analytics.Source, Page{})
		require.NoError(t, err)
		paths, err := s.Paths(t.Context(), analytics.PathQuery{
			Anchor: analytics.PathAnchor{Kind: analytics.PathPage, Name: "/**"}, Steps: 4,
		})
		require.NoError(t, err)
		people := map[uint32]bool{}
		s.matchGoal(&benchGoals[0].Condition, func(ordinal uint32) { people[ordinal] = true })
		require.NotEmpty(t, people)
		return append(all, goals, series, by, paths, people)
	}
	want := reports()
	saveWithoutHits(t, env)
	require.Equal(t, want, reports())
}

// The list of visitors is the same without hits, in every order, also where the range cuts days at quarters of an hour.
func TestTheListOfVisitorsReadsNoHits(t *testing.T) {
	env := threeDays()
	reports := func() (all []any) {
		view := env.View(math.MinInt32, math.MaxInt32)
		for _, cut := range []time.Duration{0, 35*time.Hour + 30*time.Minute} {
			scope := analytics.Scope{Start: benchEnd.AddDate(0, 0, -4).Add(cut), End: benchEnd.AddDate(0, 0, 2).Add(-cut)}
			s, err := NewEngine(DefaultTuning()).Select(view, scope, nil, benchEnd)
			require.NoError(t, err)
			for _, order := range VisitorMetrics {
				list, err := s.Visitors(t.Context(), Page{OrderBy: order, First: 20})
				require.NoError(t, err)
				require.Len(t, list.Rows, 20)
				all = append(all, list)
			}
		}
		return all
	}
	want := reports()
	saveWithoutHits(t, env)
	require.Equal(t, want, reports())
}

// Who comes how far through a funnel, and when and where that began, is the same along trails as along hits, and reads
// none while sessions follow each other.
func TestFunnelsReadNoHits(t *testing.T) {
	env := frame.NewDataset()
	env.SetNames([]frame.NameRow{
		{ID: 1, Kind: frame.Custom, Text: "a"}, {ID: 2, Kind: frame.Custom, Text: "b"},
		{ID: 3, Kind: frame.PageView, Text: "/"},
	})
	for n := range 3 {
		day, builder := benchEnd.AddDate(0, 0, n-3), env.NewBuilder()
		for i := range 60 {
			s := frame.Session{
				Visitor: visitorID(i), ID: fmt.Sprint(n, "-", i), HomeDay: frame.Day(day), Source: fmt.Sprint(i % 3),
			}
			for h := range 1 + i%5 {
				at := day.Add(time.Duration(i+h) * 9 * time.Minute)
				s.Hits = append(s.Hits, frame.PackHit(at.UnixMilli(), uint32(1+(i+h+n)%3)))
			}
			builder.Add(&s)
		}
		env.Put(frame.Sessions, frame.Day(day), builder.Seal())
	}
	step := func(event string) analytics.FunnelStep {
		return analytics.FunnelStep{Condition: &analytics.GoalCondition{Event: &analytics.GoalEvent{Name: event}}}
	}
	f := analytics.Funnel{
		Steps: []analytics.FunnelStep{step("a"), step("b"), step("a")}, By: analytics.FunnelByVisitor,
		Order: analytics.FunnelLoose, WindowMinutes: 30 * 60,
	}
	scope := analytics.Scope{Start: benchEnd.AddDate(0, 0, -4), End: benchEnd, Follow: f.Window()}
	reports := func() (all []any) {
		s, err := NewEngine(DefaultTuning()).Select(
			env.View(math.MinInt32, math.MaxInt32), scope, nil, benchEnd.AddDate(0, 0, 5),
		)
		require.NoError(t, err)
		series, err := s.FunnelSeries(t.Context(), f, analytics.Day)
		require.NoError(t, err)
		by, err := s.FunnelBreakdown(t.Context(), f, analytics.Source)
		require.NoError(t, err)
		return append(all, series, by, s.funnelMembers(&f, 1, analytics.FunnelDropped))
	}
	want := reports()
	saveWithoutHits(t, env)
	require.Equal(t, want, reports())
}
