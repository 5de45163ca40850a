package store

import (
	"context"
	"errors"
	"time"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// RunView does for runs what View does for sessions: it returns a view that holds every run of the environment with a
// hit in [from, to), whole, and every first touch, name and purchase. It holds no sessions but by chance. An
// environment's runs are read when they are first asked for.
func (s *Store) RunView(ctx context.Context, environmentID int64, from, to time.Time) (*frame.View, error) {
	view, err := s.view(ctx, environmentID, runsIn(from, to))
	return view, explain(ctx, err)
}

// runsIn is the need for the runs of a range.
func runsIn(from, to time.Time) need { return need{frame.Runs, span{from.UnixMilli(), to.UnixMilli()}} }

// RunRange is the runs of a range and the members of a segment: in one view, or, where memory does not hold them at
// once, in portions that share no visitor.
type RunRange struct {
	store   *Store
	segment *analytics.Segment
	now     time.Time

	view    *frame.View
	members *report.Members
	source  report.Source // nil when view holds everything
}

// Runs returns the runs of an environment with a hit in [from, to), and who is in the segment; nil is everybody.
// Reading in portions takes at most Settings.StreamFor, or until shortly before the deadline of ctx; past that Each
// fails with a FieldError on "range".
func (s *Store) Runs(
	ctx context.Context, environmentID int64, segment *analytics.Segment, from, to, now time.Time,
) (*RunRange, error) {
	r := &RunRange{store: s, segment: segment, now: now}
	within := runsIn(from, to)
	var err error
	r.view, r.members, err = s.segmentView(ctx, environmentID, segment, now, within)
	if errors.Is(err, errBudget) {
		if r.segment, err = segment.WithImported(ctx); err != nil {
			return nil, explain(ctx, err)
		}
		needs := []need{within}
		if segment != nil {
			needs = append(needs, windowOf(r.segment, now)...)
		}
		// A purchase may follow its run at any distance, and belong to the range all the same.
		sales := span{from.UnixMilli(), max(within.to, now.AddDate(0, 0, 1).UnixMilli())}
		r.source, err = s.newScan(ctx, environmentID, sales, needs...)
	}
	if err != nil {
		return nil, explain(ctx, err)
	}
	return r, nil
}

// View returns the view that holds everything, or nil when the runs are read in portions.
func (r *RunRange) View() *frame.View { return r.view }

// Each calls visit with views that hold everything together, until it returns an error, which Each returns: with the
// one view, or with one of each portion, which is valid during the call. Members are those of the view's visitors, nil
// without a segment. Codes of values mean the same in all views, later ones may know more of them; visitors are
// numbered anew in each.
func (r *RunRange) Each(ctx context.Context, visit func(view *frame.View, members *report.Members) error) error {
	if r.source == nil {
		return visit(r.view, r.members)
	}
	return r.source.Each(ctx, func(portion *frame.View) error {
		var members *report.Members
		if r.segment != nil {
			var err error
			if members, err = r.store.engine.Members(portion, r.segment, r.now); err != nil {
				return err
			}
		}
		return visit(portion, members)
	})
}

// Known returns a view with every value that has been seen so far: the one view, or one without rows that knows the
// codes of all portions.
func (r *RunRange) Known() *frame.View {
	if r.source == nil {
		return r.view
	}
	return r.source.View()
}
