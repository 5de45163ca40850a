package report

import (
	"math"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/channel"
	"github.com/svc-dev/svc/analytics/frame"
)

// skip is the group of sessions that a grouping does not count.
const skip = math.MaxUint32

// grouping assigns sessions to groups by a column's code.
type grouping struct {
	column  frame.Column
	mapping []uint32 // group by code; nil means the code is the group
	size    int
	empty   uint32 // the group of purchases without a session
	listed  bool   // leave out sessions that Channel and Referrer tables leave out
}

// everything is the grouping with a single group.
func everything() grouping { return grouping{column: frame.Columns, size: 1} }

func (g *grouping) of(p *windowPart, row uint32) uint32 {
	if g.column == frame.Columns {
		return 0
	}
	if g.listed && p.Col[frame.Channel][row] == uint32(channel.LeftOut) {
		return skip
	}
	code := p.Col[g.column][row]
	if g.mapping != nil {
		return g.mapping[code]
	}
	return code
}

// top keeps only the given groups, numbered in that order.
func (g grouping) top(groups []uint32) grouping {
	slot := make([]uint32, g.size)
	for i := range slot {
		slot[i] = skip
	}
	for i, group := range groups {
		slot[group] = uint32(i)
	}
	mapping := slot
	if g.mapping != nil {
		mapping = make([]uint32, len(g.mapping))
		for code, group := range g.mapping {
			mapping[code] = slot[group]
		}
	}
	g.mapping, g.empty, g.size = mapping, slot[g.empty], len(groups)
	return g
}

// cell counts the sessions of one group in one bucket.
type cell struct {
	last        uint32 // ordinal + 1 of the latest visitor counted
	visitors    uint32
	sessions    uint32
	bounces     uint32
	newVisitors uint32
	views       int64
	events      int64
	millis      int64
}

// tally is the result of counting: cells by group and bucket.
type tally struct {
	buckets   int
	cells     []cell
	revenue   [][frame.Providers]int64
	purchases []uint32
}

// tally counts the qualifying sessions by group, and by bucket when cal is not nil.
func (s *Selection) tally(g grouping, cal *calendar) *tally {
	buckets := 1
	if cal != nil {
		buckets = cal.len()
	}
	results := make([][]cell, len(s.shards))
	parallel(len(s.shards), func(i int) {
		cells := make([]cell, g.size*buckets)
		if cal == nil {
			s.count(s.shards[i], g, cells)
		} else {
			s.countByBucket(s.shards[i], g, cal, cells)
		}
		results[i] = cells
	})
	t := &tally{buckets: buckets, cells: results[0]}
	// A visitor belongs to one shard, so distinct counts add up.
	for _, more := range results[1:] {
		for i := range more {
			a, b := &t.cells[i], &more[i]
			a.visitors += b.visitors
			a.sessions += b.sessions
			a.bounces += b.bounces
			a.newVisitors += b.newVisitors
			a.views += b.views
			a.events += b.events
			a.millis += b.millis
		}
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
		at := int(group) * buckets
		if cal != nil {
			at += int(cal.of(p.At))
		}
		t.revenue[at][p.Provider] += p.AmountMicros
		t.purchases[at]++
	}
	return t
}

// count fills cells, one a group, from sessions ordered by visitor.
func (s *Selection) count(order []ref, g grouping, cells []cell) {
	current, isNew := uint32(skip), uint32(0)
	for _, r := range order {
		p := &s.window.parts[r.part]
		group := g.of(p, r.row)
		if group == skip {
			continue
		}
		visitor := p.Visitor[r.row]
		if visitor != current {
			current, isNew = visitor, 0
			if s.inRange(s.view.Touch(visitor).FirstSeen) {
				isNew = 1
			}
		}
		c := &cells[group]
		if c.last != visitor+1 {
			c.last = visitor + 1
			c.visitors++
			c.newVisitors += isNew
		}
		c.sessions++
		if p.Views[r.row] <= 1 && p.Events[r.row] == 0 {
			c.bounces++
		}
		c.views += int64(p.views[r.row])
		c.events += int64(p.events[r.row])
		c.millis += p.Duration(r.row)
	}
}

