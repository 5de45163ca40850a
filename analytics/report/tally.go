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

// ungrouped is the grouping with a single group.
func ungrouped() grouping { return grouping{column: frame.Columns, size: 1} }

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
	visitors    uint32
	sessions    uint32
	bounces     uint32
	newVisitors uint32
	views       int64
	events      int64
	millis      int64
}

// sessionCell is a cell while it is counted, with two counters to a word, so that a session costs four
// additions without a branch. A shard has fewer than 2³² views, and events, of one group.
type sessionCell struct {
	last     uint64 // ordinal + 1 of the latest visitor counted
	distinct uint64 // visitors << 32 | new visitors
	sessions uint64 // sessions << 32 | bounces
	hits     uint64 // views << 32 | events
	millis   int64
}

// join adds the cells of all shards up. A visitor belongs to one shard, so distinct counts add up.
func join(shards [][]sessionCell) []cell {
	total := make([]cell, len(shards[0]))
	for _, cells := range shards {
		for i := range cells {
			a, b := &total[i], &cells[i]
			a.visitors += uint32(b.distinct >> 32)
			a.newVisitors += uint32(b.distinct)
			a.sessions += uint32(b.sessions >> 32)
			a.bounces += uint32(b.sessions)
			a.views += int64(b.hits >> 32)
			a.events += int64(uint32(b.hits))
			a.millis += b.millis
		}
	}
	return total
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
func (l *lane) bounced(row uint32) uint64 {
	bounce := uint64(0)
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
	_, points := s.chartTally(g, cal)
	return points
}

// chartTally counts the qualifying sessions by group over the range and, in the same pass, by group and
// bucket.
func (s *Selection) chartTally(g grouping, cal *calendar) (whole, points *tally) {
	lanes := s.lanes([]grouping{g})
	all, byBucket := make([][]sessionCell, len(s.shards)), make([][]sessionCell, len(s.shards))
	parallel(len(s.shards), func(i int) {
		all[i], byBucket[i] = make([]sessionCell, g.size), make([]sessionCell, g.size*cal.len())
		s.countByBucket(s.shards[i], lanes, g, cal, all[i], byBucket[i])
	})
	return s.finish(g, nil, join(all)), s.finish(g, cal, join(byBucket))
}

// gatherTally is the tally of all portions, by a grouping that is the same in all of them.
func (s *Selection) gatherTally(g grouping, cal *calendar) (*tally, *Selection, error) {
	return sumPortions(s, func(p *Selection) *tally { return p.tally(g, cal) }, (*tally).plus)
}

// tallies counts the qualifying sessions by several groupings in one pass.
func (s *Selection) tallies(groupings []grouping) []*tally {
	lanes := s.lanes(groupings)
	results := make([][][]sessionCell, len(groupings))
	for k := range results {
		results[k] = make([][]sessionCell, len(s.shards))
	}
	parallel(len(s.shards), func(i int) {
		cells := make([][]sessionCell, len(groupings))
		for k, g := range groupings {
			cells[k] = make([]sessionCell, g.size)
			results[k][i] = cells[k]
		}
		s.count(s.shards[i], lanes, groupings, cells)
	})
	out := make([]*tally, len(groupings))
	for k, g := range groupings {
		out[k] = s.finish(g, nil, join(results[k]))
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

// block is what counting needs of some sessions. The words are what each adds to a sessionCell.
type block struct {
	visitor  [blockSize]uint32
	distinct [blockSize]uint64 // 1 << 32 | whether the visitor is new
	sessions [blockSize]uint64 // 1 << 32 | whether the session bounced
	hits     [blockSize]uint64 // views << 32 | events
	millis   [blockSize]int64
	start    [blockSize]int64 // first hit in range, only with a calendar
	groups   [maxGroupings][blockSize]uint32
}

// maxGroupings is how many groupings one pass may count: those of the overview.
const maxGroupings = 10

// read fills the block from up to blockSize sessions.
func (b *block) read(order []ref, lanes []lane, groupings []grouping) {
	for j, r := range order {
		l, row := &lanes[r.part], r.row
		b.visitor[j] = l.visitor[row]
		b.sessions[j] = 1<<32 | l.bounced(row)
		b.hits[j] = uint64(l.views[row])<<32 | uint64(l.events[row])
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
func (s *Selection) count(order []ref, lanes []lane, groupings []grouping, cells [][]sessionCell) {
	b, latest := new(block), latestVisitor{ordinal: skip}
	for len(order) > 0 {
		n := min(blockSize, len(order))
		b.read(order[:n], lanes, groupings)
		order = order[n:]
		s.markNew(b, n, &latest)
		for k := range groupings {
			b.count(b.groups[k][:n], cells[k])
		}
	}
}

// latestVisitor is the visitor whose first touch was looked up last, and the word that they add to
// the distinct visitors of a cell.
type latestVisitor struct {
	ordinal uint32
	word    uint64
}

// markNew marks who of the first n sessions' visitors is new in the range.
func (s *Selection) markNew(b *block, n int, latest *latestVisitor) {
	for j, visitor := range b.visitor[:n] {
		if visitor != latest.ordinal {
			*latest = latestVisitor{visitor, 1 << 32}
			if s.inRange(s.view.FirstSeen(visitor)) {
				latest.word |= 1
			}
		}
		b.distinct[j] = latest.word
	}
}

// count counts sessions in the cells of their groups.
func (b *block) count(groups []uint32, cells []sessionCell) {
	for j, group := range groups {
		if group != skip {
			b.countOne(j, &cells[group])
		}
	}
}

// countOne counts the j-th session in a cell. There is no branch, because whether a visitor is new to
// a group can't be predicted.
func (b *block) countOne(j int, c *sessionCell) {
	visitor, first := uint64(b.visitor[j])+1, uint64(0)
	if c.last != visitor {
		first = math.MaxUint64
	}
	c.last = visitor
	c.distinct += b.distinct[j] & first
	c.sessions += b.sessions[j]
	c.hits += b.hits[j]
	c.millis += b.millis[j]
}

// countByBucket counts sessions by group over the range, and by group and bucket. A session counts in
// every bucket it has a hit in; its views and events count where they happened. A visitor of a group who
// is new in the range is new in the bucket of their first touch, whenever their sessions in the group are
// (analytics.md §2, newVisitors).
func (s *Selection) countByBucket(order []ref, lanes []lane, g grouping, cal *calendar, whole, cells []sessionCell) {
	buckets := uint32(cal.len())
	b, latest := new(block), latestVisitor{ordinal: skip}
	for len(order) > 0 {
		n := min(blockSize, len(order))
		refs := order[:n]
		order = order[n:]
		b.read(refs, lanes, []grouping{g})
		for j, r := range refs {
			p := lanes[r.part].part
			b.start[j] = frame.HitTime(p.Hits[p.lo[r.row]])
		}
		s.markNew(b, n, &latest)
		for j, r := range refs {
			group := b.groups[0][j]
			if group == skip {
				continue
			}
			if b.distinct[j]&1 == 1 && whole[group].last != uint64(b.visitor[j])+1 {
				cells[group*buckets+cal.of(s.view.FirstSeen(b.visitor[j]))].distinct++
			}
			b.countOne(j, &whole[group])
			bucket := cal.of(b.start[j])
			b.distinct[j] = 1 << 32
			c := &cells[group*buckets+bucket]
			// The session's end is no earlier than its last hit in the range.
			if b.start[j]+b.millis[j] < cal.bounds[bucket+1] {
				b.countOne(j, c)
				continue
			}
			b.hits[j] = 0
			b.countOne(j, c)
			p := lanes[r.part].part
			for _, hit := range p.Hits[p.lo[r.row]:p.hi[r.row]] {
				if t := frame.HitTime(hit); t >= cal.bounds[bucket+1] {
					bucket = cal.of(t)
					c = &cells[group*buckets+bucket]
					b.countOne(j, c)
				}
				switch name := s.view.Name(frame.HitName(hit)); {
				case name.Kind.IsView():
					c.hits += 1 << 32
				case name.Kind == frame.Custom:
					c.hits++
				}
			}
		}
	}
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
