package report

import (
	"runtime"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// Engine evaluates scopes over views. It may be used by several goroutines.
type Engine struct{ tuning Tuning }

// NewEngine makes an engine that counts with the given sizes.
func NewEngine(tuning Tuning) *Engine { return &Engine{tuning} }

// Tuning holds the sizes at which a report changes its way of counting. They change the speed and
// never the answer; tests set them so that small data takes every path.
type Tuning struct {
	// SessionsPerWorker is how many sessions make another worker worth its start.
	SessionsPerWorker int
	// FusedCells bounds the cells of a pass that counts every value by bucket; a chart with more
	// finds its top values in a pass of their own, because so many cells fall out of the
	// processor's cache.
	FusedCells int
	// CountCells bounds the plain counters of a chart that needs no distinct counts.
	CountCells int
	// FunnelHits bounds the hits of files whose times a funnel still needs before it reads them, of all shards together:
	// twelve bytes each at most.
	FunnelHits int
	// FunnelSoon is for how long a funnel that is kept knows whose windows end, if those are no more than FunnelEnds.
	FunnelSoon time.Duration
	FunnelEnds int
	// ShareFor is how long the reading of a streamed selection waits for other reports that can share
	// it: those of one request start within microseconds of each other.
	ShareFor time.Duration
}

// DefaultTuning returns the sizes that were measured to be fast on a machine of today.
func DefaultTuning() Tuning {
	return Tuning{
		SessionsPerWorker: 20_000, FusedCells: 1 << 14, CountCells: 1 << 20, FunnelHits: 1 << 25,
		FunnelSoon: 10 * time.Minute, FunnelEnds: 1 << 11, ShareFor: 10 * time.Millisecond,
	}
}

// maxWorkers bounds the goroutines of one report: reports run side by side, and past a few
// workers memory bandwidth is the limit.
const maxWorkers = 8

func (t *Tuning) workers(sessions int) int {
	return max(1, min(runtime.GOMAXPROCS(0), maxWorkers, sessions/t.SessionsPerWorker))
}

// Select evaluates a scope on a view that holds its range. Members are the visitors of the scope's
// segment, nil without one. Errors are analytics.FieldErrors.
func (e *Engine) Select(
	view *frame.View, scope analytics.Scope, members *Members, now time.Time,
) (*Selection, error) {
	scope, err := scope.Resolve(now)
	if err != nil {
		return nil, err
	}
	if (scope.Segment != nil) != (members != nil) {
		return nil, analytics.Invalid("segment", "its members have not been evaluated")
	}
	return e.selectSessions(view, scope, members, now), nil
}

// selectSessions evaluates a resolved scope.
func (e *Engine) selectSessions(
	view *frame.View, scope analytics.Scope, members *Members, now time.Time,
) *Selection {
	start, end := frame.Millis(scope.Start), frame.Millis(scope.End)
	people, filters := peopleWithRuns(view, scope.Filters(), start, end, frame.Millis(now.Add(-scope.Lapse)))
	converters, filters := e.peopleWithGoals(view, scope, filters, now)
	people = converters.and(people)
	s := &Selection{
		engine: e, scope: scope, now: now, view: view,
		filter:    compile(view, scope.Platform, filters, members, people),
		window:    e.windowOf(view, start, end),
		calendars: map[analytics.Grain]*calendar{},
	}
	if s.filter.active {
		s.picked = s.window.pick(s.filter, scope.Platform, filters, people == nil)
		s.shards = s.picked.shards
		return s
	}
	for i := range s.window.shards {
		s.shards = append(s.shards, s.window.shards[i].order)
	}
	return s
}

// qualifies tells whether a session of the window is one of the selection's.
func (s *Selection) qualifies(r ref) bool { return s.picked == nil || s.picked.has(r) }
