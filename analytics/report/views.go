package report

import "github.com/svc-dev/svc/analytics/frame"

// pageCell counts the in-range views of one page (in one bucket).
type pageCell struct {
	visitors uint32
	sessions uint32
	entries  uint32
	exits    uint32
	views    int64
	timed    int64 // views whose time on page counts
	millis   int64
}

// viewCell is a pageCell while it is counted: half a cache line, and two counters to a word, so
// that a view costs four additions to one line. A shard has fewer than 2³² views of one page.
type viewCell struct {
	seen     uint64 // the latest session counted, see span.seen
	distinct uint64 // visitors << 32 | sessions
	views    uint64 // views << 32 | views whose time counts
	millis   int64
}

// notView is the slot of names that are no views: the only one with its highest bit set.
const notView = 1 << 31

// viewSlots gives each name id the group that of gives its page, and notView to names that are no
// views. Views that no group counts get the group size, because they still end the view before
// them. The last entry stands for ids that the view does not know.
func (s *Selection) viewSlots(size int, of func(page uint32) uint32) []uint32 {
	slot := make([]uint32, len(s.view.Names)+1)
	for id := range slot {
		slot[id] = notView
		if n := s.view.Name(uint32(id)); n.Kind.IsView() {
			slot[id] = min(of(n.Page), uint32(size))
		}
	}
	return slot
}

// sessionHits is where the hits of one session of a block are, or the names of them all.
type sessionHits struct {
	hits    []int64 // from the first in-range hit to the session's end
	inRange int     // how many of hits are in range
	visitor uint32  // ordinal + 1
	first   int64   // hits[0]
	session ref

	// Instead, where a trail tells: the names, and by bucket the first one and how many hits are before each bound.
	names  []uint32
	bucket uint32
	ends   []uint16
}

// mark tells sessions apart, and in its upper half visitors; it is never zero.
func (sp *sessionHits) mark(session uint32) uint64 { return uint64(sp.visitor)<<32 | uint64(session) }

// readSpans fills spans from up to blockSize sessions. The hits are touched here, one session
// after the other without a branch between them, so that waiting for them overlaps.
func (s *Selection) readSpans(order []ref, spans *[blockSize]sessionHits) {
	for j, r := range order {
		p, row := &s.window.parts[r.part], r.row
		lo, hi := p.bounds(row)
		spans[j] = sessionHits{
			hits: p.Hits()[lo:p.Offsets()[row+1]], inRange: int(hi - lo), visitor: p.Visitors()[row] + 1, session: r,
		}
	}
	for j := range order {
		spans[j].first = spans[j].hits[0]
	}
}

// blocks calls f with the qualifying sessions of a shard, a block at a time, and how many came
// before.
func (s *Selection) blocks(shard int, f func(spans []sessionHits, session uint32)) {
	s.blocksAlong(shard, nil, f, nil)
}

// blocksAlong does so, but calls named with the sessions that trails tell of.
func (s *Selection) blocksAlong(shard int, t *trails, f, named func(spans []sessionHits, session uint32)) {
	var spans [blockSize]sessionHits
	session, reader := uint32(0), t.reader()
	s.each(shard, s.window.readVisitors(), func(order []ref) {
		for len(order) > 0 {
			n, isNamed := t.alike(order[:min(blockSize, len(order))])
			if isNamed {
				reader.read(s, order[:n], &spans)
				named(spans[:n], session)
			} else {
				s.readSpans(order[:n], &spans)
				f(spans[:n], session)
			}
			order = order[n:]
			session += uint32(n)
		}
	})
}

// stride returns how many cells each group of a tally of hits has: one a bucket, and after them one for
// the whole range, so that a chart finds its top values in the pass that counts its points.
func stride(cal *calendar) int {
	if cal == nil {
		return 1
	}
	return cal.len() + 1
}

// tallyPages counts views by the group of their name's slot, and by bucket when cal is not nil;
// see stride for the order of the cells. Timeless ones may lack the
// times that views last.
func (s *Selection) tallyPages(slot []uint32, size int, cal *calendar, timeless bool) []pageCell {
	results, told := make([][]viewCell, s.workers()), s.trailsOver(cal, timeless)
	seen := told.seenBy(s, slot, size)
	frame.Parallel(s.workers(), func(i int) {
		// The last group takes what no other counts, which saves a branch on every view.
		cells := make([]viewCell, (size+1)*stride(cal))
		var views viewList
		if results[i] = cells; seen != nil {
			counted := s.countSeen(i, told, seen, func(spans []sessionHits) { views.addRest(spans, slot, uint32(size), cells) })
			addSeenViews(counted[0], uint32(size), cells)
			s.addTotals(i, told, func(n frame.NameTotal) { addViewTimes(n, slot, cells) })
			return
		}
		s.blocksAlong(i, told, func(spans []sessionHits, session uint32) {
			views.read(spans, session, slot, uint32(size))
			if cal == nil {
				views.count(cells)
			} else {
				views.countByBucket(cells, cal)
			}
		}, func(spans []sessionHits, session uint32) { told.countPages(spans, session, slot, cells) })
		s.addTotals(i, told, func(n frame.NameTotal) { addViews(n, slot, cells) })
		s.addHits(i, told, func(spans []sessionHits) {
			views.read(spans, 0, slot, uint32(size))
			views.addTimes(cells, cal)
		})
	})
	told.wereRead(s)
	return joinPages(results, size*stride(cal))
}

