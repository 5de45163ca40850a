package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// nameCell counts the in-range hits of one event or screen (in one bucket).
type nameCell struct {
	visitors uint32
	sessions uint32
	hits     int64
	latest   int64 // time of the latest hit after earliestHit
}

// nameCellBytes is the memory of a nameCell.
const nameCellBytes = int(unsafe.Sizeof(nameCell{}))

// earliestHit is before every hit, in milliseconds since 2020-01-01T00:00Z. Times in cells count from
// it, so that an empty cell is earlier than any hit, one before 2020 too.
const earliestHit = math.MinInt64>>frame.NameBits - 1

// lastSeen returns the time of the latest hit, in milliseconds since 2020-01-01T00:00Z.
func (c *nameCell) lastSeen() int64 { return earliestHit + c.latest }

// hitCell is a nameCell while it is counted, half a cache line as viewCell is.
type hitCell struct {
	seen     uint64 // the latest session counted, see span.seen
	distinct uint64 // visitors << 32 | sessions
	hits     int64
	latest   int64
}

// tallyNames counts the in-range hits of the qualifying sessions by the group that slot gives
// their name id, and by bucket when cal is not nil (see stride for the order of the cells). Ids past
// slot take its last entry. Timeless cells may lack the latest hit.
func (s *Selection) tallyNames(slot []uint32, size int, cal *calendar, timeless bool) []nameCell {
	// The last group takes what no other counts, which saves a branch on every hit.
	slot = slices.Clone(slot)
	for id, group := range slot {
		slot[id] = min(group, uint32(size))
	}
	results, told := make([][]hitCell, s.workers()), s.trailsOver(cal, timeless)
	seen := told.seenBy(s, slot, size)
	frame.Parallel(s.workers(), func(i int) {
		cells := make([]hitCell, (size+1)*stride(cal))
		if results[i] = cells; seen != nil {
			counted := s.countSeen(i, told, seen, func(spans []sessionHits) { addLatest(spans, slot, cells) })
			addSeenNames(counted[0], uint32(size), cells)
			s.addTotals(i, told, func(n frame.NameTotal) { addLatestOf(n, slot, cells) })
			return
		}
		s.blocksAlong(i, told, func(spans []sessionHits, session uint32) {
			if cal == nil {
				countNames(spans, session, slot, cells)
			} else {
				countNamesByBucket(spans, session, slot, cal, cells)
			}
		}, func(spans []sessionHits, session uint32) { told.countNames(spans, session, slot, cells) })
		s.addTotals(i, told, func(n frame.NameTotal) { addNameHits(n, slot, cells) })
		s.addHits(i, told, func(spans []sessionHits) { addLatest(spans, slot, cells) })
	})
	told.wereRead(s)
	return joinNames(results, size*stride(cal))
}

// addLatest adds when the latest hits of sessions were that are counted over the range.
func addLatest(spans []sessionHits, slot []uint32, cells []hitCell) {
	last := uint32(len(slot) - 1)
	for j := range spans {
		for _, hit := range spans[j].hits[:spans[j].inRange] {
			c := &cells[slot[min(frame.HitName(hit), last)]]
			c.latest = max(c.latest, frame.HitTime(hit)-earliestHit)
		}
	}
}

// addNames returns the sum of tallies of disjoint visitors.
func addNames(total, more []nameCell) []nameCell {
	total = extend(total, more)
	for i := range more {
		a, b := &total[i], &more[i]
		a.visitors += b.visitors
		a.sessions += b.sessions
		a.hits += b.hits
		a.latest = max(a.latest, b.latest)
	}
	return total
}

// joinNames adds the first cells of all shards up.
func joinNames(results [][]hitCell, cells int) []nameCell {
	total := make([]nameCell, cells)
	for _, cells := range results {
		for i := range total {
			a, b := &total[i], &cells[i]
			a.visitors += uint32(b.distinct >> 32)
			a.sessions += uint32(b.distinct)
			a.hits += b.hits
			a.latest = max(a.latest, b.latest)
		}
	}
	return total
}

// countNames counts the in-range hits of a block of sessions.
func countNames(spans []sessionHits, session uint32, slot []uint32, cells []hitCell) {
	last := uint32(len(slot) - 1)
	for j := range spans {
		session++
		sp := &spans[j]
		seen := sp.mark(session)
		for _, hit := range sp.hits[:sp.inRange] {
			cells[slot[min(frame.HitName(hit), last)]].count(seen, frame.HitTime(hit))
		}
	}
}

// countNamesByBucket counts the in-range hits of a block of sessions by bucket and over the range.
func countNamesByBucket(spans []sessionHits, session uint32, slot []uint32, cal *calendar, cells []hitCell) {
	last, buckets := uint32(len(slot)-1), uint32(stride(cal))
	other := uint32(len(cells))/buckets - 1
	for j := range spans {
		session++
		sp := &spans[j]
		seen, bucket, bucketEnd := sp.mark(session), uint32(0), int64(math.MinInt64)
		for _, hit := range sp.hits[:sp.inRange] {
			group := slot[min(frame.HitName(hit), last)]
			if group == other {
				continue
			}
			at := frame.HitTime(hit)
			if at >= bucketEnd {
				bucket = cal.of(at)
				bucketEnd = cal.bounds[bucket+1]
			}
			cells[group*buckets+buckets-1].count(seen, at)
			cells[group*buckets+bucket].count(seen, at)
		}
	}
}

