package flow

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// SeriesValues is how many values a time series by dimension shows.
const SeriesValues = 10

// checkDimension checks a dimension of cohorts; field is what errors name.
func checkDimension(field string, d analytics.Dimension, key string) error {
	switch {
	case !slices.Contains(CohortDimensions, d):
		return analytics.Invalid(field, "unknown dimension %q for cohorts", d)
	case d == CustomProperty && key == "":
		return analytics.Invalid("key", "a cohort by custom property needs its key")
	}
	return nil
}

// valued is a value with what was counted of it.
type valued struct {
	value string
	code  uint32
	cell  *cell
}

// byStarts returns the values with a run, those of most starts first, ties by value.
func byStarts(texts []string, counted []cell) []valued {
	var list []valued
	for code := range counted {
		if counted[code].runs > 0 {
			list = append(list, valued{texts[code], uint32(code), &counted[code]})
		}
	}
	slices.SortFunc(list, func(a, b valued) int {
		return cmp.Or(cmp.Compare(b.cell.starts, a.cell.starts), cmp.Compare(a.value, b.value))
	})
	return list
}

// Cohorts returns a page of the values of a dimension of CohortDimensions; key names a custom property.
func (s *Selection) Cohorts(
	ctx context.Context, d analytics.Dimension, key string, page report.Page,
) (*Cohorts, error) {
	if err := checkDimension("dimension", d, key); err != nil {
		return nil, err
	}
	counted, view, err := s.countBy(ctx, d, key)
	if err != nil {
		return nil, err
	}
	rows := []Cohort{}
	for _, v := range byStarts(valuesOf(view, d, key).texts, counted) {
		rows = append(rows, cohortOf(v.value, v.cell))
	}
	table, err := report.List(rows, page, CohortMetrics, cohortMetric, func(c Cohort) string { return c.Value })
	if err != nil {
		return nil, err
	}
	return &Cohorts{*table, s.incomplete(s.scope.End, s.moneyWindow())}, nil
}

func cohortOf(value string, c *cell) Cohort {
	return Cohort{
		Value: value, Starts: c.starts, Completions: c.completions, CompletionRate: ratio(c.completions, c.starts),
		CompletionInterval: wilson(c.completions, c.starts), Money: c.money(), RevenuePerStart: ratio(c.net, c.starts),
	}
}

// intervalAlpha is the error rate of the intervals of reports.
const intervalAlpha = 0.05

// wilson returns the interval of a proportion, nil of nobody.
func wilson(successes, n int64) *Interval {
	sample, err := experiment.Proportion(int(successes), int(n))
	if err != nil || n == 0 {
		return nil
	}
	i := experiment.Wilson(sample, intervalAlpha)
	return &Interval{i.Low, i.High}
}

// whole returns a count as tables order it.
func whole(n int64) *float64 {
	f := float64(n)
	return &f
}

func (m *Money) metric(metric report.Metric) *float64 {
	switch metric {
	case Purchases:
		return whole(m.Purchases)
	case Trials:
		return whole(m.Trials)
	case Gross:
		return whole(m.Gross)
	}
	return whole(m.Revenue)
}

func cohortMetric(c Cohort, metric report.Metric) *float64 {
	switch metric {
	case Starts:
		return whole(c.Starts)
	case Completions:
		return whole(c.Completions)
	case CompletionRate:
		return c.CompletionRate
	case RevenuePerStart:
		return c.RevenuePerStart
	}
	return c.metric(metric)
}

// keyTally is the custom properties of some runs.
type keyTally struct {
	people []int64  // by code of the key
	sets   []uint64 // bits by code of the set
}

// CohortKeys returns the custom properties of the runs.
func (s *Selection) CohortKeys(ctx context.Context) ([]CohortKey, error) {
	total, view, err := sum(ctx, s, (*Selection).countKeys, func(total, more keyTally) keyTally {
		sets := extend(total.sets, more.sets)
		for i, word := range more.sets {
			sets[i] |= word
		}
		return keyTally{addCounts(total.people, more.people), sets}
	})
	if err != nil {
		return nil, err
	}
	distinct := map[frame.CustomValue]bool{}
	for i, word := range total.sets {
		for ; word != 0; word &= word - 1 {
			for _, v := range view.CustomSets[i*64+bits.TrailingZeros64(word)] {
				distinct[v] = true
			}
		}
	}
	byKey := make([]int64, len(view.CustomKeys))
	for v := range distinct {
		byKey[v.Key]++
	}
	keys := []CohortKey{}
	for code, people := range total.people {
		if people > 0 {
			keys = append(keys, CohortKey{view.CustomKeys[code], people, byKey[code]})
		}
	}
	slices.SortFunc(keys, func(a, b CohortKey) int {
		return cmp.Or(cmp.Compare(b.People, a.People), cmp.Compare(a.Key, b.Key))
	})
	return keys[:min(len(keys), MaxCohortKeys)], nil
}

func (s *Selection) countKeys() keyTally {
	columns := s.window.column(frame.RunCustom)
	return each(s, func(_ int, rs *runs) keyTally {
		t := keyTally{make([]int64, len(s.view.CustomKeys)), make([]uint64, (len(s.view.CustomSets)+63)/64)}
		last := make([]uint32, len(t.people)) // person, and one
		for i, r := range rs.refs {
			set := columns[r.part][r.row]
			t.sets[set>>6] |= 1 << (set & 63)
			for _, v := range s.view.CustomSets[set] {
				if person := rs.visitor[i] + 1; last[v.Key] != person {
					last[v.Key] = person
					t.people[v.Key]++
				}
			}
		}
		return t
	}, func(total, more keyTally) keyTally {
		for i, word := range more.sets {
			total.sets[i] |= word
		}
		return keyTally{addCounts(total.people, more.people), total.sets}
	})
}

