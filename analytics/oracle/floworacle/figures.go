package floworacle

import (
	"math"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics/flow"
)

func ratio(n, d int64) *float64 {
	if d == 0 {
		return nil
	}
	r := float64(n) / float64(d)
	return &r
}

func (s *Selection) incomplete(end time.Time, window time.Duration) bool {
	return s.now.Before(end.Add(window))
}

func (s *Selection) longest() time.Duration {
	return max(s.scope.Windows.Completion, s.scope.Windows.Purchase)
}

func (s *Selection) stateOf(r *flowRun) string { return r.state(s.now, s.scope.Windows.Lapse) }

// people returns how many distinct people the runs are of that have a property.
func people(runs []*flowRun, has func(*flowRun) bool) int64 {
	set := map[string]bool{}
	for _, r := range runs {
		if has(r) {
			set[r.person] = true
		}
	}
	return int64(len(set))
}

func all(*flowRun) bool { return true }

// nearest returns a quantile by nearest rank, in seconds.
func nearest(millis []int64, percent float64) *float64 {
	if len(millis) == 0 {
		return nil
	}
	sorted := slices.Clone(millis)
	slices.Sort(sorted)
	rank := int(math.Ceil(percent * float64(len(sorted)) / 100))
	q := float64(sorted[max(rank, 1)-1]) / 1000
	return &q
}

func (s *Selection) timesToComplete(runs []*flowRun) (list []int64) {
	for _, r := range runs {
		for _, e := range r.events {
			if e.Name == "flow_completed" {
				list = append(list, max(0, e.At-r.start))
				break
			}
		}
	}
	return list
}

func completed(r *flowRun) bool { return r.completed }

func viewed(r *flowRun) bool { return r.has("surface_presented") }

func (s *Selection) claimed(runs []*flowRun) int64 {
	bought := map[string]bool{}
	for _, r := range runs {
		bought[r.person] = bought[r.person] || s.buys(r)
	}
	return people(runs, func(r *flowRun) bool { return r.claims() && !bought[r.person] })
}

func (s *Selection) figures(runs []*flowRun) flow.Figures {
	f := flow.Figures{
		Starts: people(runs, all), Runs: int64(len(runs)), Completions: people(runs, completed),
		PaywallViewers: people(runs, viewed), Money: s.moneyOf(runs), Claimed: s.claimed(runs),
	}
	for _, r := range runs {
		switch s.stateOf(r) {
		case "completed":
			f.Completed++
		case "abandoned":
			f.Abandoned++
		case "lapsed":
			f.Lapsed++
		default:
			f.Open++
		}
	}
	took := s.timesToComplete(runs)
	f.TimeToComplete = flow.Times{
		N: int64(len(took)), P25: nearest(took, 25), Median: nearest(took, 50), P75: nearest(took, 75),
	}
	f.CompletionRate, f.ConversionRate = ratio(f.Completions, f.Starts), ratio(f.Purchases, f.PaywallViewers)
	f.RevenuePerStart = ratio(f.Revenue, f.Starts)
	return f
}
