package report

import (
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
)

// meaningNames says what a hit means by its name: sets[slot[id]], where set 0 is nothing. The last slot stands for ids
// that the view does not know.
type meaningNames struct {
	slot []uint16
	sets [][]int
}

// metCells says where the cells of a count are: those of a meaning next to each other, in them those of a group.
type metCells struct {
	grouping grouping
	cal      *calendar // nil over the range
	buckets  int
}

func (c *metCells) size(meanings int) int { return meanings * c.grouping.size * c.buckets }

func (c *metCells) at(meaning int, group, bucket uint32) int {
	return (meaning*c.grouping.size+int(group))*c.buckets + int(bucket)
}

// metCell counts the hits of a cell, and remembers which session and visitor met it last, and who was found to.
type metCell struct {
	hits                                        uint64
	session, sessions, found, visitor, visitors uint32
}

// metNames counts hits whose names mean something, and in how many sessions and from how many visitors they are. It
// reads sessions as they lie in files: those of some visitors in one part after the other. What it finds of these, and
// nothing else, is put into the order of visitors.
type metNames struct {
	*Selection
	*metCells
	names meaningNames
	cells []metCell

	at      []frame.TrailCursor // by part
	met     []frame.MetAt       // of the sessions that are read now
	session uint32              // how many were counted
	first   uint32              // visitor of those whose sessions are read now
	found   []foundCell         // of them, in the order of files
	order   []uint32            // their cells in the order of visitors
	offset  []uint32            // by visitor
}

// foundCell is a cell that a session of a visitor counts in.
type foundCell struct{ visitor, cell uint32 }

// metRows is of how many sessions hits are kept at a time: one visitor may have millions.
const metRows = 1 << 12

// metPart is what is read of a part.
type metPart struct {
	partColumns
	trails   frame.Trails // none of a part whose hits are read
	meanings []uint16     // by code
}

// countsMet tells whether hits that mean something are to be counted so: where no order of sessions is at hand.
func (s *Selection) countsMet() bool {
	return !s.window.kept && (s.picked == nil || s.picked.shards == nil)
}

// countMet counts hits that mean something, in cells of so many meanings.
func (s *Selection) countMet(names meaningNames, meanings int, into *metCells) []metCell {
	r, parts := s.readMet(names, into)
	results := make([][]metCell, s.workers())
	frame.Parallel(len(results), func(i int) {
		c := metNames{
			Selection: s, metCells: into, names: names, cells: make([]metCell, into.size(meanings)),
			at: make([]frame.TrailCursor, len(parts)),
		}
		results[i] = c.cells
		sweep := s.window.sweep()
		r.spans(i, func(from, to uint32) {
			c.first = from
			sweep.runs(from, to, func(part int, row, end uint32) { c.countRows(part, &parts[part], row, end) })
			c.countVisitors(to)
		})
	})
	total := results[0]
	for _, more := range results[1:] {
		for i := range total {
			total[i].hits += more[i].hits
			total[i].sessions += more[i].sessions
			total[i].visitors += more[i].visitors
		}
	}
	return total
}

// readMet begins to read the trails of sessions, with when they are and what they are grouped by.
func (s *Selection) readMet(names meaningNames, into *metCells) (*reading, []metPart) {
	var columns []frame.Column
	if into.cal != nil {
		columns = append(columns, frame.Begin, frame.Length)
	}
	columns = append(columns, into.grouping.columns()...)
	parts := make([]metPart, len(s.window.parts))
	r := s.window.read(columns, columns, func(i int, p *windowPart) {
		m := &parts[i]
		m.visitor, m.part = p.Visitors(), p
		if !p.whole() || !p.HasTrails() {
			return
		}
		m.trails = p.TrailsInBands()
		m.meanings = m.trails.Meanings(names.slot)
		if into.cal != nil {
			m.millis, m.starts, m.usual = p.Column(frame.Length), p.Begins(), p.usualBucket(into.cal)
		}
	})
	r.trails = true
	return r, parts
}

// countRows counts the hits of the sessions [row, end) of a part that qualify.
func (c *metNames) countRows(part int, m *metPart, row, end uint32) {
	passes := c.passing(part)
	if !m.trails.Known() {
		for ; row < end; row++ {
			if passes == nil || passes(row) {
				c.countHits(m, row)
			}
		}
		return
	}
	for ; row < end; row += min(metRows, end-row) {
		c.met = m.trails.AppendAllMet(c.met[:0], &c.at[part], row, row+min(metRows, end-row), m.meanings)
		for met := c.met; len(met) > 0; {
			n := 1
			for n < len(met) && met[n].Row == met[0].Row {
				n++
			}
			if passes == nil || passes(met[0].Row) {
				c.countTrail(m, met[:n])
			}
			met = met[n:]
		}
	}
}

