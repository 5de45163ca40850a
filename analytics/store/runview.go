package store

import (
	"context"
	"time"

	"github.com/svc-dev/svc/analytics/frame"
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