// count counts a hit. There are no branches, because whether it is a session's first of its name
// can't be predicted.
func (c *hitCell) count(seen uint64, at int64) {
	c.countHits(seen, 1)
	c.latest = max(c.latest, at-earliestHit)
}

// countHits counts hits of a session.
func (c *hitCell) countHits(seen uint64, hits int64) {
	c.distinct += countChanges(c.seen, seen)
	c.seen = seen
	c.hits += hits
}

// EventRow is a row of the events table.
type EventRow struct {
	Name     string    `json:"name"`
	Count    int64     `json:"count"`
	Visitors int64     `json:"visitors"`
	Sessions int64     `json:"sessions"`
	LastSeen time.Time `json:"lastSeen"`
	BuiltIn  bool      `json:"builtIn"`
}

// EventMetrics are the columns of the events table, EventPointMetrics those of its chart.
var (
	EventMetrics      = []Metric{Count, Visitors, Sessions, LastSeen}
	EventPointMetrics = []Metric{Count, Visitors, Sessions}
)

func (c *nameCell) number(metric Metric) number {
	switch metric {
	case Visitors:
		return integer(int64(c.visitors))
	case Sessions:
		return integer(int64(c.sessions))
	case LastSeen:
		return integer(c.lastSeen())
	}
	return integer(c.hits)
}

// eventSlots gives each name id the group that of gives its event. The last entry stands for ids
// that the view does not know.
func (s *Selection) eventSlots(of func(event uint32) uint32) []uint32 {
	slot := make([]uint32, len(s.view.Names)+1)
	for id := range slot {
		slot[id] = of(s.view.Name(uint32(id)).Event)
	}
	return slot
}

// eventCells counts the hits of every event over the range, once a selection.
func (s *Selection) eventCells() []nameCell {
	return s.cache().names.Get(eventNames, func() []nameCell {
		same := func(event uint32) uint32 { return event }
		return s.tallyNames(s.eventSlots(same), len(s.view.Events), nil, false)
	})
}

// Events returns the events table: every event name with a hit in the range, built-in names included.
func (s *Selection) Events(ctx context.Context, page Page) (*Table[EventRow], error) {
	cells, known, err := sumPortions(ctx, s, (*Selection).eventCells, addNames)
	if err != nil {
		return nil, err
	}
	return known.eventTable(cells).page(page)
}

// eventTable returns the events table of the cells of every event.
func (s *Selection) eventTable(cells []nameCell) tableOf[EventRow] {
	var ids []uint32
	for id := range cells {
		if cells[id].hits > 0 && (s.filter.events == nil || s.filter.events[id]) {
			ids = append(ids, uint32(id))
		}
	}
	name := func(id uint32) string { return s.view.Events[id] }
	return tableOf[EventRow]{
		ids: ids, order: Count, metrics: EventMetrics,
		number: func(id uint32, metric Metric) number { return cells[id].number(metric) },
		key:    name,
		search: func(id uint32) []string { return []string{name(id)} },
		row: func(id uint32) EventRow {
			c := &cells[id]
			return EventRow{
				Name: name(id), Count: c.hits, Visitors: int64(c.visitors), Sessions: int64(c.sessions),
				LastSeen: frame.Time(c.lastSeen()), BuiltIn: frame.KindOf(name(id)) != frame.Custom,
			}
		},
	}
}

// EventsSeries returns the events chart: the top names by metric, one of count (the default), visitors
// and sessions.
func (s *Selection) EventsSeries(ctx context.Context, metric Metric, grain analytics.Grain) ([]ValueSeries, error) {
	if metric == "" {
		metric = Count
	}
	if !slices.Contains(EventPointMetrics, metric) {
		return nil, analytics.Invalid("metric", "unknown metric %q for events", metric)
	}
	cal, err := s.chartCalendar(grain)
	if err != nil || cal.len() == 0 {
		return []ValueSeries{}, err
	}
	c, known, err := s.eventChart(ctx, metric, cal)
	if err != nil {
		return nil, err
	}
	out := make([]ValueSeries, len(c.groups))
	for i, group := range c.groups {
		out[i] = ValueSeries{Value: known.view.Events[group], Points: make([]ValuePoint, cal.len())}
		for b, bucket := range cal.labels {
			out[i].Points[b] = valuePoint(bucket, c.cells[c.first[i]+b].number(metric))
		}
	}
	return out, nil
}

