// Package report computes every product report of analytics.md §4 from a view of an environment.
//
// An Engine evaluates a scope once; the reports are functions of the selection, so that a dashboard
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
	engine *Engine
	scope  analytics.Scope // resolved
	now    time.Time
	view   *frame.View
	filter *filter
	window *window
	picked *picked // what filters leave; nil without any
	stream *stream // nil in memory

	revenueOnce sync.Once
	revenue     []attributed

	dayReturnsOnce sync.Once
	dayReturns     [][]dayReturns // of the cohort, by shard

	calendarMu sync.Mutex
	calendars  map[analytics.Grain]*calendar
}

// countCache keeps what passes over all hits count. Several reports ask for the same, and without filters
// several requests do: the next page of a table, or somebody else's dashboard. Their counts stay with
// the window until new data arrives.
type countCache struct {
	pages frame.Memo[pageCount, []pageCell]
	names frame.Memo[nameCount, []nameCell]
	// tables is done once the page table and the event table have been counted in one pass.
	tables sync.Once

	others   frame.Memo[countKey, any]
	mu       sync.Mutex
	admitted map[countKey]bool // what others has, or will have
	bytes    int               // of that
}

// countKey names any other count of a window.
type countKey struct {
	what    string
	by      string // what it is grouped by
	buckets string // see calendar.key
	cutoff  int64  // of retention
	drill   Drill
}

// What other counts of a window, or of what filters leave of it, may take together, and what one takes at least.
const (
	rememberedBytes = 2 << 20
	leastRemembered = 1 << 10
)

// remembered returns a count of a selection in memory, of so many cells of so many bytes, which others who ask for the
// same share. It must not be changed. What finds no room is counted each time.
func remembered[T any](s *Selection, key countKey, cells, size int, count func() T) T {
	c := s.cache()
	if !c.admits(key, max(cells*size, leastRemembered)) {
		return count()
	}
	return c.others.Get(key, func() any { return count() }).(T)
}

// admits tells whether a count is remembered. Who is, stays: a window lives until something changes.
func (c *countCache) admits(key countKey, bytes int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.admitted[key] {
		return true
	}
	if c.bytes+bytes > rememberedBytes {
		return false
	}
	c.bytes += bytes
	c.admitted[key] = true
	return true
}

// pageCount names a count of pages: the zero value that of every page over the range, the others
// those of charts.
type pageCount struct {
	buckets string // see calendar.key
	top     Metric // the chart has only the top pages by this metric
}

// nameCount names a count of names.
type nameCount int

const (
	eventNames nameCount = iota
	screenNames
)

func newCountCache() *countCache {
	return &countCache{
		pages:  frame.Memo[pageCount, []pageCell]{Size: 6},
		names:  frame.Memo[nameCount, []nameCell]{Size: 2},
		others: frame.Memo[countKey, any]{Size: rememberedBytes / leastRemembered}, admitted: map[countKey]bool{},
	}
}

// cache returns where the counts of a selection in memory are kept.
func (s *Selection) cache() *countCache {
	if s.picked != nil {
		return s.picked.counts
	}
	return s.window.counts
}

// Scope returns the resolved scope.
func (s *Selection) Scope() analytics.Scope { return s.scope }

// previous selects the period of equal length that ends where this one starts.
func (s *Selection) previous() *Selection {
	scope := s.scope
	scope.Start, scope.End = PreviousPeriod(scope.Start, scope.End)
	return s.engine.selectSessions(s.view, scope, s.filter.segment, s.now)
}

// PreviousPeriod returns the period of equal length that ends at start.
func PreviousPeriod(start, end time.Time) (time.Time, time.Time) {
	return start.Add(-end.Sub(start)), start
}

// inRange tells whether t (milliseconds since 2020-01-01T00:00Z) is in the scope's range.
func (s *Selection) inRange(t int64) bool { return t >= s.window.start && t < s.window.end }