// countByBucket is count with a cell for each group and bucket. A session counts in every bucket
// it has a hit in; its views and events count where they happened.
func (s *Selection) countByBucket(order []ref, g grouping, cal *calendar, cells []cell) {
	buckets := uint32(cal.len())
	current, newIn := uint32(skip), uint32(skip)
	for _, r := range order {
		p := &s.window.parts[r.part]
		group := g.of(p, r.row)
		if group == skip {
			continue
		}
		visitor := p.Visitor[r.row]
		if visitor != current {
			current, newIn = visitor, skip
			if first := s.view.Touch(visitor).FirstSeen; s.inRange(first) {
				newIn = cal.of(first)
			}
		}
		enter := func(bucket uint32) *cell {
			c := &cells[group*buckets+bucket]
			if c.last != visitor+1 {
				c.last = visitor + 1
				c.visitors++
				if newIn == bucket {
					c.newVisitors++
				}
			}
			c.sessions++
			if p.Views[r.row] <= 1 && p.Events[r.row] == 0 {
				c.bounces++
			}
			c.millis += p.Duration(r.row)
			return c
		}
		hits := p.Hits[p.lo[r.row]:p.hi[r.row]]
		bucket := cal.of(frame.HitTime(hits[0]))
		c := enter(bucket)
		if frame.HitTime(hits[len(hits)-1]) < cal.bounds[bucket+1] {
			c.views += int64(p.views[r.row])
			c.events += int64(p.events[r.row])
			continue
		}
		for _, hit := range hits {
			if t := frame.HitTime(hit); t >= cal.bounds[bucket+1] {
				bucket = cal.of(t)
				c = enter(bucket)
			}
			switch name := s.view.Name(frame.HitName(hit)); {
			case name.Kind.IsView():
				c.views++
			case name.Kind == frame.Custom:
				c.events++
			}
		}
	}
}

// exists tells whether a group has anything to show.
func (t *tally) exists(at uint32) bool { return t.cells[at].sessions > 0 || t.purchases[at] > 0 }

// metrics are the metrics of a cell.
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

// byProvider is the revenue of a cell by provider.
func (t *tally) byProvider(at uint32) ProviderRevenue {
	r := t.revenue[at]
	return ProviderRevenue{RevenueCat: r[frame.RevenueCat], Superwall: r[frame.Superwall], Stripe: r[frame.Stripe]}
}

// groupingOf groups sessions by a dimension of theirs.
func (s *Selection) groupingOf(d analytics.Dimension) grouping {
	v := s.view
	switch d {
	case analytics.Country, analytics.Region, analytics.City:
		g := grouping{column: frame.Place, mapping: make([]uint32, len(v.Places))}
		for code, p := range v.Places {
			switch d {
			case analytics.Country:
				g.mapping[code], g.size = p.Country, len(v.Countries)
			case analytics.Region:
				g.mapping[code], g.size = p.RegionPlace, len(v.RegionPlaces)
			default:
				g.mapping[code], g.size = p.CityPlace, len(v.CityPlaces)
			}
		}
		return g
	case analytics.Browser:
		return grouping{column: frame.Tech, mapping: techOf(v, d), size: len(v.Browsers)}
	case analytics.OS:
		return grouping{column: frame.Tech, mapping: techOf(v, d), size: len(v.OSes)}
	case analytics.Device:
		return grouping{column: frame.Tech, mapping: techOf(v, d), size: len(v.Devices)}
	}
	column, values := textColumn(v, d)
	return grouping{
		column: column, size: len(values),
		listed: d == analytics.AcquisitionChannel || d == analytics.Referrer,
	}
}