// TimeseriesCohorts returns the points of the ten values of a dimension with the most starts.
func (s *Selection) TimeseriesCohorts(
	ctx context.Context, d analytics.Dimension, key string, grain analytics.Grain,
) ([]CohortSeries, error) {
	if err := checkDimension("dimension", d, key); err != nil {
		return nil, err
	}
	cal, err := s.calendar(grain)
	if err != nil {
		return nil, err
	}
	if len(cal.labels) > report.MaxChartBuckets {
		return nil, analytics.Invalid("grain",
			"more than %d buckets in a chart by value: use a coarser grain or a shorter range", report.MaxChartBuckets)
	}
	counted, view, err := s.countBy(ctx, d, key)
	if err != nil {
		return nil, err
	}
	top := byStarts(valuesOf(view, d, key).texts, counted)
	top = top[:min(len(top), SeriesValues)]
	points, _, err := sum(ctx, s, func(p *Selection) []cell {
		values := valuesOf(p.view, d, key)
		listed := places(top, len(values.texts))
		return p.count(len(top)*len(cal.labels), false, cross(p.by(values).listed(listed), cal.group, len(cal.labels)))
	}, s.addCells)
	if err != nil {
		return nil, err
	}
	out := make([]CohortSeries, len(top))
	for i, v := range top {
		out[i] = CohortSeries{v.value, make([]CohortPoint, len(cal.labels))}
		for b, label := range cal.labels {
			c := &points[i*len(cal.labels)+b]
			out[i].Points[b] = CohortPoint{
				Bucket: label, Starts: c.starts, Completions: c.completions, CompletionRate: ratio(c.completions, c.starts),
				Money: c.money(), Incomplete: s.incomplete(s.end(cal, b), s.moneyWindow()),
			}
		}
	}
	return out, nil
}

// listed groups runs by the place of their cell in a list.
func (g grouping) listed(place []uint32) grouping {
	return func(rs *runs, from int, ids []uint32) {
		g(rs, from, ids)
		for k, id := range ids {
			ids[k] = place[id]
		}
	}
}

// cross groups runs by two groupings, of which the second has width cells.
func cross(rows, columns grouping, width int) grouping {
	return func(rs *runs, from int, ids []uint32) {
		var second [blockSize]uint32
		rows(rs, from, ids)
		columns(rs, from, second[:len(ids)])
		for k, id := range ids {
			if id == noCell || second[k] == noCell {
				ids[k] = noCell
			} else {
				ids[k] = id*uint32(width) + second[k]
			}
		}
	}
}

// places returns the place of each of n values in the list, by code; noCell of those that are not in it.
func places(list []valued, n int) []uint32 {
	place := make([]uint32, n)
	for code := range place {
		place[code] = noCell
	}
	for i, v := range list {
		if int(v.code) < n {
			place[v.code] = uint32(i)
		}
	}
	return place
}

// Heatmap returns the conversion by two dimensions of cohorts; of Values only dimension and key are read. The zero
// value of row is by language, of column by platform.
func (s *Selection) Heatmap(ctx context.Context, row, column Value) (*Heatmap, error) {
	axes := [2]Value{row, column}
	var names [2][]string
	var tops [2][]valued
	for i := range axes {
		axis := &axes[i]
		if axis.Dimension == "" {
			axis.Dimension = [2]analytics.Dimension{Language, analytics.Platform}[i]
		}
		if err := checkDimension([2]string{"row", "column"}[i], axis.Dimension, axis.Key); err != nil {
			return nil, err
		}
	}
	var readings []func() error // together, so that both share the reading of portions
	for i := range axes {
		axis := &axes[i]
		readings = append(readings, func() error {
			counted, view, err := s.countBy(ctx, axis.Dimension, axis.Key)
			if err != nil {
				return err
			}
			top := byStarts(valuesOf(view, axis.Dimension, axis.Key).texts, counted)
			tops[i], names[i] = top[:min(len(top), MaxHeatmap)], []string{}
			for _, v := range tops[i] {
				names[i] = append(names[i], v.value)
			}
			return nil
		})
	}
	if err := frame.Together(readings...); err != nil {
		return nil, err
	}
	width := len(names[1])
	total, _, err := sum(ctx, s, func(p *Selection) []cell {
		rows, columns := valuesOf(p.view, axes[0].Dimension, axes[0].Key), valuesOf(p.view, axes[1].Dimension, axes[1].Key)
		return p.count(len(names[0])*width, false, cross(
			p.by(rows).listed(places(tops[0], len(rows.texts))),
			p.by(columns).listed(places(tops[1], len(columns.texts))), width,
		))
	}, s.addCells)
	if err != nil {
		return nil, err
	}
	out := &Heatmap{
		Rows: names[0], Columns: names[1], Cells: []Cell{}, Incomplete: s.incomplete(s.scope.End, s.moneyWindow()),
	}
	for at := range total {
		if c := &total[at]; c.runs > 0 {
			out.Cells = append(out.Cells, Cell{
				Row: names[0][at/width], Column: names[1][at%width], Starts: c.starts, Completions: c.completions,
				CompletionRate: ratio(c.completions, c.starts), Money: c.money(), ConversionRate: ratio(c.purchasers, c.starts),
			})
		}
	}
	return out, nil
}
