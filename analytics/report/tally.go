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

// lane is the columns of a part that counting reads, next to each other: a row costs one step
// from the part to its values.
type lane struct {
	visitor       []uint32
	codes         [][]uint32 // by grouping
	channel       []uint32
	allViews      []uint16 // of whole sessions
	allEvents     []uint16
	views, events []uint16 // in range
	millis        []uint32
	part          *windowPart
}

func (s *Selection) lanes(groupings []grouping) []lane {
	lanes := make([]lane, len(s.window.parts))
	for i := range lanes {
		p := &s.window.parts[i]
		lanes[i] = lane{
			visitor: p.Visitor, channel: p.Col[frame.Channel], allViews: p.Views, allEvents: p.Events,
			views: p.views, events: p.events, millis: p.Millis, part: p,
		}
		for _, g := range groupings {
			codes := p.Visitor // not read when everything is one group
			if g.column != frame.Columns {
				codes = p.Col[g.column]
			}
			lanes[i].codes = append(lanes[i].codes, codes)
		}
	}
	return lanes
}

// bounced is 1 for a session with at most one view and no custom event.
func (l *lane) bounced(row uint32) uint32 {
	bounce := uint32(0)
	if l.allViews[row]>>1|l.allEvents[row] == 0 {
		bounce = 1
	}
	return bounce
}

// tally counts the qualifying sessions by group, and by bucket when cal is not nil.
func (s *Selection) tally(g grouping, cal *calendar) *tally {
	if cal == nil {
		return s.tallies([]grouping{g})[0]
	}
	lanes := s.lanes([]grouping{g})
	results := make([][]cell, len(s.shards))
	parallel(len(s.shards), func(i int) {
		results[i] = make([]cell, g.size*cal.len())
		s.countByBucket(s.shards[i], lanes, g, cal, results[i])
	})
	return s.finish(g, cal, results)
}

// gatherTally is the tally of all portions, by a grouping that is the same in all of them.
func (s *Selection) gatherTally(g grouping, cal *calendar) (*tally, *Selection, error) {
	return gather(s, func(p *Selection) *tally { return p.tally(g, cal) }, (*tally).plus)
}

// tallies counts the qualifying sessions by several groupings in one pass.
func (s *Selection) tallies(groupings []grouping) []*tally {
	lanes := s.lanes(groupings)
	results := make([][][]cell, len(groupings))
	for k := range results {
		results[k] = make([][]cell, len(s.shards))
	}
	parallel(len(s.shards), func(i int) {
		cells := make([][]cell, len(groupings))
		for k, g := range groupings {
			cells[k] = make([]cell, g.size)
			results[k][i] = cells[k]
		}
		s.count(s.shards[i], lanes, groupings, cells)
	})
	out := make([]*tally, len(groupings))
	for k, g := range groupings {
		out[k] = s.finish(g, nil, results[k])
	}
	return out
}

