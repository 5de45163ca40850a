// Package watch looks from time to time for what nobody reports when it happens:
// a limit that is near, a late payment, events that are refused, an experiment
// whose people are not split as they should be, a billing provider that is not
// understood. It posts what it finds.
//
// Every look may be repeated and made by several servers at once: what was
// posted before is not posted again.
package watch

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/ent"
)

// Reports tell who had a run of an experiment.
type Reports interface {
	SelectRuns(
		ctx context.Context, environmentID int64, scope flow.Scope, withPrevious, withSessions bool, now time.Time,
	) (*flow.Selection, error)
	// Guard calls what reads a selection, whose files may turn out to be damaged.
	Guard(read func() error) error
}

// Watch looks at a database.
type Watch struct {
	Pool    *pgxpool.Pool
	Client  *ent.Client
	Reports Reports
	// Grace is for how long a late payment changes nothing.
	Grace  time.Duration
	Now    func() time.Time // nil means time.Now
	Logger *slog.Logger     // nil means slog.Default()
}

func (w *Watch) now() time.Time {
	if w.Now == nil {
		return time.Now().UTC()
	}
	return w.Now().UTC()
}

func (w *Watch) log() *slog.Logger {
	if w.Logger == nil {
		return slog.Default()
	}
	return w.Logger
}
