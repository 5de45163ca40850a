package report

import (
	"context"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/portions"
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
	s := &Selection{
		engine: e, scope: scope, now: now, view: source.View(), calendars: map[analytics.Grain]*calendar{},
	}
	s.stream = &stream{source: source, Shared: portions.Share(e.tuning.ShareFor, s.eachPortion)}
	return s, nil
}

// stream reads a selection's portions.
type stream struct {
	*portions.Shared[*Selection]
	source Source
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
	err := s.stream.Read(ctx, func(portion *Selection) error {
		if first {
			total, first = count(portion), false
			return nil
		}
		total = add(total, count(portion))
		return nil
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

// eachPortion calls visit with the selection of every portion.
func (s *Selection) eachPortion(ctx context.Context, visit func(portion *Selection) error) error {
	return s.stream.source.Each(ctx, func(view *frame.View) error {
		portion, err := s.portion(view)
		if err != nil {
			return err
		}
		return visit(portion)
	})
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