// countTrail counts the hits of a session that its trail tells.
func (c *metNames) countTrail(m *metPart, met []frame.MetAt) {
	row := met[0].Row
	group := c.grouping.of(m.part, row)
	if group == skip {
		return
	}
	bucket, ends := uint32(0), []uint16(nil)
	if c.cal != nil {
		start := m.starts.At(row)
		bucket = m.bucketOf(c.cal, start)
		if start+int64(m.millis[row]) >= c.cal.bounds[bucket+1] {
			ends = m.part.ends(nil, row, c.cal)
		}
	}
	c.session++
	for _, hit := range met {
		for len(ends) > 0 && hit.Place >= uint32(ends[0]) {
			bucket, ends = bucket+1, ends[1:]
		}
		c.count(m.visitor[row], hit.Meaning, group, bucket)
	}
}

// countHits counts the hits of a session of which no trail tells.
func (c *metNames) countHits(m *metPart, row uint32) {
	c.session++
	last, group := uint32(len(c.names.slot)-1), c.grouping.of(m.part, row)
	if group == skip {
		return
	}
	for _, hit := range m.part.hitsIn(row) {
		if meaning := c.names.slot[min(frame.HitName(hit), last)]; meaning != 0 {
			c.count(m.visitor[row], meaning, group, c.cal.bucketOf(frame.HitTime(hit)))
		}
	}
}

// count counts a hit of a session.
func (c *metNames) count(visitor uint32, meaning uint16, group, bucket uint32) {
	for _, what := range c.names.sets[meaning] {
		at := c.metCells.at(what, group, bucket)
		cell := &c.cells[at]
		cell.hits++
		if cell.session != c.session {
			cell.session = c.session
			cell.sessions++
			if cell.found != visitor+1 { // once for those that follow each other in a part, however many
				cell.found = visitor + 1
				c.found = append(c.found, foundCell{visitor, uint32(at)})
			}
		}
	}
}

// countVisitors counts the visitors before one whose sessions were read, by the cells that these were found in.
func (c *metNames) countVisitors(end uint32) {
	visitors := int(end - c.first)
	c.offset = slices.Grow(c.offset[:0], visitors+1)[:visitors+1]
	clear(c.offset)
	for _, f := range c.found {
		c.offset[f.visitor-c.first+1]++
	}
	for i := range visitors {
		c.offset[i+1] += c.offset[i]
	}
	c.order = slices.Grow(c.order[:0], len(c.found))[:len(c.found)]
	for _, f := range c.found {
		at := &c.offset[f.visitor-c.first]
		c.order[*at] = f.cell
		*at++
	}
	c.found = c.found[:0]
	from := uint32(0)
	for i, to := range c.offset[:visitors] { // where the next begins, now
		visitor := c.first + uint32(i) + 1
		for _, at := range c.order[from:to] {
			cell := &c.cells[at]
			if cell.visitor != visitor {
				cell.visitor = visitor
				cell.visitors++
			}
		}
		from = to
	}
}

// countTop counts the hits of the groups that slot gives their names by bucket, and none of names that it gives another
// number. The order of the cells is that of a tally; those of the whole range are empty.
func (s *Selection) countTop(slot []uint32, groups int, cal *calendar) []metCell {
	names := meaningNames{slot: make([]uint16, len(slot)), sets: [][]int{nil}}
	for id, group := range slot {
		if group < uint32(groups) {
			names.slot[id] = uint16(group) + 1
		}
	}
	for group := range groups {
		names.sets = append(names.sets, []int{group})
	}
	return s.countMet(names, groups, &metCells{grouping: ungrouped(), cal: cal, buckets: stride(cal)})
}

// pagesOfMet returns cells of views.
func pagesOfMet(counts []metCell) []pageCell {
	cells := make([]pageCell, len(counts))
	for i, n := range counts {
		cells[i] = pageCell{visitors: n.visitors, sessions: n.sessions, views: int64(n.hits)}
	}
	return cells
}

// namesOfMet returns cells of hits.
func namesOfMet(counts []metCell) []nameCell {
	cells := make([]nameCell, len(counts))
	for i, n := range counts {
		cells[i] = nameCell{visitors: n.visitors, sessions: n.sessions, hits: int64(n.hits)}
	}
	return cells
}