// addPages returns the sum of tallies of disjoint visitors.
func addPages(total, more []pageCell) []pageCell {
	total = extend(total, more)
	for i := range more {
		a, b := &total[i], &more[i]
		a.visitors += b.visitors
		a.sessions += b.sessions
		a.entries += b.entries
		a.exits += b.exits
		a.views += b.views
		a.timed += b.timed
		a.millis += b.millis
	}
	return total
}

// joinPages adds the first cells of all shards up.
func joinPages(results [][]viewCell, cells int) []pageCell {
	total := make([]pageCell, cells)
	for _, cells := range results {
		for i := range total {
			a, b := &total[i], &cells[i]
			a.visitors += uint32(b.distinct >> 32)
			a.sessions += uint32(b.distinct)
			a.views += int64(b.views >> 32)
			a.timed += int64(uint32(b.views))
			a.millis += b.millis
		}
	}
	return total
}

// pageView is one in-range view, or what ends one.
type pageView struct {
	seen  uint64 // of its session
	at    int64
	end   int64 // of its session
	group uint32
}

// viewList is the views of a block of sessions, session by session. Collecting them first leaves
// loops without branches that depend on the data, which no processor predicts. One more entry,
// which belongs to no session, follows the last.
type viewList struct{ entries []pageView }

// read collects the views of the sessions. A view ends with the next view of its session, also when
// that is out of the range; such a view is listed under the group other.
func (v *viewList) read(spans []sessionHits, session uint32, slot []uint32, other uint32) {
	room := 1
	for j := range spans {
		room += spans[j].inRange + 1
	}
	if cap(v.entries) < room {
		v.entries = make([]pageView, room+room/4)
	}
	last, entries, n := uint32(len(slot)-1), v.entries[:cap(v.entries)], 0
	for j := range spans {
		session++
		sp := &spans[j]
		seen, end := sp.mark(session), frame.HitTime(sp.hits[len(sp.hits)-1])
		for _, hit := range sp.hits[:sp.inRange] {
			group := slot[min(frame.HitName(hit), last)]
			entries[n] = pageView{seen: seen, at: frame.HitTime(hit), end: end, group: group}
			n += int(1 - group>>31)
		}
		for _, hit := range sp.hits[sp.inRange:] {
			if slot[min(frame.HitName(hit), last)] != notView {
				entries[n] = pageView{seen: seen, at: frame.HitTime(hit), end: end, group: other}
				n++
				break
			}
		}
	}
	entries[n] = pageView{}
	v.entries = entries[:n+1]
}

// count counts the views.
func (v *viewList) count(cells []viewCell) {
	entries := v.entries
	for i := 1; i < len(entries); i++ {
		e, next := &entries[i-1], &entries[i]
		millis, timed := e.duration(next)
		cells[e.group].countTimed(e.seen, millis, timed)
	}
}

// countByBucket counts the views by bucket and over the range.
func (v *viewList) countByBucket(cells []viewCell, cal *calendar) {
	entries, buckets, other := v.entries, uint32(stride(cal)), uint32(len(cells)/stride(cal)-1)
	for i := 1; i < len(entries); i++ {
		e, next := &entries[i-1], &entries[i]
		if e.group == other {
			continue // its time may be out of the calendar
		}
		millis, timed := e.duration(next)
		cells[e.group*buckets+buckets-1].countTimed(e.seen, millis, timed)
		cells[e.group*buckets+cal.of(e.at)].countTimed(e.seen, millis, timed)
	}
}

// addRest adds how long the views of sessions last that were counted as they were seen.
func (v *viewList) addRest(spans []sessionHits, slot []uint32, other uint32, cells []viewCell) {
	v.read(spans, 0, slot, other)
	v.addTimes(cells, nil)
}

// addTimes adds how long the views last, and not the views, over the range and by bucket when cal is not nil.
func (v *viewList) addTimes(cells []viewCell, cal *calendar) {
	entries, buckets := v.entries, uint32(stride(cal))
	other := uint32(len(cells))/buckets - 1
	for i := 1; i < len(entries); i++ {
		e, next := &entries[i-1], &entries[i]
		millis, timed := e.duration(next)
		cells[e.group*buckets+buckets-1].addTime(millis, timed)
		if cal != nil && e.group != other {
			cells[e.group*buckets+cal.of(e.at)].addTime(millis, timed)
		}
	}
}