// finish adds the shards up and attributes revenue.
func (s *Selection) finish(g grouping, cal *calendar, shards [][]cell) *tally {
	t := &tally{buckets: 1, cells: shards[0]}
	if cal != nil {
		t.buckets = cal.len()
	}
	// A visitor belongs to one shard, so distinct counts add up.
	for _, more := range shards[1:] {
		addCells(t.cells, more)
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

// addCells adds cells of other visitors up.
func addCells(total, more []cell) {
	for i := range more {
		a, b := &total[i], &more[i]
		a.visitors += b.visitors
		a.sessions += b.sessions
		a.bounces += b.bounces
		a.newVisitors += b.newVisitors
		a.views += b.views
		a.events += b.events
		a.millis += b.millis
	}
}

// plus is the sum of two tallies of disjoint visitors.
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

// blockSize is how many sessions are read ahead of being counted. Sessions ordered by visitor are
// scattered over the days' columns, more streams than a processor prefetches; reading a block of
// them first, without a branch between the reads, lets the misses overlap.
const blockSize = 128

// block is what counting needs of some sessions.
type block struct {
	visitor [blockSize]uint32
	bounced [blockSize]uint32
	views   [blockSize]uint32
	events  [blockSize]uint32
	millis  [blockSize]int64
	start   [blockSize]int64 // first hit in range, only with a calendar
	groups  [maxGroupings][blockSize]uint32
}

// maxGroupings is how many groupings one pass may count: those of the overview.
const maxGroupings = 10

// read fills the block from up to blockSize sessions.
func (b *block) read(order []ref, lanes []lane, groupings []grouping) {
	for j, r := range order {
		l, row := &lanes[r.part], r.row
		b.visitor[j] = l.visitor[row]
		b.bounced[j] = l.bounced(row)
		b.views[j], b.events[j] = uint32(l.views[row]), uint32(l.events[row])
		b.millis[j] = int64(l.millis[row])
	}
	for j, r := range order {
		if b.millis[j] == frame.LongSession {
			b.millis[j] = lanes[r.part].part.Duration(r.row)
		}
	}
	for k := range groupings {
		g, groups := &groupings[k], &b.groups[k]
		switch {
		case g.column == frame.Columns:
			clear(groups[:len(order)])
		case g.mapping == nil:
			for j, r := range order {
				groups[j] = lanes[r.part].codes[k][r.row]
			}
		default:
			for j, r := range order {
				groups[j] = g.mapping[lanes[r.part].codes[k][r.row]]
			}
		}
		if g.listed {
			for j, r := range order {
				if lanes[r.part].channel[r.row] == uint32(channel.LeftOut) {
					groups[j] = skip
				}
			}
		}
	}
}

// count fills cells, one a group, from sessions ordered by visitor.
func (s *Selection) count(order []ref, lanes []lane, groupings []grouping, cells [][]cell) {
	current, isNew := uint32(skip), uint32(0)
	b := new(block)
	var fresh [blockSize]uint32
	for len(order) > 0 {
		n := min(blockSize, len(order))
		b.read(order[:n], lanes, groupings)
		order = order[n:]
		for j, visitor := range b.visitor[:n] {
			if visitor != current {
				current, isNew = visitor, 0
				if s.inRange(s.view.FirstSeen(visitor)) {
					isNew = 1
				}
			}
			fresh[j] = isNew
		}
		for k := range groupings {
			cells, groups := cells[k], b.groups[k][:n]
			for j, group := range groups {
				if group == skip {
					continue
				}
				c := &cells[group]
				visitor := b.visitor[j]
				// No branch: whether a visitor is new to a group can't be predicted.
				first := uint32(0)
				if c.last != visitor+1 {
					first = 1
				}
				c.last = visitor + 1
				c.visitors += first
				c.newVisitors += first & fresh[j]
				c.sessions++
				c.bounces += b.bounced[j]
				c.views += int64(b.views[j])
				c.events += int64(b.events[j])
				c.millis += b.millis[j]
			}
		}
	}
}

// countByBucket is count for one grouping with a cell for each group and bucket. A session counts
// in every bucket it has a hit in; its views and events count where they happened.
func (s *Selection) countByBucket(order []ref, lanes []lane, g grouping, cal *calendar, cells []cell) {
	buckets := uint32(cal.len())
	current, newIn := uint32(skip), uint32(skip)
	b := new(block)
	for len(order) > 0 {
		n := min(blockSize, len(order))
		refs := order[:n]
		order = order[n:]
		b.read(refs, lanes, []grouping{g})
		for j, r := range refs {
			p := lanes[r.part].part
			b.start[j] = frame.HitTime(p.Hits[p.lo[r.row]])
		}
		for j, r := range refs {
			group, visitor := b.groups[0][j], b.visitor[j]
			if group == skip {
				continue
			}
			if visitor != current {
				current, newIn = visitor, skip
				if first := s.view.FirstSeen(visitor); s.inRange(first) {
					newIn = cal.of(first)
				}
			}
			bucket := cal.of(b.start[j])
			c := enter(cells, group*buckets+bucket, b, j, newIn == bucket)
			// The session's end is no earlier than its last hit in the range.
			if b.start[j]+b.millis[j] < cal.bounds[bucket+1] {
				c.views += int64(b.views[j])
				c.events += int64(b.events[j])
				continue
			}
			p := lanes[r.part].part
			for _, hit := range p.Hits[p.lo[r.row]:p.hi[r.row]] {
				if t := frame.HitTime(hit); t >= cal.bounds[bucket+1] {
					bucket = cal.of(t)
					c = enter(cells, group*buckets+bucket, b, j, newIn == bucket)
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
}

// enter counts the j-th session of a block in a cell, but for its hits.
func enter(cells []cell, at uint32, b *block, j int, isNew bool) *cell {
	c := &cells[at]
	visitor := b.visitor[j] + 1
	if c.last != visitor {
		c.last = visitor
		c.visitors++
		if isNew {
			c.newVisitors++
		}
	}
	c.sessions++
	c.bounces += b.bounced[j]
	c.millis += b.millis[j]
	return c
}

// exists tells whether a group has anything to show.
func (t *tally) exists(at uint32) bool { return t.cells[at].sessions > 0 || t.purchases[at] > 0 }

// sessions is the sessions of every cell.
func (t *tally) sessions() []uint32 {
	out := make([]uint32, len(t.cells))
	for i := range t.cells {
		out[i] = t.cells[i].sessions
	}
	return out
}

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
