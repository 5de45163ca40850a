package report

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// Pages, screens and events are the same counted as they lie in files as in the order of visitors, also where the range
// cuts a day and the latest is in memory, of visitors who came on other days.
func TestNamesAreTheSameAsTheyLie(t *testing.T) {
	env := threeDays()
	save(t, env, func(*frame.Part, []byte) {})
	builder := env.NewBuilder()
	for i := range 40 {
		s := frame.Session{Visitor: visitorID(2 * i), ID: fmt.Sprint("today-", i), HomeDay: frame.Day(benchEnd)}
		for h := range 1 + i%5 {
			at := benchEnd.Add(time.Duration(i)*7*time.Minute + time.Duration(h)*9*time.Minute)
			s.Hits = append(s.Hits, frame.PackHit(at.UnixMilli(), uint32(1+(i*h)%30))) // some that nobody announced
		}
		builder.Add(&s)
	}
	env.Put(frame.Sessions, frame.Day(benchEnd), builder.Seal())
	for _, cut := range []time.Duration{0, 17 * time.Hour, 20*time.Hour + 7*time.Minute} {
		scope := analytics.Scope{Start: benchEnd.AddDate(0, 0, -3).Add(cut), End: benchEnd.Add(25*time.Hour - cut)}
		reports := func(groups, bytes int) (all []any) {
			tuning := DefaultTuning()
			tuning.SessionsPerWorker, tuning.SeenGroups, tuning.SeenBytes = 100, groups, bytes
			for range 2 { // the tables by themselves, and with an overview, which counts two in one pass
				view := env.View(math.MinInt32, math.MaxInt32) // of which nothing was counted yet
				s, err := NewEngine(tuning).Select(view, scope, nil, benchEnd.AddDate(0, 0, 2))
				require.NoError(t, err)
				slot := s.eventSlots(func(uint32) uint32 { return 0 })
				require.Equal(t, groups > 0, s.trailsOver(nil, false).seenBy(s, slot, 1) != nil)
				if len(all) > 0 {
					s.pagesAndEvents()
				}
				pages, err := s.Pages(t.Context(), Page{})
				require.NoError(t, err)
				screens, err := s.Screens(t.Context(), Page{})
				require.NoError(t, err)
				events, err := s.Events(t.Context(), Page{})
				require.NoError(t, err)
				all = append(all, pages, screens, events)
			}
			return all
		}
		want := reports(0, 0)
		for _, bytes := range []int{8, 200, DefaultTuning().SeenBytes} {
			require.Equal(t, want, reports(DefaultTuning().SeenGroups, bytes), "%s cut, %d bytes", cut, bytes)
		}
	}
}
