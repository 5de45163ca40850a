package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// Select evaluates a scope, whose segment's members it finds itself. A range that memory does not hold
// at once is read in portions when the reports need it, for at most Settings.StreamFor or until shortly
// before the deadline of their context; past that they fail with a FieldError on "range". The selection
// can tell the period before its own when withPrevious is set, and its visitors' runs when withRuns is.
func (s *Store) Select(
	ctx context.Context, environmentID int64, scope analytics.Scope, withPrevious, withRuns bool, now time.Time,
) (*report.Selection, error) {
	scope, err := scope.Resolve(now)
	if err != nil {
		return nil, err
	}
	from := scope.Start
	if withPrevious {
		from, _ = report.PreviousPeriod(scope.Start, scope.End)
	}
	withRuns = withRuns || analytics.HasRunFilter(scope.Cross) || analytics.HasFlowGoal(scope.Goals)
	within := sessionsIn(from.UnixMilli(), scope.End.Add(scope.Follow).UnixMilli()).withRuns(withRuns)
	view, members, err := s.segmentView(ctx, environmentID, scope.Segment, now, within...)
	var selection *report.Selection
	switch {
	case err == nil:
		selection, err = s.engine.Select(view, scope, members, now)
	case errors.Is(err, errBudget):
		selection, err = s.selectInPortions(ctx, environmentID, scope, within, now)
	}
	return selection, explain(ctx, err)
}

// segmentTries is how often members and view are read again when the environment is loaded anew between
// the two, which numbers its visitors anew.
const segmentTries = 3

// SegmentView returns a view of the visitors, which need not hold any session, and which of them are in the
// segment; nil without a segment.
func (s *Store) SegmentView(
	ctx context.Context, environmentID int64, segment *analytics.Segment, now time.Time,
) (*frame.View, *report.Members, error) {
	view, members, err := s.segmentView(ctx, environmentID, segment, now, sessionsIn(now.UnixMilli(), now.UnixMilli()))
	return view, members, explainNow(ctx, err)
}

// Live evaluates the live report of a platform, all without one, and a segment, everybody without one.
func (s *Store) Live(
	ctx context.Context, environmentID int64, platform string, segment *analytics.Segment, page report.Page,
	now time.Time,
) (*report.Live, error) {
	selection, err := s.Select(ctx, environmentID, report.LiveScope(platform, segment, now), false, false, now)
	if err != nil {
		return nil, explainNow(ctx, err)
	}
	live, err := selection.Live(ctx, page)
	return live, explainNow(ctx, err)
}

func (s *Store) segmentView(
	ctx context.Context, id int64, segment *analytics.Segment, now time.Time, needs ...need,
) (view *frame.View, members *report.Members, err error) {
	for range segmentTries {
		if segment != nil {
			if members, err = s.membersOf(ctx, id, segment, now); err != nil {
				return nil, nil, err
			}
		}
		if view, err = s.view(ctx, id, needs...); err != nil {
			return nil, nil, err
		}
		if members == nil || members.Of(view) {
			return view, members, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: the environment is being loaded anew", analytics.ErrUnavailable)
}

func (s *Store) selectInPortions(
	ctx context.Context, id int64, scope analytics.Scope, within []need, now time.Time,
) (*report.Selection, error) {
	var err error
	if scope.Segment, err = s.withMembers(ctx, id, scope.Segment, now); err != nil {
		return nil, err
	}
	needs := within
	if scope.Segment != nil {
		needs = append(needs, windowOf(scope.Segment, now)...)
	}
	scan, err := s.newScan(ctx, id, within[0].span, needs...)
	if err != nil {
		return nil, err
	}
	return s.engine.Stream(scan, scope, now)
}
