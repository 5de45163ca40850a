package report

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// Goals and charts of the top names are the same counted as they lie in files as in the order of visitors, also where
// the range cuts a day, with a filter, and where sessions cross the bounds of buckets; of whole days no hits are read.
func TestWhatIsMetIsTheSameAsItLies(t *testing.T) {
	reports := func(env *frame.Dataset, cut time.Duration, filters []analytics.Filter, kept int) (all []any) {
		scope := analytics.Scope{
			Start: benchEnd.AddDate(0, 0, -4).Add(cut), End: benchEnd.AddDate(0, 0, 1).Add(-cut), Goals: benchGoals,
			Cross: filters,
		}
		tuning := DefaultTuning()
		tuning.KeptSessions, tuning.FusedCells, tuning.SessionsPerWorker, tuning.SweptSessions = kept, 0, 100, 50
		s, err := NewEngine(tuning).Select(env.View(math.MinInt32, math.MaxInt32), scope, nil, benchEnd.AddDate(0, 0, 2))
		require.NoError(t, err)
		require.Equal(t, kept == 0, s.countsMet())
		goals, err := s.Goals(t.Context(), Page{})
		require.NoError(t, err)
		require.NotEmpty(t, goals.Rows)
		all = append(all, goals)
		for _, d := range []analytics.Dimension{analytics.Source, analytics.AcquisitionChannel} {
			by, err := s.GoalBreakdown(t.Context(), benchGoals[0].ID, d, Page{})
			require.NoError(t, err)
			all = append(all, by)
		}
		for _, grain := range []analytics.Grain{analytics.Hour, analytics.Day} {
			series, err := s.GoalSeries(t.Context(), benchGoals[0].ID, grain)
			require.NoError(t, err)
			pages, err := s.EngagementSeries(t.Context(), analytics.Page, Visitors, grain)
			require.NoError(t, err)
			events, err := s.EventsSeries(t.Context(), Sessions, grain)
			require.NoError(t, err)
			all = append(all, series, pages, events)
		}
		return all
	}
	ofSource := []analytics.Filter{{
		Dimension: analytics.Source, Operator: analytics.Is, Values: []string{"source-1"},
	}}
	env := threeDays()
	for _, cut := range []time.Duration{0, 29 * time.Hour, 44*time.Hour + 7*time.Minute} {
		for _, filters := range [][]analytics.Filter{nil, ofSource} {
			want := reports(env, cut, filters, math.MaxInt32)
			require.Equal(t, want, reports(env, cut, filters, 0), "in memory, %s cut", cut)
			saved := threeDays()
			if cut != 0 || filters != nil { // the table that finds the top pages reads how long they were viewed
				save(t, saved, func(*frame.Part, []byte) {})
			} else {
				saveWithoutHits(t, saved)
			}
			require.Equal(t, want, reports(saved, cut, filters, 0), "in files, %s cut", cut)
		}
	}
}
