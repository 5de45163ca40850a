package report

import (
	"context"

	"github.com/svc-dev/svc/analytics/frame"
)

// tally is the result of counting: cells by group and bucket.
type tally struct {
	buckets   int
	cells     []cell
	revenue   [][frame.Providers]int64
	purchases []uint32
}

// tally counts the qualifying sessions by group, and by bucket when cal is not nil.
func (s *Selection) tally(g grouping, cal *calendar) *tally {
	if cal == nil {
		return s.tallies([]grouping{g})[0]
	}
	_, points := s.chartTally(g, cal)
	return points
}

// chartTally counts the qualifying sessions by group over the range and, in the same pass, by group and
// bucket.
func (s *Selection) chartTally(g grouping, cal *calendar) (whole, points *tally) {
	type cells struct{ whole, points []cell }
	c := remembered(s, countKey{what: "chart", by: g.name, buckets: cal.key()}, g.size*cal.len(), cellBytes, func() cells {
		r, columns := s.readTotals([]grouping{g}, cal)
		seen := s.countsSeen(g, cal)
		all, byBucket := make([][]sessionCell, s.workers()), make([][]sessionCell, s.workers())
		frame.Parallel(s.workers(), func(i int) {
			all[i], byBucket[i] = make([]sessionCell, g.size), make([]sessionCell, g.size*cal.len())
			if seen {
				s.countSeenGroups(i, r, columns, g, cal, all[i], byBucket[i])
				return
			}
			s.each(i, r, func(order []ref) { s.countByBucket(order, columns, g, cal, all[i], byBucket[i]) })
		})
		return cells{join(all), join(byBucket)}
	})
	return s.finish(g, nil, c.whole), s.finish(g, cal, c.points)
}

// sumTallies returns the tally of all portions, by a grouping that is the same in all of them.
func (s *Selection) sumTallies(ctx context.Context, g grouping, cal *calendar) (*tally, *Selection, error) {
	return sumPortions(ctx, s, func(p *Selection) *tally { return p.tally(g, cal) }, (*tally).plus)
}

// tallies counts the qualifying sessions by several groupings in one pass.
func (s *Selection) tallies(groupings []grouping) []*tally {
	names, size := "", 0
	for _, g := range groupings {
		names, size = names+g.name+"\x00", size+g.size
	}
	cells := remembered(s, countKey{what: "table", by: names}, size, cellBytes, func() [][]cell {
		if len(groupings) == 1 && groupings[0].column == frame.Columns && !s.window.kept {
			return [][]cell{{s.countWhole()}}
		}
		return s.countGroups(groupings)
	})
	out := make([]*tally, len(groupings))
	for k, g := range groupings {
		out[k] = s.finish(g, nil, cells[k])
	}
	return out
}

func (s *Selection) countGroups(groupings []grouping) [][]cell {
	r, columns := s.readTotals(groupings, nil)
	results := make([][][]sessionCell, len(groupings))
	for k := range results {
		results[k] = make([][]sessionCell, s.workers())
	}
	frame.Parallel(s.workers(), func(i int) {
		cells := make([][]sessionCell, len(groupings))
		for k, g := range groupings {
			cells[k] = make([]sessionCell, g.size)
			results[k][i] = cells[k]
		}
		s.each(i, r, func(order []ref) { s.count(order, columns, groupings, cells) })
	})
	out := make([][]cell, len(groupings))
	for k := range groupings {
		out[k] = join(results[k])
	}
	return out
}

// finish attributes revenue.
func (s *Selection) finish(g grouping, cal *calendar, cells []cell) *tally {
	t := &tally{buckets: 1, cells: cells}
	if cal != nil {
		t.buckets = cal.len()
	}
	t.revenue = make([][frame.Providers]int64, len(t.cells))
	t.purchases = make([]uint32, len(t.cells))
	for _, p := range s.purchases() {
		group := g.empty
		if p.session != noRef {
			group = g.of(&s.window.parts[p.session.part], p.session.row)
		}
		if group == skip {
			continue
		}
		at := int(group) * t.buckets
		if cal != nil {
			at += int(cal.of(p.At))
		}
		t.revenue[at][p.Provider] += p.AmountMicros
		t.purchases[at]++
	}
	return t
}

// plus returns the sum of two tallies of disjoint visitors.
func (t *tally) plus(more *tally) *tally {
	out := &tally{
		buckets: t.buckets, cells: extend(t.cells, more.cells),
		revenue: extend(t.revenue, more.revenue), purchases: addCounts(t.purchases, more.purchases),
	}
	addCells(out.cells, more.cells)
	for i := range more.revenue {
		for provider, amount := range more.revenue[i] {
			out.revenue[i][provider] += amount
		}
	}
	return out
}

// exists tells whether a group has anything to show.
func (t *tally) exists(at uint32) bool { return t.cells[at].sessions > 0 || t.purchases[at] > 0 }

// sessions returns the sessions of every cell.
func (t *tally) sessions() []uint32 {
	out := make([]uint32, len(t.cells))
	for i := range t.cells {
		out[i] = t.cells[i].sessions
	}
	return out
}

// metrics returns the metrics of a cell.
func (t *tally) metrics(at uint32) Metrics {
	c := &t.cells[at]
	sessions := int64(c.sessions)
	m := Metrics{
		Visitors: int64(c.visitors), Sessions: sessions, Views: c.views, Events: c.events,
		NewVisitors: int64(c.newVisitors),
		BounceRate:  ratio(int64(c.bounces), sessions), AverageSessionSeconds: ratio(c.millis, sessions*1000),
		ViewsPerSession: ratio(c.views, sessions),
	}
	for _, amount := range t.revenue[at] {
		m.Revenue += amount
	}
	return m
}

// byProvider returns the revenue of a cell by provider.
func (t *tally) byProvider(at uint32) ProviderRevenue {
	r := t.revenue[at]
	return ProviderRevenue{RevenueCat: r[frame.RevenueCat], Superwall: r[frame.Superwall], Stripe: r[frame.Stripe]}
}
