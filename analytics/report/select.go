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
