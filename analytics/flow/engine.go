package flow

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// Engine evaluates scopes over views. It may be used by several goroutines.
type Engine struct {
	tuning Tuning
	most   int            // names that no version has of which reports list each by itself
	people *report.Engine // who is in a segment
	facts  sync.Map       // *facts by weak pointer to their part
}

// Tuning holds the sizes at which a report changes its way of counting. They change the speed and never the answer;
// tests set them so that small data takes every path.
type Tuning struct {
	RunsPerWorker int // how many runs make another worker worth its start
	EdgeTable     int // steps of a flow whose edges are counted in a table; those of more are in a map
	FewTimes      int // durations that are kept as they are; more are counted by the millisecond
	// ShareFor is how long the reading of a streamed selection waits for other reports that can share it: those of one
	// request start within microseconds of each other.
	ShareFor time.Duration
	// ManyNames is how many names of a topic a view may have so that reports count by the view's numbers of them; where
	// there are more, by those of what they list.
	ManyNames int
}

// DefaultTuning returns the sizes that were measured to be fast on a machine of today.
func DefaultTuning() Tuning {
	return Tuning{
		RunsPerWorker: 20_000, EdgeTable: 256, FewTimes: 1 << 22, ShareFor: 10 * time.Millisecond, ManyNames: 1 << 12,
	}
}

// NewEngine makes an engine that counts with the given sizes; people evaluates the segments of streamed scopes.
func NewEngine(tuning Tuning, people *report.Engine) *Engine {
	return &Engine{tuning: tuning, most: MaxUnknown, people: people}
}

// LimitUnknown sets how many names that no version has a list of a report shows besides Other, instead of MaxUnknown,
// before the engine is used. Tests set it so that small data has more.
func (e *Engine) LimitUnknown(most int) { e.most = most }

// maxWorkers bounds the goroutines of one report: reports run side by side.
const maxWorkers = 8

func (t *Tuning) workers(runs int) int {
	return max(1, min(runtime.GOMAXPROCS(0), maxWorkers, runs/t.RunsPerWorker))
}

// Selection is the runs of one environment that qualify under a scope. It may be used by several goroutines. A
// selection in memory is immutable; a streamed one holds no runs and reads them portion by portion whenever a report
// needs them.
type Selection struct {
	engine  *Engine
	scope   Scope // resolved
	now     time.Time
	view    *frame.View
	members *report.Members
	window  *window
	courses *courses // of the window's letters; nil for those of the view
	lapsed  int64    // runs without a later hit have lapsed; milliseconds since 2020-01-01T00:00Z
	stream  *stream  // nil in memory

	once     sync.Once
	selected *remembered
}

// Select evaluates a scope on a view that holds what the scope Reads. Members are the visitors of the scope's segment,
// nil without one. Errors are analytics.FieldErrors.
func (e *Engine) Select(
	view *frame.View, scope Scope, members *report.Members, now time.Time,
) (*Selection, error) {
	scope, err := scope.Resolve(now)
	if err != nil {
		return nil, err
	}
	if (scope.Segment != nil) != (members != nil) {
		return nil, analytics.Invalid("segment", "its members have not been evaluated")
	}
	return e.selectRuns(view, scope, members, now), nil
}

// Stream returns a selection whose runs are read from source whenever a report needs them, under the context of that
// report. Errors are analytics.FieldErrors.
func (e *Engine) Stream(source report.Source, scope Scope, now time.Time) (*Selection, error) {
	scope, err := scope.Resolve(now)
	if err != nil {
		return nil, err
	}
	return &Selection{engine: e, scope: scope, now: now, stream: newStream(source, e.tuning.ShareFor)}, nil
}

// selectRuns makes the selection of a resolved scope.
func (e *Engine) selectRuns(view *frame.View, scope Scope, members *report.Members, now time.Time) *Selection {
	s := &Selection{engine: e, scope: scope, now: now, view: view, members: members}
	s.lapsed = frame.Millis(now.Add(-scope.Windows.Lapse))
	s.window = e.windowOf(view, scope)
	return s
}

