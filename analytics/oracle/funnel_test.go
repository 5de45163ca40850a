package oracle_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/oracle"
	"github.com/svc-dev/svc/analytics/oracle/world"
	"github.com/svc-dev/svc/analytics/report"
)

// Funnels of many attempts at the same moments, around a midnight, with windows that end or are still open.
func TestFunnelsAgreeWithOracle(t *testing.T) {
	worlds(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		s := world.DrawWalks(t)
		tuning := report.DefaultTuning()
		tuning.SessionsPerWorker, tuning.ShareFor = 1, 0
		tuning.FunnelHits = rapid.SampledFrom([]int{0, 40, tuning.FunnelHits}).Draw(t, "funnel hits")
		engine, view, o := report.NewEngine(tuning), load(t, s), oracle.New(s.World, s.Now)
		for range 3 {
			scope := analytics.Scope{
				Start:  s.Anchor.Add(-time.Duration(rapid.IntRange(0, 9).Draw(t, "before")) * time.Minute),
				End:    s.Anchor.Add(time.Duration(rapid.IntRange(0, 32).Draw(t, "after")) * time.Minute),
				Follow: analytics.FunnelSessionWindow,
			}
			if rapid.Bool().Draw(t, "filtered") {
				scope.Cross = []analytics.Filter{{Dimension: analytics.Entry, Values: []string{"/", "/a"}}}
			}
			f := world.DrawWalk(t)
			selection, err := engine.Select(view, scope, nil, s.Now)
			if err != nil {
				t.Fatal(err)
			}
			compareFunnel(t, selection, o.Select(scope), f, analytics.Day)
			compareJourneys(t, engine, view, o, selection.Scope(), s.Now)
			// What is remembered is counted anew once a window has ended, and as of an earlier moment, before it did.
			ended := time.Duration(rapid.IntRange(-5, 32).Draw(t, "minutes after")) * time.Minute
			later := s.Now.Add(ended + time.Duration(rapid.IntRange(0, 1).Draw(t, "milliseconds after"))*time.Millisecond)
			again, err := engine.Select(view, scope, nil, later)
			if err != nil {
				t.Fatal(err)
			}
			compareFunnel(t, again, oracle.New(s.World, later).Select(scope), f, analytics.Day)
		}
	})
}
