package store

import (
	"context"
	"errors"
	"time"

	"github.com/svc-dev/svc/analytics/flow"
)

// SelectRuns evaluates a scope of runs as Select does one of sessions: within memory, or in portions when its reports
// need them. The selection can tell the period before its own when withPrevious is set, and who came back when
// withSessions is.
func (s *Store) SelectRuns(
	ctx context.Context, environmentID int64, scope flow.Scope, withPrevious, withSessions bool, now time.Time,
) (*flow.Selection, error) {
	scope, err := scope.Resolve(now)
	if err != nil {
		return nil, err
	}
	from, to := scope.Reads(withPrevious)
	needs := []need{runsIn(from, to)}
	if withSessions {
		needs = append(needs, sessionsIn(from.UnixMilli(), to.UnixMilli()))
	}
	view, members, err := s.segmentView(ctx, environmentID, scope.Segment, now, needs...)
	var selection *flow.Selection
	switch {
	case err == nil:
		selection, err = s.flows.Select(view, scope, members, now)
	case errors.Is(err, errBudget):
		selection, err = s.selectRunsInPortions(ctx, environmentID, scope, needs, now)
	}
	return selection, explain(ctx, err)
}

func (s *Store) selectRunsInPortions(
	ctx context.Context, id int64, scope flow.Scope, needs []need, now time.Time,
) (*flow.Selection, error) {
	var err error
	if scope.Segment, err = s.withMembers(ctx, id, scope.Segment, now); err != nil {
		return nil, err
	}
	if scope.Segment != nil {
		needs = append(needs, windowOf(scope.Segment, now)...)
	}
	// A refund may follow its charge at any distance, and which charge it pays back depends on all before it.
	sales := span{0, max(needs[0].to, now.AddDate(0, 0, 1).UnixMilli())}
	scan, err := s.newScan(ctx, id, sales, needs...)
	if err != nil {
		return nil, err
	}
	return s.flows.Stream(scan, scope, now)
}
