package report

import (
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

// tallyPages counts views by page, and by bucket when cal is not nil. slot maps a page's code to
// its group, or skip.
func (s *Selection) tallyPages(slot []uint32, size int, cal *calendar) []pageCell {
	buckets := uint32(1)
	if cal != nil {
		buckets = uint32(cal.len())
	}
	results := make([][]pageCell, len(s.shards))
	parallel(len(s.shards), func(i int) {
		cells := make([]pageCell, uint32(size)*buckets)
		for n, r := range s.shards[i] {
			s.countPages(&s.window.parts[r.part], r.row, uint32(n)+1, slot, cal, buckets, cells)
		}
		results[i] = cells
	})
	total := results[0]
	for _, more := range results[1:] {
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
	}
	return total
}

func (s *Selection) countPages(p *windowPart, row, session uint32, slot []uint32, cal *calendar, buckets uint32, cells []pageCell) {
	names := s.view.Names
	visitor := p.Visitor[row] + 1
	if buckets == 1 && cal == nil {
		if entry := slot[p.Col[frame.Entry][row]]; entry != skip && p.Views[row] > 0 {
			cells[entry].entries++
		}
		if exit := slot[p.Col[frame.Exit][row]]; exit != skip && p.Views[row] > 0 {
			cells[exit].exits++
		}
	}
	if p.views[row] == 0 {
		return
	}
	// A view lasts until the next view of the session, also when that is out of the range; the
	// last lasts until the session's end and is left out when it is the end.
	var open *pageCell
	var since int64
	lo, hi, end := p.lo[row], p.hi[row], p.Off[row+1]
	for i := lo; i < end; i++ {
		hit := p.Hits[i]
		id := frame.HitName(hit)
		if int(id) >= len(names) || !names[id].Kind.IsView() {
			continue
		}
		at := frame.HitTime(hit)
		if open != nil {
			open.timed++
			open.millis += at - since
			open = nil
		}
		if i >= hi {
			return
		}
		group := slot[names[id].Page]
		if group == skip {
			continue
		}
		if cal != nil {
			group = group*buckets + cal.of(at)
		}
		c := &cells[group]
		c.views++
		if c.lastSession != session {
			c.lastSession = session
			c.sessions++
			if c.lastVisitor != visitor {
				c.lastVisitor = visitor
				c.visitors++
			}
		}
		open, since = c, at
	}
	if rest := p.End(row) - since; open != nil && rest > 0 {
		open.timed++
		open.millis += rest
	}
}

// listedPages maps every page that the positive page filters let the tables list to itself.
func (s *Selection) listedPages() []uint32 {
	slot := make([]uint32, len(s.view.Pages))
	for code := range slot {
		slot[code] = uint32(code)
		if s.filter.pages != nil && !s.filter.pages[code] {
			slot[code] = skip
		}
	}
	return slot
}

// allPages maps every page to itself.
func (s *Selection) allPages() []uint32 {
	slot := make([]uint32, len(s.view.Pages))
	for code := range slot {
		slot[code] = uint32(code)
	}
	return slot
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
	return s.pageTable(s.tallyPages(s.listedPages(), len(s.view.Pages), nil)).page(page)
}

func (s *Selection) pageTable(cells []pageCell) tableOf[PageRow] {
	var ids []uint32
	for id := range cells {
		if cells[id].views > 0 {
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
	rows := s.tableOfRows(analytics.Entry, s.tally(s.groupingOf(analytics.Entry), nil))
	return tableOf[EntryRow]{
		ids: rows.ids, order: rows.order, metrics: rows.metrics, number: rows.number,
		key: rows.key, search: rows.search,
		row: func(id uint32) EntryRow {
			row := rows.row(id)
			return EntryRow{Value: row.Value, Metrics: row.Metrics}
		},
	}.page(page)
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
	t := s.tally(s.groupingOf(analytics.Exit), nil)
	views := s.tallyPages(s.allPages(), len(s.view.Pages), nil)
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
	}.page(page)
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
	table := s.pageTable(s.tallyPages(s.listedPages(), len(s.view.Pages), nil))
	groups := table.top(metric, SeriesValues)
	cells := s.tallyPages(slots(groups, len(s.view.Pages)), len(groups), cal)
	out := make([]ValueSeries, len(groups))
	for i, group := range groups {
		out[i] = ValueSeries{Value: s.view.Pages[group], Points: make([]ValuePoint, cal.len())}
		for b, bucket := range cal.labels {
			row := cells[i*cal.len()+b].row("")
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