// duration returns how long a view lasts: until the next view of its session or the session's end. A last
// view that is the end is not timed.
func (e *pageView) duration(next *pageView) (millis int64, timed uint64) {
	until, timed := next.at, uint64(1)
	if next.seen != e.seen {
		until = e.end
	}
	millis = until - e.at
	if millis == 0 {
		timed = 0
	}
	if next.seen == e.seen {
		timed = 1
	}
	return millis, timed
}

// countTimed counts a view and how long it lasts.
func (c *viewCell) countTimed(seen uint64, millis int64, timed uint64) {
	c.count(seen, 1<<32|timed)
	c.millis += millis
}

// addTime adds how long a view lasts.
func (c *viewCell) addTime(millis int64, timed uint64) {
	c.views += timed
	c.millis += millis
}

// count counts a view of a session, or none. There are no branches, because whether it is a session's first of its page
// can't be predicted.
func (c *viewCell) count(seen, views uint64) {
	c.distinct += countChanges(c.seen, seen)
	c.seen = seen
	c.views += views
}

// countChanges returns 1 when two sessions differ, and 1<<32 more when their visitors do.
func countChanges(last, seen uint64) uint64 {
	session, visitor := uint64(0), uint64(0)
	if last != seen {
		session = 1
	}
	if last>>32 != seen>>32 {
		visitor = 1 << 32
	}
	return session | visitor
}

// pageCells counts the views of every page over the range. Entries and exits are left to pageTable.
func (s *Selection) pageCells() []pageCell {
	return s.cache().pages.Get(pageCount{}, func() []pageCell {
		same := func(page uint32) uint32 { return page }
		return s.tallyPages(s.viewSlots(len(s.view.Pages), same), len(s.view.Pages), nil, false)
	})
}

// pagesAndEvents returns what pageCells and eventCells do, counted in one pass over the hits.
func (s *Selection) pagesAndEvents() ([]pageCell, []nameCell) {
	cache := s.cache()
	cache.tables.Do(func() {
		pages, events := s.tallyPagesAndEvents()
		cache.pages.Get(pageCount{}, func() []pageCell { return pages })
		cache.names.Get(eventNames, func() []nameCell { return events })
	})
	return s.pageCells(), s.eventCells()
}

func (s *Selection) tallyPagesAndEvents() ([]pageCell, []nameCell) {
	pageCount, eventCount := len(s.view.Pages), len(s.view.Events)
	pageSlot := s.viewSlots(pageCount, func(page uint32) uint32 { return page })
	eventSlot := s.eventSlots(func(event uint32) uint32 { return event })
	pages, events, told := make([][]viewCell, s.workers()), make([][]hitCell, s.workers()), s.trailsOver(nil, false)
	seen := append(told.seenBy(s, pageSlot, pageCount), told.seenBy(s, eventSlot, eventCount)...)
	frame.Parallel(s.workers(), func(i int) {
		ofPage, ofEvent := make([]viewCell, pageCount+1), make([]hitCell, eventCount+1)
		var views viewList
		if pages[i], events[i] = ofPage, ofEvent; len(seen) == 2 {
			counted := s.countSeen(i, told, seen, func(spans []sessionHits) {
				views.addRest(spans, pageSlot, uint32(pageCount), ofPage)
				addLatest(spans, eventSlot, ofEvent)
			})
			addSeenViews(counted[0], uint32(pageCount), ofPage)
			addSeenNames(counted[1], uint32(eventCount), ofEvent)
			s.addTotals(i, told, func(n frame.NameTotal) {
				addViewTimes(n, pageSlot, ofPage)
				addLatestOf(n, eventSlot, ofEvent)
			})
			return
		}
		s.blocksAlong(i, told, func(spans []sessionHits, session uint32) {
			views.read(spans, session, pageSlot, uint32(pageCount))
			views.count(ofPage)
			countNames(spans, session, eventSlot, ofEvent)
		}, func(spans []sessionHits, session uint32) {
			told.countPages(spans, session, pageSlot, ofPage)
			told.countNames(spans, session, eventSlot, ofEvent)
		})
		s.addTotals(i, told, func(n frame.NameTotal) {
			addViews(n, pageSlot, ofPage)
			addNameHits(n, eventSlot, ofEvent)
		})
		s.addHits(i, told, func(spans []sessionHits) {
			views.read(spans, 0, pageSlot, uint32(pageCount))
			views.addTimes(ofPage, nil)
			addLatest(spans, eventSlot, ofEvent)
		})
	})
	told.wereRead(s)
	return joinPages(pages, pageCount), joinNames(events, eventCount)
}
