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
	lastVisitor uint32 // ordinal + 1
	lastSession uint32 // running number of the session + 1
	visitors    uint32
	sessions    uint32
	hits        int64
	lastSeen    int64
}

// tallyNames counts the in-range hits of the qualifying sessions by the group that slot gives
// their name id, and by bucket when cal is not nil (see stride for the order of the cells). Ids past
// slot take its last entry.
func (s *Selection) tallyNames(slot []uint32, size int, cal *calendar) []nameCell {
	buckets := uint32(stride(cal))
	results := make([][]nameCell, len(s.shards))
	parallel(len(s.shards), func(i int) {
		cells := make([]nameCell, uint32(size)*buckets)
		var spans [blockSize]span
		session := uint32(0)
		for order := s.shards[i]; len(order) > 0; {
			n := min(blockSize, len(order))
			s.readSpans(order[:n], &spans)
			order = order[n:]
			for j := range spans[:n] {
				session++
				countNames(&spans[j], session, slot, cal, cells)
			}
		}
		results[i] = cells
	})
	total := results[0]
	for _, more := range results[1:] {
		for i := range more {
			a, b := &total[i], &more[i]
			a.visitors += b.visitors
			a.sessions += b.sessions
			a.hits += b.hits
			a.lastSeen = max(a.lastSeen, b.lastSeen)
		}
	}
	return total
}

// countNames counts the in-range hits of one session.
func countNames(sp *span, session uint32, slot []uint32, cal *calendar, cells []nameCell) {
	last := uint32(len(slot) - 1)
	buckets, bucket, bucketEnd := uint32(stride(cal)), uint32(0), int64(math.MinInt64)
	total := buckets - 1
	for _, hit := range sp.hits[:sp.inRange] {
		group := slot[min(frame.HitName(hit), last)]
		if group == skip {
			continue
		}
		at := frame.HitTime(hit)
		cells[group*buckets+total].count(session, sp.visitor, at)
		if cal == nil {
			continue
		}
		if at >= bucketEnd {
			bucket = cal.of(at)
			bucketEnd = cal.bounds[bucket+1]
		}
		cells[group*buckets+bucket].count(session, sp.visitor, at)
	}
}

// count counts a hit. There are no branches, because whether it is a session's first of its name
// can't be predicted.
func (c *nameCell) count(session, visitor uint32, at int64) {
	freshSession, freshVisitor := uint32(0), uint32(0)
	if c.lastSession != session {
		freshSession = 1
	}
	if c.lastVisitor != visitor {
		freshVisitor = 1
	}
	c.lastSession, c.lastVisitor = session, visitor
	c.hits++
	c.sessions += freshSession
	c.visitors += freshVisitor
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
	if events*buckets <= Tuning.FusedCells {
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
