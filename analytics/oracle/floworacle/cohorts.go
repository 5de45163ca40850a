package floworacle

import (
	"cmp"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/flow"
)

// valueRuns is the runs of a value.
type valueRuns struct {
	value string
	runs  []*flowRun
}

// byValue returns the runs by value, most people first.
func (s *Selection) byValue(d analytics.Dimension, key string, runs []*flowRun) []valueRuns {
	byValue := map[string][]*flowRun{}
	for _, r := range runs {
		v := s.value(r, d, key)
		byValue[v] = append(byValue[v], r)
	}
	var list []valueRuns
	for v, runs := range byValue {
		list = append(list, valueRuns{v, runs})
	}
	slices.SortFunc(list, func(a, b valueRuns) int {
		return cmp.Or(cmp.Compare(people(b.runs, all), people(a.runs, all)), cmp.Compare(a.value, b.value))
	})
	return list
}

func wilson(successes, n int64) *flow.Interval {
	if n == 0 {
		return nil
	}
	sample, err := experiment.Proportion(int(successes), int(n))
	if err != nil {
		panic(err)
	}
	i := experiment.Wilson(sample, 0.05)
	return &flow.Interval{Low: i.Low, High: i.High}
}

// Cohorts returns all rows of the cohorts.
func (s *Selection) Cohorts(d analytics.Dimension, key string) []flow.Cohort {
	out := []flow.Cohort{}
	for _, v := range s.byValue(d, key, s.runs) {
		c := flow.Cohort{
			Value: v.value, Starts: people(v.runs, all), Completions: people(v.runs, completed), Money: s.moneyOf(v.runs),
		}
		c.CompletionRate, c.RevenuePerStart = ratio(c.Completions, c.Starts), ratio(c.Revenue, c.Starts)
		c.CompletionInterval = wilson(c.Completions, c.Starts)
		out = append(out, c)
	}
	return out
}

// CohortKeys returns the custom properties.
func (s *Selection) CohortKeys() []flow.CohortKey {
	having, values := map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, r := range s.runs {
		for key, value := range r.custom {
			if having[key] == nil {
				having[key], values[key] = map[string]bool{}, map[string]bool{}
			}
			having[key][r.person], values[key][value] = true, true
		}
	}
	out := []flow.CohortKey{}
	for key := range having {
		out = append(out, flow.CohortKey{Key: key, People: int64(len(having[key])), Values: int64(len(values[key]))})
	}
	slices.SortFunc(out, func(a, b flow.CohortKey) int {
		return cmp.Or(cmp.Compare(b.People, a.People), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// TimeseriesCohorts returns the series.
func (s *Selection) TimeseriesCohorts(d analytics.Dimension, key string, grain analytics.Grain) []flow.CohortSeries {
	out := []flow.CohortSeries{}
	for i, v := range s.byValue(d, key, s.runs) {
		if i == 10 {
			break
		}
		series := flow.CohortSeries{Value: v.value, Points: []flow.CohortPoint{}}
		s.buckets(grain, v.runs, func(label time.Time, runs []*flowRun, end time.Time) {
			p := flow.CohortPoint{
				Bucket: label, Starts: people(runs, all), Completions: people(runs, completed), Money: s.moneyOf(runs),
				Incomplete: s.incomplete(end, s.longest()),
			}
			p.CompletionRate = ratio(p.Completions, p.Starts)
			series.Points = append(series.Points, p)
		})
		out = append(out, series)
	}
	return out
}

// Heatmap returns the heatmap.
func (s *Selection) Heatmap(row, column flow.Value) *flow.Heatmap {
	out := &flow.Heatmap{
		Rows: []string{}, Columns: []string{}, Cells: []flow.Cell{}, Incomplete: s.incomplete(s.scope.End, s.longest()),
	}
	rows, columns := s.byValue(row.Dimension, row.Key, s.runs), s.byValue(column.Dimension, column.Key, s.runs)
	rows, columns = rows[:min(len(rows), 30)], columns[:min(len(columns), 30)]
	for _, v := range columns {
		out.Columns = append(out.Columns, v.value)
	}
	for _, v := range rows {
		out.Rows = append(out.Rows, v.value)
		for _, h := range columns {
			var runs []*flowRun
			for _, r := range v.runs {
				if s.value(r, column.Dimension, column.Key) == h.value {
					runs = append(runs, r)
				}
			}
			if len(runs) == 0 {
				continue
			}
			c := flow.Cell{
				Row: v.value, Column: h.value, Starts: people(runs, all), Completions: people(runs, completed),
				Money: s.moneyOf(runs),
			}
			c.CompletionRate, c.ConversionRate = ratio(c.Completions, c.Starts), ratio(c.Purchases, c.Starts)
			out.Cells = append(out.Cells, c)
		}
	}
	return out
}