// runs returns the runs that qualify, by shard. They are looked for when a report first asks.
func (s *Selection) runs() []*runs {
	s.once.Do(func() {
		s.selected = selectionsOf(s.view).get(s.scope.key(s.members), func() []*runs {
			f := compile(s.view, s.scope, s.members)
			shards := make([]*runs, len(s.window.shards))
			frame.Parallel(len(shards), func(i int) { shards[i] = f.selectFrom(s.window, s.window.shards[i]) })
			return shards
		})
	})
	return s.selected.shards
}

// Scope returns the resolved scope.
func (s *Selection) Scope() Scope { return s.scope }

// within returns the selection of another resolved scope on the same data.
func (s *Selection) within(scope Scope) *Selection {
	if s.stream != nil {
		return &Selection{engine: s.engine, scope: scope, now: s.now, stream: s.stream}
	}
	return s.engine.selectRuns(s.view, scope, s.members, s.now)
}

// previous returns the scope of the period of equal length before the selection's.
func (s *Selection) previous() Scope {
	scope := s.scope
	scope.Start, scope.End = report.PreviousPeriod(scope.Start, scope.End)
	return scope
}

// sum returns a tally of the selection, and the view that names its codes. Of a streamed selection it is the sum of
// the tallies of its portions, which share no visitor; slices by code may be shorter in earlier portions.
func sum[T any](
	ctx context.Context, s *Selection, count func(portion *Selection) T, add func(total, more T) T,
) (T, *frame.View, error) {
	if s.stream == nil {
		return count(s), s.view, nil
	}
	total := count(s.empty())
	err := s.stream.Read(ctx, func(view *frame.View) error {
		portion, err := s.portion(view)
		if err == nil {
			total = add(total, count(portion))
		}
		return err
	})
	if err != nil {
		var nothing T // others may still read for a tally whose report has ended
		return nothing, nil, err
	}
	return total, s.stream.source.View(), nil
}

// empty returns the selection without any run.
func (s *Selection) empty() *Selection {
	nothing := &Selection{
		engine: s.engine, scope: s.scope, now: s.now, view: s.stream.source.View(),
		window: &window{shards: []shard{{}}, letters: &alphabet{}}, selected: &remembered{shards: []*runs{{}}},
	}
	nothing.once.Do(func() {})
	return nothing
}

// portion returns the selection of a portion, made once for all reports that share its reading. A segment's members
// are those of the portion's visitors.
func (s *Selection) portion(view *frame.View) (*Selection, error) {
	type made struct {
		portion *Selection
		err     error
	}
	m := frame.Derive(view, s, func() made {
		var members *report.Members
		if s.scope.Segment != nil {
			var err error
			if members, err = s.engine.people.Members(view, s.scope.Segment, s.now); err != nil {
				return made{err: err}
			}
		}
		return made{portion: s.engine.selectRuns(view, s.scope, members, s.now)}
	})
	return m.portion, m.err
}

// each calls count for every shard of the selection at once and returns the sum of what they count.
func each[T any](s *Selection, count func(shard int, rs *runs) T, add func(total, more T) T) T {
	shards := s.runs()
	results := make([]T, len(shards))
	frame.Parallel(len(shards), func(i int) { results[i] = count(i, shards[i]) })
	total := results[0]
	for _, more := range results[1:] {
		total = add(total, more)
	}
	return total
}

// extend returns a copy of total that is at least as long as more, for tallies by codes of which later portions know
// more.
func extend[T any](total, more []T) []T {
	out := make([]T, max(len(total), len(more)))
	copy(out, total)
	return out
}

func addCounts(total, more []int64) []int64 {
	total = extend(total, more)
	for i, n := range more {
		total[i] += n
	}
	return total
}

// incomplete tells whether runs that start before end may still get what they are waited for.
func (s *Selection) incomplete(end time.Time, window time.Duration) bool {
	return s.now.Before(end.Add(window))
}

// moneyWindow is how long figures with money are incomplete.
func (s *Selection) moneyWindow() time.Duration {
	return max(s.scope.Windows.Completion, s.scope.Windows.Purchase)
}

// ratio returns n ÷ d, nil when d is zero.
func ratio(n, d int64) *float64 {
	if d == 0 {
		return nil
	}
	r := float64(n) / float64(d)
	return &r
}
