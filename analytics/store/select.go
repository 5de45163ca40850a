package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/report"
)

// selectTries is how often members and view are read again when the environment is loaded anew between
// the two.
const selectTries = 3

// Select evaluates a scope, whose segment's members it finds itself. A range that memory does not hold
// at once is read in portions when the reports need it, under ctx and for at most Settings.StreamFor or
// until shortly before ctx's deadline; past that they fail with a FieldError on "range". The selection can tell the period before its
// own when withPrevious is set.
func (s *Store) Select(ctx context.Context, environmentID int64, scope analytics.Scope, withPrevious bool, now time.Time) (*report.Selection, error) {
	scope, err := scope.Resolve(now)
	if err != nil {
		return nil, err
	}
	from := scope.Start
	if withPrevious {
		from, _ = report.PreviousPeriod(scope.Start, scope.End)
	}
	within := span{from.UnixMilli(), scope.End.UnixMilli()}
	for range selectTries {
		selection, err := s.selectInMemory(ctx, environmentID, scope, within, now)
		if errors.Is(err, errBudget) {
			selection, err = s.selectInPortions(ctx, environmentID, scope, within, now)
		}
		if err != nil || selection != nil {
			return selection, explain(ctx, err)
		}
	}
	return nil, fmt.Errorf("%w: the environment is being loaded anew", analytics.ErrUnavailable)
}

// selectInMemory is nil when the environment was loaded anew while it was read.
func (s *Store) selectInMemory(ctx context.Context, id int64, scope analytics.Scope, within span, now time.Time) (*report.Selection, error) {
	var members *report.Members
	if scope.Segment != nil {
		var err error
		if members, err = s.membersOf(ctx, id, scope.Segment, now); err != nil {
			return nil, err
		}
	}
	view, err := s.view(ctx, id, within.from, within.to)
	if err != nil || members != nil && !members.Of(view) {
		return nil, err
	}
	return report.Select(view, scope, members, now)
}

func (s *Store) selectInPortions(ctx context.Context, id int64, scope analytics.Scope, within span, now time.Time) (*report.Selection, error) {
	spans := []span{within}
	if scope.Segment != nil {
		spans = append(spans, windowOf(scope.Segment, now))
	}
	scan, err := s.newScan(ctx, id, spans...)
	if err != nil {
		return nil, err
	}
	return report.Stream(ctx, scan, scope, now)
}
