package report

import (
	"math"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// nameCell counts the in-range hits of one event or screen (in one bucket).
type nameCell struct {
	visitors uint32
	sessions uint32
	hits     int64
	lastSeen int64
}

// hitCell is a nameCell while it is counted, half a cache line as viewCell is.
type hitCell struct {
	seen     uint64 // the latest session counted, see span.seen
	distinct uint64 // visitors << 32 | sessions
	hits     int64
	lastSeen int64
}

// tallyNames counts the in-range hits of the qualifying sessions by the group that slot gives
// their name id, and by bucket when cal is not nil (see stride for the order of the cells). Ids past
// slot take its last entry.
func (s *Selection) tallyNames(slot []uint32, size int, cal *calendar) []nameCell {
	// The last group takes what no other counts, which saves a branch on every hit.
	slot = slices.Clone(slot)
	for id, group := range slot {
		slot[id] = min(group, uint32(size))
	}
	results := make([][]hitCell, len(s.shards))
	parallel(len(s.shards), func(i int) {
		cells := make([]hitCell, (size+1)*stride(cal))
		s.blocks(i, func(spans []span, session uint32) {
			if cal == nil {
				countNames(spans, session, slot, cells)
			} else {
				countNamesByBucket(spans, session, slot, cal, cells)
			}
		})
		results[i] = cells
	})
	return addNames(results, size*stride(cal))
}

// addNames adds the first cells of all shards up.
func addNames(results [][]hitCell, cells int) []nameCell {
	total := make([]nameCell, cells)
	for _, cells := range results {
		for i := range total {
			a, b := &total[i], &cells[i]
			a.visitors += uint32(b.distinct >> 32)
			a.sessions += uint32(b.distinct)
			a.hits += b.hits
			a.lastSeen = max(a.lastSeen, b.lastSeen)
		}
	}
	return total
}

// countNames counts the in-range hits of a block of sessions.
func countNames(spans []span, session uint32, slot []uint32, cells []hitCell) {
	last := uint32(len(slot) - 1)
	for j := range spans {
		session++
		sp := &spans[j]
		seen := sp.seen(session)
		for _, hit := range sp.hits[:sp.inRange] {
			cells[slot[min(frame.HitName(hit), last)]].count(seen, frame.HitTime(hit))
		}
	}
}

// countNamesByBucket counts the in-range hits of a block of sessions by bucket and over the range.
func countNamesByBucket(spans []span, session uint32, slot []uint32, cal *calendar, cells []hitCell) {
	last, buckets := uint32(len(slot)-1), uint32(stride(cal))
	other := uint32(len(cells))/buckets - 1
	for j := range spans {
		session++
		sp := &spans[j]
		seen, bucket, bucketEnd := sp.seen(session), uint32(0), int64(math.MinInt64)
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
	c.distinct += fresh(c.seen, seen)
	c.seen = seen
	c.hits++
	c.lastSeen = max(c.lastSeen, at)
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

// EventMetrics are the columns of the events table.
var EventMetrics = []Metric{Count, Visitors, Sessions, LastSeen}

func (c *nameCell) number(metric Metric) number {
	switch metric {
	case Visitors:
		return integer(int64(c.visitors))
	case Sessions:
		return integer(int64(c.sessions))
	case LastSeen:
		return integer(c.lastSeen)
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
	s.eventsOnce.Do(func() {
		same := func(event uint32) uint32 { return event }
		s.events = s.tallyNames(s.eventSlots(same), len(s.view.Events), nil)
	})
	return s.events
}

// Events is the events table: every event name with a hit in the range, built-in names included.
func (s *Selection) Events(page Page) (*Table[EventRow], error) {
	return s.eventTable().page(page)
}

func (s *Selection) eventTable() tableOf[EventRow] { return s.eventTableOf(s.eventCells()) }

func (s *Selection) eventTableOf(cells []nameCell) tableOf[EventRow] {
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
				LastSeen: frame.Time(c.lastSeen), BuiltIn: frame.KindOf(name(id)) != frame.Custom,
			}
		},
	}
}

// EventsSeries is the events chart: the top names by metric, one of count (the default), visitors
// and sessions.
func (s *Selection) EventsSeries(metric Metric, grain analytics.Grain) ([]ValueSeries, error) {
	if metric == "" {
		metric = Count
	}
	if !slices.Contains([]Metric{Count, Visitors, Sessions}, metric) {
		return nil, analytics.Invalid("metric", "unknown metric %q for events", metric)
	}
	cal, err := s.calendar(grain)
	if err != nil || cal.len() == 0 {
		return []ValueSeries{}, err
	}
	// cells of the group at index i of groups start at first(i).
	buckets, events := stride(cal), len(s.view.Events)
	var cells []nameCell
	var groups []uint32
	var first func(i int) int
	if metric == Count && s.countable(cal) {
		counts := grouped(s.hitCounts(cal), s.eventSlots(func(event uint32) uint32 { return event }), events)
		cells = cellsOfHits(counts)
		groups = s.eventTableOf(cellsOfHits(totals(counts, events))).top(metric, SeriesValues)
		first = func(i int) int { return int(groups[i]) * cal.len() }
	} else if events*buckets <= Tuning.FusedCells {
		cells = s.tallyNames(s.eventSlots(func(event uint32) uint32 { return event }), events, cal)
		totals := make([]nameCell, events)
		for event := range totals {
			totals[event] = cells[(event+1)*buckets-1]
		}
		groups = s.eventTableOf(totals).top(metric, SeriesValues)
		first = func(i int) int { return int(groups[i]) * buckets }
	} else {
		groups = s.eventTable().top(metric, SeriesValues)
		of := slots(groups, events)
		cells = s.tallyNames(s.eventSlots(func(event uint32) uint32 { return of[event] }), len(groups), cal)
		first = func(i int) int { return i * buckets }
	}
	out := make([]ValueSeries, len(groups))
	for i, group := range groups {
		out[i] = ValueSeries{Value: s.view.Events[group], Points: make([]ValuePoint, cal.len())}
		for b, bucket := range cal.labels {
			out[i].Points[b] = valuePoint(bucket, cells[first(i)+b].number(metric))
		}
	}
	return out, nil
}

// cellsOfHits are cells that only count hits.
func cellsOfHits(counts []int64) []nameCell {
	cells := make([]nameCell, len(counts))
	for i, n := range counts {
		cells[i].hits = n
	}
	return cells
}

// ScreenRow is a page or screen name.
type ScreenRow struct {
	Value    string `json:"value"`
	Kind     string `json:"kind"` // page or screen
	Views    int64  `json:"views"`
	Visitors int64  `json:"visitors"`
}

// Screens are the totals of page and screen names viewed in the range.
func (s *Selection) Screens(page Page) (*Table[ScreenRow], error) {
	// Two name ids may share a text, such as "(other)", so group by kind and page.
	pages := uint32(len(s.view.Pages))
	slot := make([]uint32, len(s.view.Names)+1)
	for id := range slot {
		slot[id] = skip
		n := s.view.Name(uint32(id))
		if !n.Kind.IsView() || s.filter.pages != nil && !s.filter.pages[n.Page] {
			continue
		}
		slot[id] = n.Page
		if n.Kind == frame.ScreenView {
			slot[id] += pages
		}
	}
	cells := s.tallyNames(slot, int(2*pages), nil)
	var ids []uint32
	for id := range cells {
		if cells[id].hits > 0 {
			ids = append(ids, uint32(id))
		}
	}
	value := func(id uint32) string { return s.view.Pages[id%pages] }
	kind := func(id uint32) string {
		if id >= pages {
			return "screen"
		}
		return "page"
	}
	return tableOf[ScreenRow]{
		ids: ids, order: Visitors, metrics: []Metric{Visitors, Views},
		number: func(id uint32, metric Metric) number {
			if metric == Views {
				return integer(cells[id].hits)
			}
			return integer(int64(cells[id].visitors))
		},
		key:    func(id uint32) string { return value(id) + "\x00" + kind(id) },
		search: func(id uint32) []string { return []string{value(id)} },
		row: func(id uint32) ScreenRow {
			return ScreenRow{Value: value(id), Kind: kind(id), Views: cells[id].hits, Visitors: int64(cells[id].visitors)}
		},
	}.page(page)
}
