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
	// processor's cache. That is dear to those of a long range, which SweptCells bounds: it reads all columns twice.
	FusedCells, SweptCells int
	// CountCells bounds the plain counters of a chart that needs no distinct counts.
	CountCells int
	// FunnelHits bounds the hits of files whose times a funnel reads at once, of all shards together: eight bytes each.
	FunnelHits int
	// FunnelSoon is for how long a funnel that is kept knows whose windows end, if those are no more than FunnelEnds.
	FunnelSoon time.Duration
	FunnelEnds int
	// KeptSessions is of how many sessions a window keeps the order by visitor; two visitors of the view count as one,
	// because the order takes four bytes of each. That of more is found anew, some visitors at a time, each time that
	// something counts by it: it would take the memory that holds the columns.
	KeptSessions int
	// SweptSessions is about how many sessions are ordered at a time then: they, and what is read of them, fit the cache
	// of a processor. SweptVisitors are at most so many, where few of them have sessions.
	SweptSessions, SweptVisitors int
	// BandRows is how many rows of each part are then brought into memory at a time, SpansAhead for how many such orders
	// ahead they are asked for.
	BandRows, SpansAhead int
	// SeenGroups bounds the groups, of names or of a chart, of which a bit says whether a visitor met them; more are
	// counted in the order of visitors. SeenBytes is how much the bits of the visitors may take that a shard reads at a
	// time.
	SeenGroups, SeenBytes int
	// PathParts is of one in how many parts paths guess their nodes, PathNodes how many of a step.
	PathParts, PathNodes int
	// ShareFor is how long the reading of a streamed selection waits for other reports that can share
	// it: those of one request start within microseconds of each other.
	ShareFor time.Duration
}

// DefaultTuning returns the sizes that were measured to be fast on a machine of today.
func DefaultTuning() Tuning {
	return Tuning{
		SessionsPerWorker: 20_000, FusedCells: 1 << 14, SweptCells: 1 << 17, CountCells: 1 << 20, FunnelHits: 1 << 20,
		KeptSessions: 1 << 22, SweptSessions: 1 << 15, SweptVisitors: 1 << 17,
		BandRows: frame.BandRows, SpansAhead: 1 << 6, SeenGroups: 1 << 15, SeenBytes: 1 << 18,
		PathParts: 1 << 4, PathNodes: 47, FunnelSoon: 10 * time.Minute, FunnelEnds: 1 << 11, ShareFor: 10 * time.Millisecond,
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
	}
	return s
}

// workers is how many shards the sessions are in: each is counted by one goroutine.
func (s *Selection) workers() int { return len(s.window.shards) }

// eachVisitor calls visit with every visitor of a shard and their qualifying sessions, valid during the call.
func (s *Selection) eachVisitor(shard int, r *reading, visit func(visitor uint32, sessions []ref)) {
	s.each(shard, r, func(order []ref) {
		for len(order) > 0 {
			visitor, n := s.visitor(order[0]), 1
			for n < len(order) && s.visitor(order[n]) == visitor {
				n++
			}
			visit(visitor, order[:n])
			order = order[n:]
		}
	})
}

// each calls visit with the qualifying sessions of a shard by visitor, all of a visitor at once. What it gets is only
// valid during the call.
func (s *Selection) each(shard int, r *reading, visit func(order []ref)) {
	switch {
	case s.picked == nil:
		r.each(shard, func(visitors *windowShard) { visit(visitors.order) })
	case s.picked.shards != nil:
		s.picked.each(shard, r, visit)
	default:
		var kept []ref
		r.each(shard, func(visitors *windowShard) {
			kept = s.picked.keep(kept[:0], visitors.order)
			visit(kept)
		})
	}
}

// qualifies tells whether a session of the window is one of the selection's.
func (s *Selection) qualifies(r ref) bool { return s.picked == nil || s.picked.has(r) }
