package floworacle

import (
	"cmp"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/session"
)

// Overview returns the overview; members are those of the scope's segment.
func (s *Selection) Overview(members map[string]bool) *flow.Overview {
	before := s.scope
	length := before.End.Sub(before.Start)
	before.Start, before.End = before.Start.Add(-length), before.Start
	previous := s.Oracle.Select(before, members)
	return &flow.Overview{
		Figures: s.figures(s.runs), Previous: previous.figures(previous.runs),
		Incomplete: s.incomplete(s.scope.End, s.longest()),
	}
}

// buckets calls visit with every bucket of the range, its runs, and when it or the range ends.
func (s *Selection) buckets(
	grain analytics.Grain, runs []*flowRun, visit func(label time.Time, runs []*flowRun, end time.Time),
) {
	bounds, err := analytics.Buckets(grain, s.scope.Start, s.scope.End, s.scope.Location)
	if err != nil {
		panic(err)
	}
	for i := range len(bounds) - 1 {
		var in []*flowRun
		for _, r := range runs {
			if at := time.UnixMilli(r.start); !at.Before(bounds[i]) && at.Before(bounds[i+1]) {
				in = append(in, r)
			}
		}
		end := bounds[i+1]
		if end.After(s.scope.End) {
			end = s.scope.End
		}
		visit(bounds[i], in, end)
	}
}

// Timeseries returns the time series.
func (s *Selection) Timeseries(grain analytics.Grain) []flow.Point {
	points := []flow.Point{}
	s.buckets(grain, s.runs, func(label time.Time, runs []*flowRun, end time.Time) {
		p := flow.Point{
			Bucket: label, Starts: people(runs, all), Runs: int64(len(runs)), Completions: people(runs, completed),
			MedianSecondsToComplete: nearest(s.timesToComplete(runs), 50), Money: s.moneyOf(runs),
			Incomplete: s.incomplete(end, s.longest()),
		}
		p.CompletionRate = ratio(p.Completions, p.Starts)
		points = append(points, p)
	})
	return points
}

// Versions returns the versions of the runs.
func (s *Selection) Versions() []flow.VersionRuns {
	counted := map[string]int64{}
	for _, r := range s.runs {
		counted[id(r.release.Version)]++
	}
	out := []flow.VersionRuns{}
	for version, n := range counted {
		out = append(out, flow.VersionRuns{Version: version, Runs: n})
	}
	slices.SortFunc(out, func(a, b flow.VersionRuns) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Version, b.Version))
	})
	return out
}

// AppOverview returns all rows of the flows of the environment, and the totals.
func (s *Selection) AppOverview(members map[string]bool) ([]flow.AppFlow, flow.Figures, bool) {
	scope := s.scope
	scope.Flow = session.Key{}
	every := s.Oracle.Select(scope, members)
	rows := []flow.AppFlow{}
	for _, v := range every.byValue("flow", "", every.runs) {
		rows = append(rows, flow.AppFlow{Flow: v.value, Figures: every.figures(v.runs)})
	}
	return rows, every.figures(every.runs), s.incomplete(s.scope.End, s.longest())
}
