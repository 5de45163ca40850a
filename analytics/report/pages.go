package report

import (
	"context"
	"slices"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

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

// Pages returns the engagement table by page: the pages viewed in the range.
func (s *Selection) Pages(ctx context.Context, page Page) (*Table[PageRow], error) {
	type counts struct {
		cells          []pageCell
		entries, exits []uint32
	}
	t, known, err := sumPortions(ctx, s, func(p *Selection) counts {
		pages := len(p.view.Pages)
		return counts{p.pageCells(), p.sessionCounts(frame.Entry, pages), p.sessionCounts(frame.Exit, pages)}
	}, func(total, more counts) counts {
		return counts{
			addPages(total.cells, more.cells), addCounts(total.entries, more.entries), addCounts(total.exits, more.exits),
		}
	})
	if err != nil {
		return nil, err
	}
	return known.pageTable(t.cells, t.entries, t.exits).page(page)
}

// pageTable returns the engagement table by page; entries and exits may be nil when only the other
// columns matter.
func (s *Selection) pageTable(cells []pageCell, entries, exits []uint32) tableOf[PageRow] {
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

// Entries returns the engagement table by entry page. Sessions without a view are the empty row.
func (s *Selection) Entries(ctx context.Context, page Page) (*Table[EntryRow], error) {
	t, known, err := sumPortions(ctx, s, func(p *Selection) *tally {
		return p.tally(p.groupingOf(analytics.Entry), nil)
	}, (*tally).plus)
	if err != nil {
		return nil, err
	}
	return known.entryTable(t).page(page)
}

func (s *Selection) entryTable(t *tally) tableOf[EntryRow] {
	rows := s.tableOfRows(analytics.Entry, t, nil)
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

// Exits returns the engagement table by exit page. Sessions without a view are the empty row.
func (s *Selection) Exits(ctx context.Context, page Page) (*Table[ExitRow], error) {
	type counts struct {
		byExit *tally
		views  []int64
	}
	t, known, err := sumPortions(ctx, s, func(p *Selection) counts {
		return counts{p.tally(p.groupingOf(analytics.Exit), nil), p.viewCounts(nil)}
	}, func(total, more counts) counts {
		return counts{total.byExit.plus(more.byExit), addCounts(total.views, more.views)}
	})
	if err != nil {
		return nil, err
	}
	return known.exitTable(t.byExit, t.views).page(page)
}

// exitTable returns the engagement table by exit page, of a tally by exit and the views of every page.
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

// EngagementSeries returns the engagement chart: the top pages, entries or exits by metric.
func (s *Selection) EngagementSeries(
	ctx context.Context, d analytics.Dimension, metric Metric, grain analytics.Grain,
) ([]ValueSeries, error) {
	if d != analytics.Page {
		return s.breakdownSeries(ctx, d, []analytics.Dimension{analytics.Entry, analytics.Exit}, metric, grain)
	}
	if metric == "" {
		metric = Visitors
	}
	if !slices.Contains(PagePointMetrics, metric) {
		return nil, analytics.Invalid("metric", "unknown metric %q for pages", metric)
	}
	cal, err := s.chartCalendar(grain)
	if err != nil || cal.len() == 0 {
		return []ValueSeries{}, err
	}
	c, known, err := s.pageChart(ctx, metric, cal)
	if err != nil {
		return nil, err
	}
	out := make([]ValueSeries, len(c.groups))
	for i, group := range c.groups {
		out[i] = ValueSeries{Value: known.view.Pages[group], Points: make([]ValuePoint, cal.len())}
		for b, bucket := range cal.labels {
			row := c.cells[c.first[i]+b].row("")
			out[i].Points[b] = valuePoint(bucket, row.number(metric))
		}
	}
	return out, nil
}

// pageChart counts the engagement chart by page in whichever way needs the fewest passes.
func (s *Selection) pageChart(ctx context.Context, metric Metric, cal *calendar) (chart[pageCell], *Selection, error) {
	buckets, same := stride(cal), func(page uint32) uint32 { return page }
	switch pages := len(s.view.Pages); {
	case metric == Views && s.fitsCounters(pages, cal):
		c, known, err := s.hitChart(ctx, "pages", cal, func(p *Selection) []int64 {
			return p.viewCounts(cal)
		}, func(known *Selection, views []int64) []uint32 {
			return known.pageTable(cellsOfViews(views), nil, nil).top(metric, SeriesValues)
		})
		return chart[pageCell]{c.groups, c.first, cellsOfViews(c.cells)}, known, err
	case pages*buckets <= s.engine.tuning.FusedCells:
		cells, known, err := sumPortions(ctx, s, func(p *Selection) []pageCell {
			return p.cache().pages.Get(pageCount{buckets: cal.key()}, func() []pageCell {
				return p.tallyPages(p.viewSlots(len(p.view.Pages), same), len(p.view.Pages), cal, false)
			})
		}, addPages)
		if err != nil {
			return chart[pageCell]{}, nil, err
		}
		groups := known.pageTable(lastOfEach(cells, buckets), nil, nil).top(metric, SeriesValues)
		return chart[pageCell]{groups, startsOf(groups, buckets), cells}, known, nil
	}
	all, known, err := sumPortions(ctx, s, (*Selection).pageCells, addPages)
	if err != nil {
		return chart[pageCell]{}, nil, err
	}
	groups := known.pageTable(all, nil, nil).top(metric, SeriesValues)
	cells, known, err := sumPortions(ctx, s, func(p *Selection) []pageCell {
		return p.cache().pages.Get(pageCount{buckets: cal.key(), top: metric}, func() []pageCell {
			of := slots(groups, len(p.view.Pages))
			slot := p.viewSlots(len(groups), func(page uint32) uint32 { return of[page] })
			timeless := metric != AverageSecondsOnPage
			if timeless && p.countsMet() {
				return pagesOfMet(p.countTop(slot, len(groups), cal))
			}
			return p.tallyPages(slot, len(groups), cal, timeless)
		})
	}, addPages)
	return chart[pageCell]{groups, startsInOrder(groups, buckets), cells}, known, err
}

// cellsOfViews returns cells that only count views.
func cellsOfViews(counts []int64) []pageCell {
	cells := make([]pageCell, len(counts))
	for i, n := range counts {
		cells[i].views = n
	}
	return cells
}
