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
		s.cache().others.Bytes = 1 << 16
		without, err := other.Select(env.View(math.MinInt32, math.MaxInt32), scope, nil, benchEnd)
		require.NoError(t, err)
		for _, grain := range []analytics.Grain{analytics.Day, analytics.Week} {
			charts := map[string]func(*Selection) ([]ValueSeries, error){
				"events": func(s *Selection) ([]ValueSeries, error) { return s.EventsSeries(t.Context(), Count, grain) },
				"pages": func(s *Selection) ([]ValueSeries, error) {
					return s.EngagementSeries(t.Context(), analytics.Page, Views, grain)
				},
			}
			for name, draw := range charts {
				want, err := draw(without)
				require.NoError(t, err)
				require.Len(t, want, SeriesValues)
				for range 2 {
					got, err := draw(s)
					require.NoError(t, err)
					require.Equal(t, want, got, name)
				}
				cal, err := s.calendar(grain)
				require.NoError(t, err)
				require.True(t, keeps[chart[int64]](s, countKey{what: "hits of " + name, buckets: cal.key()}))
			}
			cal, err := s.calendar(grain)
			require.NoError(t, err)
			every := countKey{what: "hits of", by: "pages", buckets: cal.key()}
			require.False(t, keeps[[]int64](s, every), "there was no room")
		}
	}
}

// keeps tells whether a count is remembered, which is forgotten then.
func keeps[T any](s *Selection, key countKey) bool {
	kept := true
	remembered(s, key, 1, 1, func() (none T) {
		kept = false
		return none
	})
	return kept
}
