package report

import (
	"slices"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

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

// span is where the hits of one session of a block are.
type span struct {
	hits    []int64 // from the first in-range hit to the session's end
	inRange int     // how many of hits are in range
	visitor uint32  // ordinal + 1
	first   int64   // hits[0]
}

// seen tells sessions apart, and in its upper half visitors; it is never zero.
func (sp *span) seen(session uint32) uint64 { return uint64(sp.visitor)<<32 | uint64(session) }

// readSpans fills spans from up to blockSize sessions. The hits are touched here, one session
// after the other without a branch between them, so that waiting for them overlaps.
func (s *Selection) readSpans(order []ref, spans *[blockSize]span) {
	for j, r := range order {
		p, row := &s.window.parts[r.part], r.row
		lo, hi := p.lo[row], p.hi[row]
		spans[j] = span{hits: p.Hits[lo:p.Off[row+1]], inRange: int(hi - lo), visitor: p.Visitor[row] + 1}
	}
	for j := range order {
		spans[j].first = spans[j].hits[0]
	}
}

// blocks calls f with the qualifying sessions of a shard, a block at a time, and how many came
// before.
func (s *Selection) blocks(shard int, f func(spans []span, session uint32)) {
	var spans [blockSize]span
	session := uint32(0)
	for order := s.shards[shard]; len(order) > 0; {
		n := min(blockSize, len(order))
		s.readSpans(order[:n], &spans)
		order = order[n:]
		f(spans[:n], session)
		session += uint32(n)
	}
}

// stride is how many cells each group of a tally of hits has: one a bucket, and after them one for
// the whole range, so that a chart finds its top values in the pass that counts its points.
func stride(cal *calendar) int {
	if cal == nil {
		return 1
	}
	return cal.len() + 1
}

// tallyPages counts views by the group of their name's slot, and by bucket when cal is not nil;
// see stride for the order of the cells.
func (s *Selection) tallyPages(slot []uint32, size int, cal *calendar) []pageCell {
	results := make([][]viewCell, len(s.shards))
	parallel(len(s.shards), func(i int) {
		// The last group takes what no other counts, which saves a branch on every view.
		cells := make([]viewCell, (size+1)*stride(cal))
		var views viewList
		s.blocks(i, func(spans []span, session uint32) {
			views.read(spans, session, slot, uint32(size))
			if cal == nil {
				views.count(cells)
			} else {
				views.countByBucket(cells, cal)
			}
		})
		results[i] = cells
	})
	return addPages(results, size*stride(cal))
}

// addPages adds the first cells of all shards up.
func addPages(results [][]viewCell, cells int) []pageCell {
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

// viewed is one in-range view, or what ends one.
type viewed struct {
	seen  uint64 // of its session
	at    int64
	end   int64 // of its session
	group uint32
}

// viewList is the views of a block of sessions, session by session. Collecting them first leaves
// loops without branches that depend on the data, which no processor predicts. One more entry,
// which belongs to no session, follows the last.
type viewList struct{ entries []viewed }

// read collects the views of the sessions. A view ends with the next view of its session, also when
// that is out of the range; such a view is listed under the group other.
func (v *viewList) read(spans []span, session uint32, slot []uint32, other uint32) {
	room := 1
	for j := range spans {
		room += spans[j].inRange + 1
	}
	if cap(v.entries) < room {
		v.entries = make([]viewed, room+room/4)
	}
	last, entries, n := uint32(len(slot)-1), v.entries[:cap(v.entries)], 0
	for j := range spans {
		session++
		sp := &spans[j]
		seen, end := sp.seen(session), frame.HitTime(sp.hits[len(sp.hits)-1])
		for _, hit := range sp.hits[:sp.inRange] {
			group := slot[min(frame.HitName(hit), last)]
			entries[n] = viewed{seen: seen, at: frame.HitTime(hit), end: end, group: group}
			n += int(1 - group>>31)
		}
		for _, hit := range sp.hits[sp.inRange:] {
			if slot[min(frame.HitName(hit), last)] != notView {
				entries[n] = viewed{seen: seen, at: frame.HitTime(hit), end: end, group: other}
				n++
				break
			}
		}
	}
	entries[n] = viewed{}
	v.entries = entries[:n+1]
}

// count counts the views.
func (v *viewList) count(cells []viewCell) {
	entries := v.entries
	for i := 1; i < len(entries); i++ {
		e, next := &entries[i-1], &entries[i]
		millis, timed := e.lasts(next)
		cells[e.group].count(e.seen, millis, timed)
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
		millis, timed := e.lasts(next)
		cells[e.group*buckets+buckets-1].count(e.seen, millis, timed)
		cells[e.group*buckets+cal.of(e.at)].count(e.seen, millis, timed)
	}
}

// lasts is how long a view lasts: until the next view of its session or the session's end. A last
// view that is the end is not timed.
func (e *viewed) lasts(next *viewed) (millis int64, timed uint64) {
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

// count counts a view. There are no branches, because whether it is a session's first of its page
// can't be predicted.
func (c *viewCell) count(seen uint64, millis int64, timed uint64) {
	c.distinct += fresh(c.seen, seen)
	c.seen = seen
	c.views += 1<<32 | timed
	c.millis += millis
}

// fresh is 1 when two sessions differ, and 1<<32 more when their visitors do.
func fresh(last, seen uint64) uint64 {
	session, visitor := uint64(0), uint64(0)
	if last != seen {
		session = 1
	}
	if last>>32 != seen>>32 {
		visitor = 1 << 32
	}
	return session | visitor
}

// pageCells counts the views of every page over the range, once a selection. Entries and exits are
// left to pageTable.
func (s *Selection) pageCells() []pageCell {
	s.pagesOnce.Do(func() {
		same := func(page uint32) uint32 { return page }
		s.pages = s.tallyPages(s.viewSlots(len(s.view.Pages), same), len(s.view.Pages), nil)
	})
	return s.pages
}

// readPagesAndEvents computes pageCells and eventCells in one pass over the hits.
func (s *Selection) readPagesAndEvents() {
	pageCount, eventCount := len(s.view.Pages), len(s.view.Events)
	pageSlot := s.viewSlots(pageCount, func(page uint32) uint32 { return page })
	eventSlot := s.eventSlots(func(event uint32) uint32 { return event })
	pages, events := make([][]viewCell, len(s.shards)), make([][]hitCell, len(s.shards))
	parallel(len(s.shards), func(i int) {
		ofPage, ofEvent := make([]viewCell, pageCount+1), make([]hitCell, eventCount)
		var views viewList
		s.blocks(i, func(spans []span, session uint32) {
			views.read(spans, session, pageSlot, uint32(pageCount))
			views.count(ofPage)
			countNames(spans, session, eventSlot, ofEvent)
		})
		pages[i], events[i] = ofPage, ofEvent
	})
	s.pagesOnce.Do(func() { s.pages = addPages(pages, pageCount) })
	s.eventsOnce.Do(func() { s.events = addNames(events, eventCount) })
}

// PageRow is a row of the engagement table by page. Times are seconds.
type PageRow struct {
	Value                string   `json:"value"`
	Visitors             int64    `json:"visitors"`
	Sessions             int64    `json:"sessions"`
	Views                int64    `json:"views"`
	AverageSecondsOnPage *float64 `json:"averageSecondsOnPage"`
	Entries              int64    `json:"entries"`
	Exits                int64    `json:"exits"`
	ExitRate             *float64 `json:"exitRate"` // exits ÷ in-range views
}

func (c *pageCell) row(value string) PageRow {
	return PageRow{
		Value: value, Visitors: int64(c.visitors), Sessions: int64(c.sessions), Views: c.views,
		AverageSecondsOnPage: ratio(c.millis, c.timed*1000),
		Entries:              int64(c.entries), Exits: int64(c.exits), ExitRate: ratio(int64(c.exits), c.views),
	}
}

// PageMetrics are the columns of the engagement table by page.
var PageMetrics = []Metric{Visitors, Sessions, Views, AverageSecondsOnPage, Entries, Exits, ExitRate}

func (r *PageRow) number(metric Metric) number {
	switch metric {
	case Sessions:
		return integer(r.Sessions)
	case Views:
		return integer(r.Views)
	case AverageSecondsOnPage:
		return fraction(r.AverageSecondsOnPage)
	case Entries:
		return integer(r.Entries)
	case Exits:
		return integer(r.Exits)
	case ExitRate:
		return fraction(r.ExitRate)
	}
	return integer(r.Visitors)
}

// Pages is the engagement table by page: the pages viewed in the range.
func (s *Selection) Pages(page Page) (*Table[PageRow], error) {
	pages := len(s.view.Pages)
	return s.pageTable(s.sessionCounts(frame.Entry, pages), s.sessionCounts(frame.Exit, pages)).page(page)
}

// pageTable is the engagement table by page; entries and exits may be nil when only the other
// columns matter.
func (s *Selection) pageTable(entries, exits []uint32) tableOf[PageRow] {
	return s.pageTableOf(s.pageCells(), entries, exits)
}

func (s *Selection) pageTableOf(cells []pageCell, entries, exits []uint32) tableOf[PageRow] {
	if entries != nil && exits != nil {
		cells = slices.Clone(cells)
		for page := range cells {
			cells[page].entries, cells[page].exits = entries[page], exits[page]
		}
	}
	var ids []uint32
	for id := range cells {
		if cells[id].views > 0 && (s.filter.pages == nil || s.filter.pages[id]) {
			ids = append(ids, uint32(id))
		}
	}
	value := func(id uint32) string { return s.view.Pages[id] }
	return tableOf[PageRow]{
		ids: ids, order: Visitors, metrics: PageMetrics,
		number: func(id uint32, metric Metric) number {
			row := cells[id].row("")
			return row.number(metric)
		},
		key:    value,
		search: func(id uint32) []string { return []string{value(id)} },
		row:    func(id uint32) PageRow { return cells[id].row(value(id)) },
	}
}

// EntryRow is a row of the engagement table by entry page.
type EntryRow struct {
	Value string `json:"value"`
	Metrics
}

// Entries is the engagement table by entry page. Sessions without a view are the empty row.
func (s *Selection) Entries(page Page) (*Table[EntryRow], error) {
	return s.entryTable(s.tally(s.groupingOf(analytics.Entry), nil)).page(page)
}

func (s *Selection) entryTable(t *tally) tableOf[EntryRow] {
	rows := s.tableOfRows(analytics.Entry, t)
	return tableOf[EntryRow]{
		ids: rows.ids, order: rows.order, metrics: rows.metrics, number: rows.number,
		key: rows.key, search: rows.search,
		row: func(id uint32) EntryRow {
			row := rows.row(id)
			return EntryRow{Value: row.Value, Metrics: row.Metrics}
		},
	}
}

// ExitRow is a row of the engagement table by exit page.
type ExitRow struct {
	Value    string   `json:"value"`
	Visitors int64    `json:"visitors"`
	Sessions int64    `json:"sessions"`
	ExitRate *float64 `json:"exitRate"` // sessions ÷ in-range views of the page
}

// Exits is the engagement table by exit page. Sessions without a view are the empty row.
func (s *Selection) Exits(page Page) (*Table[ExitRow], error) {
	return s.exitTable(s.tally(s.groupingOf(analytics.Exit), nil), s.viewCounts()).page(page)
}

// exitTable is the engagement table by exit page, of a tally by exit and the views of every page.
func (s *Selection) exitTable(t *tally, views []int64) tableOf[ExitRow] {
	row := func(id uint32) ExitRow {
		c := &t.cells[id]
		return ExitRow{
			Value: s.view.Pages[id], Visitors: int64(c.visitors), Sessions: int64(c.sessions),
			ExitRate: ratio(int64(c.sessions), views[id]),
		}
	}
	var ids []uint32
	for id := range t.cells {
		if t.cells[id].sessions > 0 {
			ids = append(ids, uint32(id))
		}
	}
	value := func(id uint32) string { return s.view.Pages[id] }
	return tableOf[ExitRow]{
		ids: ids, order: Visitors, metrics: []Metric{Visitors, Sessions, ExitRate},
		number: func(id uint32, metric Metric) number {
			switch r := row(id); metric {
			case Sessions:
				return integer(r.Sessions)
			case ExitRate:
				return fraction(r.ExitRate)
			default:
				return integer(r.Visitors)
			}
		},
		key: value, search: func(id uint32) []string { return []string{value(id)} }, row: row,
	}
}

// PagePointMetrics are the metrics of the engagement chart by page; entry and exit take
// SessionMetrics.
var PagePointMetrics = []Metric{Visitors, Sessions, Views, AverageSecondsOnPage}

// EngagementSeries is the engagement chart: the top pages, entries or exits by metric.
func (s *Selection) EngagementSeries(d analytics.Dimension, metric Metric, grain analytics.Grain) ([]ValueSeries, error) {
	if d != analytics.Page {
		return s.breakdownSeries(d, []analytics.Dimension{analytics.Entry, analytics.Exit}, metric, grain)
	}
	if metric == "" {
		metric = Visitors
	}
	if !slices.Contains(PagePointMetrics, metric) {
		return nil, analytics.Invalid("metric", "unknown metric %q for pages", metric)
	}
	cal, err := s.calendar(grain)
	if err != nil || cal.len() == 0 {
		return []ValueSeries{}, err
	}
	// cells of the group at index i of groups start at first(i).
	buckets, pages := stride(cal), len(s.view.Pages)
	var cells []pageCell
	var groups []uint32
	var first func(i int) int
	if metric == Views && s.countable(cal) {
		counts := grouped(s.hitCounts(cal), s.viewSlots(pages, func(page uint32) uint32 { return page }), pages)
		cells = cellsOfViews(counts)
		groups = s.pageTableOf(cellsOfViews(totals(counts, pages)), nil, nil).top(metric, SeriesValues)
		first = func(i int) int { return int(groups[i]) * cal.len() }
	} else if pages*buckets <= Tuning.FusedCells {
		cells = s.tallyPages(s.viewSlots(pages, func(page uint32) uint32 { return page }), pages, cal)
		totals := make([]pageCell, pages)
		for page := range totals {
			totals[page] = cells[(page+1)*buckets-1]
		}
		groups = s.pageTableOf(totals, nil, nil).top(metric, SeriesValues)
		first = func(i int) int { return int(groups[i]) * buckets }
	} else {
		groups = s.pageTable(nil, nil).top(metric, SeriesValues)
		slot := slots(groups, pages)
		cells = s.tallyPages(s.viewSlots(len(groups), func(page uint32) uint32 { return slot[page] }), len(groups), cal)
		first = func(i int) int { return i * buckets }
	}
	out := make([]ValueSeries, len(groups))
	for i, group := range groups {
		out[i] = ValueSeries{Value: s.view.Pages[group], Points: make([]ValuePoint, cal.len())}
		for b, bucket := range cal.labels {
			row := cells[first(i)+b].row("")
			out[i].Points[b] = valuePoint(bucket, row.number(metric))
		}
	}
	return out, nil
}

// cellsOfViews are cells that only count views.
func cellsOfViews(counts []int64) []pageCell {
	cells := make([]pageCell, len(counts))
	for i, n := range counts {
		cells[i].views = n
	}
	return cells
}

// slots numbers the given codes in order and skips all others.
func slots(codes []uint32, size int) []uint32 {
	slot := make([]uint32, size)
	for i := range slot {
		slot[i] = skip
	}
	for i, code := range codes {
		slot[code] = uint32(i)
	}
	return slot
}
