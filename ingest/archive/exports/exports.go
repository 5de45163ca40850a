package exports

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ingest/archive/bucket"
	"github.com/svc-dev/svc/ingest/archive/parquetfiles"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/internal/service"
)

// Frequency is how often an environment is exported.
type Frequency string

// The frequencies.
const (
	Never  Frequency = "never" // when a member asks
	Hourly Frequency = "hourly"
	Daily  Frequency = "daily"
)

// State is how far a run is.
type State string

// The states.
const (
	Running   State = "running"
	Succeeded State = "succeeded"
	Failed    State = "failed" // Problem says why
)

// Export is where an environment is exported to.
type Export struct {
	ID uuid.UUID
	// Address has no secret key: that is read for a run alone.
	bucket.Address
	Frequency   Frequency
	CreatedAt   time.Time
	SucceededAt *time.Time
	LastRun     *Run

	runAt         *time.Time
	savedAt       time.Time
	app           uuid.UUID
	environmentID int64
	kind          environment.Kind
	owner         account.App
}

// Run is what the last run of an export did, so far while it is running.
type Run struct {
	State      State
	StartedAt  time.Time
	FinishedAt *time.Time
	parquetfiles.Summary
	Problem string
}

// Exports are the use cases of exports by members. Start begins to run what is due.
type Exports struct {
	Pool *pgxpool.Pool
	Ring *seal.Ring
	// Transport reaches storage that members name: it refuses what they may not reach.
	Transport http.RoundTripper
	Logger    *slog.Logger
	Now       func() time.Time // nil means time.Now

	service.Loops
}

func (x *Exports) now() time.Time {
	if x.Now == nil {
		return time.Now()
	}
	return x.Now()
}

// NextRunAt returns when the next run begins, nil when none is scheduled and while one is running.
func (e *Export) NextRunAt() *time.Time {
	if e.LastRun != nil && e.LastRun.State == Running {
		return nil
	}
	return e.runAt
}

// Checked is what was found of a destination.
type Checked struct {
	Works   bool
	Problem string // in a sentence; empty when there is none
}
