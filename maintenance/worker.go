package maintenance

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/postgres"
)

// Settings say what is kept for how long. The zero value of a field is its
// default.
type Settings struct {
	Window    time.Duration // deduplication window; default 7 days
	Retention time.Duration // of raw events and sessions; default 5 years, negative is for ever
}

// Deps are what the maintenance uses besides the database. All are optional.
type Deps struct {
	// EndExperiments moves some of the experiments whose end has come to pending
	// decision and says how many those were.
	EndExperiments func(ctx context.Context) (int, error)
	// CarryErasure carries out the oldest erasure of a person that was begun and not finished, and says whether there
	// was one.
	CarryErasure func(ctx context.Context) (bool, error)
	// MergeServed merges some rows of people who were served an experiment, and says whether there were any.
	MergeServed func(ctx context.Context) (bool, error)
	// RebookRevenue books some of the deliveries of billing providers again that rules of an earlier version booked, and
	// says whether there were any.
	RebookRevenue func(ctx context.Context) (bool, error)
	// Lookouts look for what people are told of.
	Lookouts []Lookout
	Registry prometheus.Registerer
	Logger   *slog.Logger // default slog.Default()
	Now      func() time.Time
}

// Lookout is a task that looks for something and posts it. Begin starts a look, which goes on as long as it says that
// more is left.
type Lookout struct {
	Name  string // label of the metrics
	Every time.Duration
	Begin func() (look func(ctx context.Context) (more bool, err error))
}

// Look makes the Begin of a look that is done with one call.
func Look(look func(ctx context.Context) error) func() func(context.Context) (bool, error) {
	return func() func(context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) { return false, look(ctx) }
	}
}

// Worker is the service that keeps the database in order. Every server runs one;
// of those on one database the one that holds an advisory lock is the leader and
// works, and another takes over when its connection ends.
//
// All statements run on the connection that holds the lock, so a leader that
// loses the lock can't go on; only partitions and experiments use the pool,
// where two at once are harmless.
type Worker struct {
	db      *postgres.DB
	log     *slog.Logger
	now     func() time.Time
	turns   []*schedule
	metrics *metrics
	pace    pace
	loops   service.Loops
}

// pace holds the times of the scheduler, so that tests need not wait for them.
type pace struct {
	elect time.Duration // between two attempts to become the leader
	probe time.Duration // between two looks at the connection of the leader
	retry time.Duration // longest time from a failed run to the next one
	batch time.Duration // that a batch may take
	run   time.Duration // that a run may take until it counts as failed
	idle  time.Duration // after which the database ends the connection of a leader that hangs; more than batch
}

var defaultPace = pace{
	elect: 5 * time.Second, probe: 5 * time.Second, retry: time.Minute,
	batch: 30 * time.Second, run: 10 * time.Minute, idle: time.Minute,
}

// New makes the maintenance of a migrated database. Call Start to begin.
func New(db *postgres.DB, settings Settings, deps Deps) *Worker {
	if settings.Window == 0 {
		settings.Window = 7 * 24 * time.Hour
	}
	if settings.Retention == 0 {
		settings.Retention = 5 * 365 * 24 * time.Hour
	}
	if deps.Logger == nil {
		deps.Logger = slog.Default()
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	u := &Worker{db: db, log: deps.Logger, now: deps.Now, metrics: newMetrics(deps.Registry), pace: defaultPace}
	for _, t := range u.tasks(settings, deps) {
		u.turns = append(u.turns, &schedule{task: t})
	}
	return u
}

// Start begins to look for the lead. It never fails: while the database is away
// there is nothing to keep in order.
func (u *Worker) Start(context.Context) error {
	u.loops.Go(u.run)
	return nil
}

// Stop cancels what is under way and waits for its end. Every batch is a
// transaction, so nothing is left half done, and the next leader goes on.
func (u *Worker) Stop(ctx context.Context) error { return u.loops.Stop(ctx) }

// run leads whenever nobody else does, until ctx ends.
func (u *Worker) run(ctx context.Context) {
	reachable := true
	for ctx.Err() == nil {
		conn, err := u.elect(ctx)
		switch {
		case err == nil:
			reachable = true
		case reachable && ctx.Err() == nil:
			reachable = false
			u.log.Warn("maintenance waits for the database", "error", err)
		}
		if conn != nil {
			u.metrics.setLeader(true)
			u.lead(ctx, conn)
			u.metrics.setLeader(false)
			u.resign(conn)
		}
		pause(ctx, u.pace.elect)
	}
}

// lead works until ctx ends or the connection, and with it the lead, is lost.
func (u *Worker) lead(ctx context.Context, conn *pgx.Conn) {
	probed := time.Now()
	for {
		t := earliest(u.turns)
		pause(ctx, min(time.Until(t.due), u.pace.probe))
		if ctx.Err() != nil {
			return
		}
		// Not every task uses the connection.
		if time.Since(probed) >= u.pace.probe {
			u.probe(ctx, conn)
			probed = time.Now()
		}
		if !conn.IsClosed() && !t.due.After(time.Now()) {
			u.runBatch(ctx, conn, t)
		}
		if conn.IsClosed() && ctx.Err() == nil {
			u.log.Warn("maintenance lost its connection and with it the lead")
			return
		}
	}
}

// runBatch does one batch of a task and settles when its next turn is.
func (u *Worker) runBatch(ctx context.Context, conn *pgx.Conn, t *schedule) {
	began := time.Now()
	if t.next == nil {
		t.next, t.began, t.rows = t.begin(u.now()), began, 0
	}
	limited, cancel := context.WithTimeout(ctx, u.pace.batch)
	defer cancel()
	rows, more, err := t.next(limited, conn)
	ended := time.Now()
	t.rows += rows
	u.metrics.addRows(t.name, rows)
	if err == nil && more && ended.Sub(t.began) > u.pace.run {
		err = errBehind
	}
	switch {
	case err == nil && more:
		// A pause as long as the batch leaves the database at least half of its
		// time, and more of it when it is busy and batches take longer.
		t.due = ended.Add(ended.Sub(began))
		return
	case ctx.Err() != nil:
		// Stop is no failure.
	case err != nil:
		u.metrics.countFailure(t.name)
		u.log.Warn("maintenance failed", "task", t.name, "rows", t.rows, "took", ended.Sub(t.began), "error", err)
	default:
		u.metrics.noteSuccess(t.name, ended, ended.Sub(t.began))
		if t.rows > 0 {
			u.log.Debug("maintenance done", "task", t.name, "rows", t.rows, "took", ended.Sub(t.began))
		}
	}
	t.next, t.due = nil, ended.Add(t.every)
	if err != nil {
		t.due = ended.Add(min(t.every, u.pace.retry))
	}
}

// errBehind ends a run that does not come to an end: more expires than it
// removes, or the database is too slow for it.
var errBehind = errors.New("the run took too long and is not done")

// pause waits until the time has passed or ctx ends.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
