package report

import (
	"context"
	"sync"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// Source reads the sessions of a range that memory does not hold at once, in portions that share no
// visitor. Every tally of a report is additive over disjoint visitors, so reports add the portions up.
type Source interface {
	// View has the names and values known so far, and no sessions.
	View() *frame.View
	// Each calls visit with every visitor, session and purchase that the reports need, a portion at a
	// time, until visit returns an error, which Each returns. Codes of values mean the same in all
	// portions and in later calls. The portion is only valid during the call.
	Each(ctx context.Context, visit func(portion *frame.View) error) error
}

// Stream returns a selection whose sessions are read from source whenever a report needs them, under
// the context of that report. Errors are analytics.FieldErrors.
func (e *Engine) Stream(source Source, scope analytics.Scope, now time.Time) (*Selection, error) {
	scope, err := scope.Resolve(now)
	if err != nil {
		return nil, err
	}
	return &Selection{
		engine: e, scope: scope, now: now, view: source.View(), calendars: map[analytics.Grain]*calendar{},
		stream: &stream{source: source, turn: make(chan struct{}, 1)},
	}, nil
}

// stream reads a selection's portions.
type stream struct {
	source Source

	turn chan struct{} // of one place, taken while reading

	mu      sync.Mutex
	waiting []*reading
}

// reading is a tally that waits for portions. Who has the turn may write to it.
type reading struct {
	visit func(portion *Selection)
	done  bool
	err   error
}

// sumPortions returns a tally of the selection. Of a streamed one it is the sum of the tallies of its portions;
// tallies are slices by code, which may be shorter in earlier portions. The selection returned has
// the values of all codes of the tally, and the rows that filters let tables list.
func sumPortions[T any](
	ctx context.Context, s *Selection, count func(portion *Selection) T, add func(total, more T) T,
) (T, *Selection, error) {
	if s.stream == nil {
		return count(s), s, nil
	}
	var total T
	first := true
	err := s.read(ctx, func(portion *Selection) {
		if first {
			total, first = count(portion), false
			return
		}
		total = add(total, count(portion))
	})
	if err != nil {
		return total, nil, err
	}
	// Without sessions of its own, but with every value seen.
	known, err := s.portion(s.stream.source.View())
	if err == nil && first {
		total = count(known)
	}
	return total, known, err
}

// read calls visit with every portion. Reports that ask at about the same time share a reading, which
// the context of the first of them ends: they belong to one request.
func (s *Selection) read(ctx context.Context, visit func(portion *Selection)) error {
	st, mine := s.stream, &reading{visit: visit}
	st.mu.Lock()
	st.waiting = append(st.waiting, mine)
	st.mu.Unlock()
	select {
	case st.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-st.turn }()
	if mine.done {
		return mine.err
	}
	share := time.NewTimer(s.engine.tuning.ShareFor)
	defer share.Stop()
	select {
	case <-share.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	st.mu.Lock()
	readings := st.waiting
	st.waiting = nil
	st.mu.Unlock()
	err := st.source.Each(ctx, func(view *frame.View) error {
		portion, err := s.portion(view)
		if err != nil {
			return err
		}
		for _, r := range readings {
			r.visit(portion)
		}
		return nil
	})
	for _, r := range readings {
		r.done, r.err = true, err
	}
	return err
}

// portion returns the selection of a portion. A segment's members are those of the portion's visitors.
func (s *Selection) portion(view *frame.View) (*Selection, error) {
	var members *Members
	if s.scope.Segment != nil {
		var err error
		if members, err = s.engine.Members(view, s.scope.Segment, s.now); err != nil {
			return nil, err
		}
	}
	return s.engine.selectSessions(view, s.scope, members, s.now), nil
}

// extend returns a copy of total that is at least as long as more, for tallies by codes of which later
// portions know more. Reports that share a reading may share a portion's tally too.
func extend[T any](total, more []T) []T {
	out := make([]T, max(len(total), len(more)))
	copy(out, total)
	return out
}

// addCounts adds counts up.
func addCounts[N int64 | uint32](total, more []N) []N {
	total = extend(total, more)
	for i, n := range more {
		total[i] += n
	}
	return total
}
