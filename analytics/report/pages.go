package report

import (
	"math"
	"slices"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// pageCell counts the in-range views of one page (in one bucket).
type pageCell struct {
	lastVisitor uint32 // ordinal + 1
	lastSession uint32 // running number of the session + 1
	visitors    uint32
	sessions    uint32
	entries     uint32
	exits       uint32
	views       int64
	timed       int64 // views whose time on page counts
	millis      int64
}

// notView is the slot of names that are not views.
const notView = skip - 1

// viewSlots gives each name id the group that of gives its page, and notView to names that are no
// views. The last entry stands for ids that the view does not know.
func (s *Selection) viewSlots(of func(page uint32) uint32) []uint32 {
	slot := make([]uint32, len(s.view.Names)+1)
	for id := range slot {
		slot[id] = notView
		if n := s.view.Name(uint32(id)); n.Kind.IsView() {
			slot[id] = of(n.Page)
		}
	}
	return slot
}

// span is where the hits of one session of a block are.
type span struct {
	hits    []int64 // from the first in-range hit to the session's end
	inRange int     // how many of hits are in range
	visitor uint32  // ordinal + 1
}

// readSpans fills spans from up to blockSize sessions.
func (s *Selection) readSpans(order []ref, spans *[blockSize]span) {
	for j, r := range order {
		p, row := &s.window.parts[r.part], r.row
		lo, hi := p.lo[row], p.hi[row]
		spans[j] = span{hits: p.Hits[lo:p.Off[row+1]], inRange: int(hi - lo), visitor: p.Visitor[row] + 1}
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
	buckets := stride(cal)
	results := make([][]pageCell, len(s.shards))
	parallel(len(s.shards), func(i int) {
		// The last cell takes what no group counts, which saves a branch on every view.
		cells := make([]pageCell, size*buckets+1)
		var spans [blockSize]span
		session := uint32(0)
		for order := s.shards[i]; len(order) > 0; {
			n := min(blockSize, len(order))
			s.readSpans(order[:n], &spans)
			order = order[n:]
			for j := range spans[:n] {
				session++
				countPages(&spans[j], session, slot, cal, cells)
			}
		}
		results[i] = cells[:size*buckets]
	})
	total := results[0]
	for _, more := range results[1:] {
		for i := range more {
			a, b := &total[i], &more[i]
			a.visitors += b.visitors
			a.sessions += b.sessions
			a.views += b.views
			a.timed += b.timed
			a.millis += b.millis
		}
	}
	return total
}

// countPages counts the in-range views of one session. A view lasts until the next view of the
// session, also when that is out of the range; the last lasts until the session's end and is left
// out when it is the end.
func countPages(sp *span, session uint32, slot []uint32, cal *calendar, cells []pageCell) {
	last, trash := uint32(len(slot)-1), uint32(len(cells)-1)
	buckets, bucket, bucketEnd := uint32(stride(cal)), uint32(0), int64(math.MaxInt64)
	if cal != nil {
		bucketEnd = math.MinInt64
	}
	total := buckets - 1
	open, inBucket, since := &cells[trash], &cells[trash], int64(0)
	for _, hit := range sp.hits[:sp.inRange] {
		group := slot[min(frame.HitName(hit), last)]
		if group == notView {
			continue
		}
		at := frame.HitTime(hit)
		open.leave(at - since)
		if cal != nil {
			inBucket.leave(at - since)
		}
		since = at
		if at >= bucketEnd {
			bucket = cal.of(at)
			bucketEnd = cal.bounds[bucket+1]
		}
		if group == skip {
			open, inBucket = &cells[trash], &cells[trash]
			continue
		}
		open = &cells[group*buckets+total]
		open.count(session, sp.visitor)
		if cal != nil {
			inBucket = &cells[group*buckets+bucket]
			inBucket.count(session, sp.visitor)
		}
	}
	rest := frame.HitTime(sp.hits[len(sp.hits)-1]) - since
	for _, hit := range sp.hits[sp.inRange:] {
		if slot[min(frame.HitName(hit), last)] != notView {
			open.leave(frame.HitTime(hit) - since)
			if cal != nil {
				inBucket.leave(frame.HitTime(hit) - since)
			}
			return
		}
	}
	if rest > 0 {
		open.leave(rest)
		if cal != nil {
			inBucket.leave(rest)
		}
	}
}

// count counts a view. There are no branches, because whether it is a session's first of its page
// can't be predicted.
func (c *pageCell) count(session, visitor uint32) {
	freshSession, freshVisitor := uint32(0), uint32(0)
	if c.lastSession != session {
		freshSession = 1
	}
	if c.lastVisitor != visitor {
		freshVisitor = 1
	}
	c.lastSession, c.lastVisitor = session, visitor
	c.views++
	c.sessions += freshSession
	c.visitors += freshVisitor
}

// leave ends a view after some milliseconds.
func (c *pageCell) leave(millis int64) {
	c.timed++
	c.millis += millis
}

// pageCells counts the views of every page over the range, once a selection. Entries and exits are
// left to pageTable.
func (s *Selection) pageCells() []pageCell {
	s.pagesOnce.Do(func() {
		same := func(page uint32) uint32 { return page }
		s.pages = s.tallyPages(s.viewSlots(same), len(s.view.Pages), nil)
	})
	return s.pages
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
	ends := s.tallies([]grouping{s.groupingOf(analytics.Entry), s.groupingOf(analytics.Exit)})
	return s.pageTable(ends[0], ends[1]).page(page)
}

// pageTable is the engagement table by page; entries and exits may be nil when only the other
// columns matter.
func (s *Selection) pageTable(entries, exits *tally) tableOf[PageRow] {
	return s.pageTableOf(s.pageCells(), entries, exits)
}

func (s *Selection) pageTableOf(cells []pageCell, entries, exits *tally) tableOf[PageRow] {
	if entries != nil && exits != nil {
		cells = slices.Clone(cells)
		for page := range cells {
			cells[page].entries = entries.cells[page].sessions
			cells[page].exits = exits.cells[page].sessions
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
	return s.exitTable(s.tally(s.groupingOf(analytics.Exit), nil)).page(page)
}

func (s *Selection) exitTable(t *tally) tableOf[ExitRow] {
	views := s.pageCells()
	row := func(id uint32) ExitRow {
		c := &t.cells[id]
		return ExitRow{
			Value: s.view.Pages[id], Visitors: int64(c.visitors), Sessions: int64(c.sessions),
			ExitRate: ratio(int64(c.sessions), views[id].views),
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
	if pages*buckets <= Tuning.FusedCells {
		cells = s.tallyPages(s.viewSlots(func(page uint32) uint32 { return page }), pages, cal)
		totals := make([]pageCell, pages)
		for page := range totals {
			totals[page] = cells[(page+1)*buckets-1]
		}
		groups = s.pageTableOf(totals, nil, nil).top(metric, SeriesValues)
		first = func(i int) int { return int(groups[i]) * buckets }
	} else {
		groups = s.pageTable(nil, nil).top(metric, SeriesValues)
		slot := slots(groups, pages)
		cells = s.tallyPages(s.viewSlots(func(page uint32) uint32 { return slot[page] }), len(groups), cal)
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
