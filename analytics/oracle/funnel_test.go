package oracle_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/oracle"
	"github.com/svc-dev/svc/analytics/oracle/world"
	"github.com/svc-dev/svc/analytics/report"
)

// Funnels of many attempts at the same moments, around a midnight, with windows that end or are still open, asked again
// as of other moments and after more hits arrived, late ones among them.
func TestFunnelsAgreeWithOracle(t *testing.T) {
	worlds(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		s := world.DrawWalks(t)
		tuning := report.DefaultTuning()
		tuning.SessionsPerWorker, tuning.ShareFor = 1, 0
		tuning.FunnelHits = rapid.SampledFrom([]int{0, 40, tuning.FunnelHits}).Draw(t, "funnel hits")
		tuning.KeptSessions = rapid.SampledFrom([]int{0, tuning.KeptSessions}).Draw(t, "kept sessions")
		tuning.FunnelSoon = time.Duration(rapid.SampledFrom([]int{0, 2, 20}).Draw(t, "soon")) * time.Minute
		tuning.FunnelEnds = rapid.SampledFrom([]int{0, 2, tuning.FunnelEnds}).Draw(t, "ends")
		engine := report.NewEngine(tuning)
		type question struct {
			scope  analytics.Scope
			funnel analytics.Funnel
		}
		var questions []question
		for range 3 {
			scope := analytics.Scope{
				Start:  s.Anchor.Add(-time.Duration(rapid.IntRange(0, 9).Draw(t, "before")) * time.Minute),
				End:    s.Anchor.Add(time.Duration(rapid.IntRange(0, 32).Draw(t, "after")) * time.Minute),
				Follow: analytics.FunnelSessionWindow,
			}
			if rapid.Bool().Draw(t, "filtered") {
				scope.Cross = []analytics.Filter{{Dimension: analytics.Entry, Values: []string{"/", "/a"}}}
			}
			questions = append(questions, question{scope, world.DrawWalk(t)})
		}
		ask := func(view *frame.View, w oracle.World) {
			for _, q := range questions {
				now := s.Now
				for range 3 {
					selection, err := engine.Select(view, q.scope, nil, now)
					if err != nil {
						t.Fatal(err)
					}
					o := oracle.New(w, now)
					compareFunnel(t, selection, o.Select(q.scope), q.funnel, analytics.Day)
					compareJourneys(t, engine, view, o, selection.Scope(), now)
					later := time.Duration(rapid.IntRange(-5, 32).Draw(t, "minutes after")) * time.Minute
					now = s.Now.Add(later + time.Duration(rapid.IntRange(0, 1).Draw(t, "milliseconds after"))*time.Millisecond)
				}
			}
		}
		early, late := s, &loader{env: frame.NewDataset()}
		known := rapid.IntRange(1, len(s.World.Hits)).Draw(t, "early hits")
		early.World.Hits = s.World.Hits[:known]
		ask(late.load(t, early), early.World)
		if known < len(s.World.Hits) {
			ask(late.ingest(t, s.World.Hits[known:]), s.World)
		}
	})
}
