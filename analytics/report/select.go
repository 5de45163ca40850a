// Package report computes every product report of analytics.md §4 from a view of an environment.
//
// Select evaluates a scope once; the reports are functions of the selection, so that a dashboard
// page pays for its filters once. The package is pure: the time is an argument and the data is a
// frame.View.
package report

import (
	"sync"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// Selection is the sessions of one environment that qualify under a scope. It may be used by several
// goroutines. A selection in memory is immutable; a streamed one (see Stream) holds no sessions and
// reads them portion by portion whenever its reports need them.
type Selection struct {
	scope  analytics.Scope // resolved
	now    time.Time
	view   *frame.View
	filter *filter
	window *window
	shards [][]ref // qualifying sessions by visitor
	stream *stream // nil in memory

	revenueOnce sync.Once
	revenue     []attributed

	counted frame.Memo // what reports share, see countOnce

	comebackOnce sync.Once
	comeback     [][]comeback // of the cohort, by shard

	calendarMu sync.Mutex
	calendars  map[analytics.Grain]*calendar
}

// Select evaluates a scope on a view that holds its range. Members are the visitors of the scope's
// segment, nil without one (see MembersOf). Errors are analytics.FieldErrors.
func Select(view *frame.View, scope analytics.Scope, members *Members, now time.Time) (*Selection, error) {
	scope, err := scope.Resolve(now)
	if err != nil {
		return nil, err
	}
	if (scope.Segment != nil) != (members != nil) {
		return nil, analytics.Invalid("segment", "its members have not been evaluated")
	}
	return newSelection(view, scope, members, now), nil
}

func newSelection(view *frame.View, scope analytics.Scope, members *Members, now time.Time) *Selection {
	s := &Selection{
		scope: scope, now: now, view: view,
		filter:    compile(view, scope.Platform, scope.Filters(), members),
		window:    windowOf(view, frame.Millis(scope.Start), frame.Millis(scope.End)),
		calendars: map[analytics.Grain]*calendar{}, counted: frame.Memo{Size: countedSize},
	}
	s.shards = make([][]ref, len(s.window.shards))
	parallel(len(s.shards), func(i int) {
		order := s.window.shards[i].order
		if !s.filter.active {
			s.shards[i] = order
			return
		}
		s.shards[i] = s.filter.selectFrom(s.window.parts, order)
	})
	return s
}

// countedSize is how many of the counts that take a pass over all hits are kept for a selection.
const countedSize = 8

// countOnce returns what count finds in the sessions of a selection in memory. Several reports ask for the same,
// and without filters several requests do: the next page of a table, or somebody else's dashboard. Their
// counts stay with the window until new data arrives.
func countOnce[T any](s *Selection, key any, count func() T) T {
	counted := &s.counted
	if !s.filter.active {
		counted = &s.window.counted
	}
	return counted.Get(key, func() any { return count() }).(T)
}

// What passes over all hits count.
type (
	allPages    struct{}
	allEvents   struct{}
	allScreens  struct{}
	bothTables  struct{} // allPages and allEvents
	pageChartOf struct{ buckets string }
	topPagesOf  struct { // of a chart
		metric  Metric
		buckets string
	}
)

// Scope is the resolved scope.
func (s *Selection) Scope() analytics.Scope { return s.scope }

// previous selects the period of equal length that ends where this one starts.
func (s *Selection) previous() *Selection {
	scope := s.scope
	scope.Start, scope.End = PreviousPeriod(scope.Start, scope.End)
	return newSelection(s.view, scope, s.filter.members, s.now)
}

// PreviousPeriod is the period of equal length that ends at start.
func PreviousPeriod(start, end time.Time) (time.Time, time.Time) {
	return start.Add(-end.Sub(start)), start
}

// inRange tells whether t (milliseconds since 2020-01-01T00:00Z) is in the scope's range.
func (s *Selection) inRange(t int64) bool { return t >= s.window.start && t < s.window.end }

// Members is a set of visitors of one environment.
type Members struct {
	dataset *frame.Dataset
	bits    []uint64
	count   int
}

// NoMembers is an empty set of visitors of the view.
func NoMembers(view *frame.View) *Members {
	return &Members{dataset: view.Dataset(), bits: make([]uint64, (len(view.Visitors)+63)/64)}
}

// Include adds the members of a segment among the visitors of a portion, which numbers its visitors in
// its own way. The portion must hold the window of the segment's rules.
func (m *Members) Include(portion *frame.View, segment *analytics.Segment, now time.Time) error {
	some, err := MembersOf(portion, segment, now)
	if err != nil {
		return err
	}
	for ordinal, id := range portion.Visitors {
		if !some.has(uint32(ordinal)) {
			continue
		}
		// Who came after the set was made has no place in it.
		if mine, ok := m.dataset.Ordinal(id); ok && int(mine>>6) < len(m.bits) {
			m.add(mine)
		}
	}
	return nil
}

// MembersOf evaluates a segment. The view must hold the window of the segment's rules.
func MembersOf(view *frame.View, segment *analytics.Segment, now time.Time) (*Members, error) {
	if err := segment.Validate(); err != nil {
		return nil, err
	}
	m := NoMembers(view)
	if rules := segment.Rules; rules != nil {
		start, end := rules.Window(now)
		// Devices may be a few minutes ahead of the server; their hits are of now.
		end = end.Add(ClockSkew)
		scope, err := analytics.Scope{
			Start: start, End: end, Platform: rules.Platform, Columns: rules.Columns, Cross: rules.Cross,
		}.Resolve(now)
		if err != nil {
			return nil, err
		}
		s := newSelection(view, scope, nil, now)
		for _, shard := range s.shards {
			for _, r := range shard {
				m.add(s.window.parts[r.part].Visitor[r.row])
			}
		}
	}
	for _, id := range segment.AppUserIDs {
		// Someone known only by a purchase has not been here yet.
		if ordinal, ok := view.Ordinal(id); ok && view.FirstSeen(ordinal) != frame.NeverSeen {
			m.add(ordinal)
		}
	}
	if len(segment.CustomUserIDs) > 0 {
		wanted := make([]bool, len(view.CustomIDs))
		ids := map[string]bool{}
		for _, id := range segment.CustomUserIDs {
			ids[id] = id != ""
		}
		for code, id := range view.CustomIDs {
			wanted[code] = ids[id]
		}
		for ordinal := range uint32(len(view.Visitors)) {
			if wanted[view.Touch(ordinal).CustomID] {
				m.add(ordinal)
			}
		}
	}
	return m, nil
}

func (m *Members) add(ordinal uint32) {
	if m.bits[ordinal>>6]&(1<<(ordinal&63)) == 0 {
		m.bits[ordinal>>6] |= 1 << (ordinal & 63)
		m.count++
	}
}

func (m *Members) has(ordinal uint32) bool {
	return int(ordinal>>6) < len(m.bits) && m.bits[ordinal>>6]&(1<<(ordinal&63)) != 0
}

// Has tells whether the visitor with this ordinal is one of them.
func (m *Members) Has(ordinal uint32) bool { return m.has(ordinal) }

// Count is the number of members.
func (m *Members) Count() int { return m.count }

// Bytes is the memory of the set.
func (m *Members) Bytes() int64 { return int64(cap(m.bits)) * 8 }

// Of tells whether the set numbers visitors as the view does; a set of an environment that has
// been loaded anew must be evaluated again.
func (m *Members) Of(view *frame.View) bool { return m.dataset == view.Dataset() }