// eventChart counts the events chart in whichever way needs the fewest passes.
func (s *Selection) eventChart(ctx context.Context, metric Metric, cal *calendar) (chart[nameCell], *Selection, error) {
	buckets := stride(cal)
	switch events := len(s.view.Events); {
	case metric == Count && s.fitsCounters(events, cal):
		c, known, err := s.hitChart(ctx, "events", cal, func(p *Selection) []int64 {
			return p.hitCounts("events", p.eventSlots(func(event uint32) uint32 { return event }), len(p.view.Events), cal)
		}, func(known *Selection, hits []int64) []uint32 {
			return known.eventTable(cellsOfHits(hits)).top(metric, SeriesValues)
		})
		return chart[nameCell]{c.groups, c.first, cellsOfHits(c.cells)}, known, err
	case events*buckets <= s.engine.tuning.FusedCells:
		cells, known, err := sumPortions(ctx, s, func(p *Selection) []nameCell {
			return p.eventsByBucket(nil, cal)
		}, addNames)
		if err != nil {
			return chart[nameCell]{}, nil, err
		}
		groups := known.eventTable(lastOfEach(cells, buckets)).top(metric, SeriesValues)
		return chart[nameCell]{groups, startsOf(groups, buckets), cells}, known, nil
	}
	all, known, err := sumPortions(ctx, s, (*Selection).eventCells, addNames)
	if err != nil {
		return chart[nameCell]{}, nil, err
	}
	groups := known.eventTable(all).top(metric, SeriesValues)
	cells, known, err := sumPortions(ctx, s, func(p *Selection) []nameCell {
		return p.eventsByBucket(groups, cal)
	}, addNames)
	return chart[nameCell]{groups, startsInOrder(groups, buckets), cells}, known, err
}

// eventsByBucket counts the hits of some events by bucket, of all for nil, but not when the latest were.
func (s *Selection) eventsByBucket(groups []uint32, cal *calendar) []nameCell {
	slot, size := s.eventSlots(func(event uint32) uint32 { return event }), len(s.view.Events)
	if groups != nil {
		of := slots(groups, size)
		slot, size = s.eventSlots(func(event uint32) uint32 { return of[event] }), len(groups)
	}
	key := countKey{what: "events", by: fmt.Sprint(groups), buckets: cal.key()}
	return remembered(s, key, size*stride(cal), nameCellBytes, func() []nameCell {
		if groups != nil && s.countsMet() {
			return namesOfMet(s.countTop(slot, size, cal))
		}
		return s.tallyNames(slot, size, cal, true)
	})
}

// cellsOfHits returns cells that only count hits.
func cellsOfHits(counts []int64) []nameCell {
	cells := make([]nameCell, len(counts))
	for i, n := range counts {
		cells[i].hits = n
	}
	return cells
}

// ScreenMetrics are the columns of the screens table.
var ScreenMetrics = []Metric{Views, Visitors}

// ViewKind tells pages from screens, in the spelling of the schema.
type ViewKind string

// The kinds of views: pages of the web, screens of apps.
const (
	PageKind   ViewKind = "PAGE"
	ScreenKind ViewKind = "SCREEN"
)

// ScreenRow is a page or screen name.
type ScreenRow struct {
	Value    string   `json:"value"`
	Kind     ViewKind `json:"kind"`
	Views    int64    `json:"views"`
	Visitors int64    `json:"visitors"`
}

// Screens returns the totals of page and screen names viewed in the range.
func (s *Selection) Screens(ctx context.Context, page Page) (*Table[ScreenRow], error) {
	cells, known, err := sumPortions(ctx, s, (*Selection).screenCells, addNames)
	if err != nil {
		return nil, err
	}
	return known.screenTable(cells).page(page)
}

// screenCells counts views by page and kind: those of a page are at twice its code, those of the
// screen of that name follow. Two name ids may share a text, such as "(other)".
func (s *Selection) screenCells() []nameCell {
	return s.cache().names.Get(screenNames, s.tallyScreens)
}

func (s *Selection) tallyScreens() []nameCell {
	slot := make([]uint32, len(s.view.Names)+1)
	for id := range slot {
		slot[id] = skip
		n := s.view.Name(uint32(id))
		if !n.Kind.IsView() || s.filter.pages != nil && !s.filter.pages[n.Page] {
			continue
		}
		slot[id] = 2 * n.Page
		if n.Kind == frame.ScreenView {
			slot[id]++
		}
	}
	return s.tallyNames(slot, 2*len(s.view.Pages), nil, true)
}

func (s *Selection) screenTable(cells []nameCell) tableOf[ScreenRow] {
	var ids []uint32
	for id := range cells {
		if cells[id].hits > 0 {
			ids = append(ids, uint32(id))
		}
	}
	value := func(id uint32) string { return s.view.Pages[id/2] }
	kind := func(id uint32) ViewKind { return [2]ViewKind{PageKind, ScreenKind}[id%2] }
	return tableOf[ScreenRow]{
		ids: ids, order: Visitors, metrics: ScreenMetrics,
		number: func(id uint32, metric Metric) number {
			if metric == Views {
				return integer(cells[id].hits)
			}
			return integer(int64(cells[id].visitors))
		},
		key:    func(id uint32) string { return value(id) + "\x00" + string(kind(id)) },
		search: func(id uint32) []string { return []string{value(id)} },
		row: func(id uint32) ScreenRow {
			return ScreenRow{Value: value(id), Kind: kind(id), Views: cells[id].hits, Visitors: int64(cells[id].visitors)}
		},
	}
}
