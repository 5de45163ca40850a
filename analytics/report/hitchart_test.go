package report

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
)

// A chart whose counts of every page find no room is counted once all the same, for each calendar, and with filters
// apart. It says what one says that is counted by visitors too.
func TestAChartOfHitsIsRemembered(t *testing.T) {
	env := synthetic(3_000)
	view := env.View(math.MinInt32, math.MaxInt32)
	scope := analytics.Scope{Start: benchEnd.AddDate(0, 0, -benchDays), End: benchEnd}
	filtered := scope
	filtered.Cross = crossFilters
	tuning := DefaultTuning()
	tuning.CountCells = 0
	engine, other := NewEngine(DefaultTuning()), NewEngine(tuning)
	for _, scope := range []analytics.Scope{scope, filtered} {
		s, err := engine.Select(view, scope, nil, benchEnd)
		require.NoError(t, err)
		require.True(t, s.cache().admits(countKey{what: "all of what there is"}, rememberedBytes-1<<16-s.cache().bytes))
		without, err := other.Select(env.View(math.MinInt32, math.MaxInt32), scope, nil, benchEnd)
		require.NoError(t, err)
		for _, grain := range []analytics.Grain{analytics.Day, analytics.Week} {
			charts := map[string]func(*Selection) ([]ValueSeries, error){
				"events": func(s *Selection) ([]ValueSeries, error) { return s.EventsSeries(t.Context(), Count, grain) },
				"pages": func(s *Selection) ([]ValueSeries, error) {
					return s.EngagementSeries(t.Context(), analytics.Page, Views, grain)
				},
			}
			for name, chart := range charts {
				want, err := chart(without)
				require.NoError(t, err)
				require.Len(t, want, SeriesValues)
				for range 2 {
					got, err := chart(s)
					require.NoError(t, err)
					require.Equal(t, want, got, name)
				}
				cal, err := s.calendar(grain)
				require.NoError(t, err)
				require.True(t, s.cache().admitted[countKey{what: "hits of " + name, buckets: cal.key()}])
			}
			cal, err := s.calendar(grain)
			require.NoError(t, err)
			require.False(
				t, s.cache().admitted[countKey{what: "hits of", by: "pages", buckets: cal.key()}], "there was no room",
			)
		}
	}
}
