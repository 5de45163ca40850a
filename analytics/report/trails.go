package report

import "github.com/svc-dev/svc/analytics/frame"

// trails are those of the parts of a window that files have and of which every hit counts: people and sessions of a
// name are counted along them, and the rest is told by the totals of names. The hits of such parts are not read. Nil are
// none.
type trails []frame.Trails

// trailsOver returns what counts hits over the range, nil for counts by bucket and of some sessions only.
func (s *Selection) trailsOver(cal *calendar) trails {
	if cal != nil || s.filter.active {
		return nil
	}
	t := make(trails, len(s.window.parts))
	s.eachPart(func(i int, p *windowPart) {
		if p.whole() && p.HasTrails() {
			t[i] = p.Trails()
		}
	})
	return t
}

// alike returns how many of the first sessions are all told of, or none of them.
func (t trails) alike(order []ref) (n int, told bool) {
	if t == nil {
		return len(order), false
	}
	told = t[order[0].part].Known()
	for n = 1; n < len(order) && t[order[n].part].Known() == told; n++ {
	}
	return n, told
}

// addTotals calls add with the totals of names of those parts that are a shard's to count.
func (s *Selection) addTotals(shard int, t trails, add func(frame.NameTotal)) {
	for i := shard; i < len(t); i += len(s.shards) {
		if t[i].Known() {
			for total := range s.window.parts[i].NameTotals() {
				add(total)
			}
		}
	}
}

// trailReader reads the trails of sessions by visitor.
type trailReader struct {
	trails  trails
	cursors []frame.TrailCursor // by part
	names   []uint32
}

func (t trails) reader() *trailReader {
	return &trailReader{trails: t, cursors: make([]frame.TrailCursor, len(t))}
}

// read fills spans with the names of up to blockSize sessions.
func (t *trailReader) read(s *Selection, order []ref, spans *[blockSize]sessionHits) {
	t.names = t.names[:0]
	for j, r := range order {
		from := len(t.names)
		t.names = t.trails[r.part].Append(t.names, &t.cursors[r.part], r.row)
		spans[j] = sessionHits{names: t.names[from:], visitor: s.visitor(r) + 1}
	}
}

// markPages counts the people and sessions of pages.
func markPages(spans []sessionHits, session uint32, slot []uint32, cells []viewCell) {
	last, other := uint32(len(slot)-1), uint32(len(cells)-1)
	for j := range spans {
		session++
		seen := spans[j].mark(session)
		for _, name := range spans[j].names {
			c := &cells[min(slot[min(name, last)], other)]
			c.distinct += countChanges(c.seen, seen)
			c.seen = seen
		}
	}
}

// markNames counts those of names.
func markNames(spans []sessionHits, session uint32, slot []uint32, cells []hitCell) {
	last := uint32(len(slot) - 1)
	for j := range spans {
		session++
		seen := spans[j].mark(session)
		for _, name := range spans[j].names {
			c := &cells[slot[min(name, last)]]
			c.distinct += countChanges(c.seen, seen)
			c.seen = seen
		}
	}
}

// addViews adds the views of a name to its page's.
func addViews(n frame.NameTotal, slot []uint32, cells []viewCell) {
	if group := slot[min(int(n.Name), len(slot)-1)]; group != notView {
		c := &cells[group]
		c.views += uint64(n.Hits)<<32 | uint64(n.Timed)
		c.millis += n.Millis
	}
}

// addHits adds the hits of a name.
func addHits(n frame.NameTotal, slot []uint32, cells []hitCell) {
	c := &cells[slot[min(int(n.Name), len(slot)-1)]]
	c.hits += n.Hits
	c.latest = max(c.latest, n.Latest-earliestHit)
}
