package automation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/svc-dev/svc/automation/webhook"
	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/postgres"
)

// Options are the settings of Automations.
type Options struct {
	// Sender sends webhooks; required.
	Sender *webhook.Sender
	// Ring encrypts the secrets of endpoints; required.
	Ring *seal.Ring
	// EntriesPerDay bounds what enters by itself in an environment on a UTC day; 0 means DefaultEntriesPerDay.
	EntriesPerDay int
	// Mail is how email is sent; nil means not at all.
	Mail *MailOptions
	// LeaveJobs makes this server insert jobs and leave them to others, which don't.
	LeaveJobs bool

	Logger *slog.Logger     // nil means slog.Default()
	Now    func() time.Time // nil means time.Now
}

// Automations keeps, runs and explains the automations of a database. Several
// servers may work on one.
type Automations struct {
	db       *postgres.DB
	sender   *webhook.Sender
	ring     *seal.Ring
	log      *slog.Logger
	now      func() time.Time
	leaves   bool // jobs to other servers
	registry *registry
	intake   *intake
	river    *river.Client[pgx.Tx]
	// owner is this process in the jobs that it inserts: jobs are unique by what
	// they work on and by owner, so that those of a process that was killed don't
	// keep others from going on.
	owner   string
	working atomic.Bool // River works
	// senders, advancers and mailers are the places of the queues.
	senders, advancers, mailers *turns
	mail                        *MailOptions // nil on a server that sends no email
	stopping                    chan struct{}
	loops                       service.Loops
}

const (
	// lookEvery is how often a server looks for changes and for what is due.
	lookEvery = time.Second
	// jobTime is how long a job sends before it makes room for others, advanceTime how long one advances enrolments.
	jobTime     = 20 * time.Second
	advanceTime = 2 * time.Second
	// jobTimeout is when a job counts as stuck: after its time it may be in the middle of an attempt.
	jobTimeout = jobTime + 2*webhook.DefaultTimeout
	// endpointsAtOnce is how many endpoints a server sends to at the same time: half as many of one workspace.
	endpointsAtOnce = 100
	// wakeAtOnce is how many endpoints a transaction wakes; the others are found within lookEvery, turn by turn.
	wakeAtOnce = 8
	// environmentsAtOnce is how many environments a server advances at the same time.
	environmentsAtOnce = 4
)

// New makes Automations on a migrated database. Start begins to work.
func New(db *postgres.DB, options Options) (*Automations, error) {
	a := &Automations{
		db: db, sender: options.Sender, ring: options.Ring, log: options.Logger, now: options.Now,
		leaves:   options.LeaveJobs,
		registry: newRegistry(db.Pool), intake: newIntake(options.EntriesPerDay), owner: uuid.NewString(),
		senders: newTurns(endpointsAtOnce), advancers: newTurns(environmentsAtOnce),
		mailers: newTurns(mailersAtOnce), mail: options.Mail, stopping: make(chan struct{}),
	}
	if a.log == nil {
		a.log = slog.Default()
	}
	if a.now == nil {
		a.now = time.Now
	}
	if a.mail != nil && a.mail.PerDay == 0 {
		a.mail.PerDay = 1000
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &advanceWorker{automations: a})
	river.AddWorker(workers, &deliverWorker{automations: a})
	queues := map[string]river.QueueConfig{
		advanceQueue: {MaxWorkers: environmentsAtOnce}, deliverQueue: {MaxWorkers: endpointsAtOnce},
	}
	if a.mail != nil {
		river.AddWorker(workers, &mailWorker{automations: a})
		queues[mailQueue] = river.QueueConfig{MaxWorkers: mailersAtOnce}
	}
	client, err := river.NewClient(deaf{riverpgxv5.New(db.Pool)}, &river.Config{
		Schema:  postgres.RiverSchema,
		Workers: workers,
		Queues:  queues,
		// Jobs announce themselves and can be made again from the rows that they work
		// on at any time: nothing is polled for often or kept for long.
		FetchPollInterval:           10 * time.Second,
		CompletedJobRetentionPeriod: 5 * time.Minute,
		CancelledJobRetentionPeriod: 5 * time.Minute,
		DiscardedJobRetentionPeriod: time.Hour,
		JobTimeout:                  jobTimeout,
		RescueStuckJobsAfter:        2 * jobTimeout,
		SoftStopTimeout:             webhook.DefaultTimeout,
		Logger:                      slog.New(quiet{a.log.Handler()}),
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the jobs of automations: %w", err)
	}
	a.river = client
	return a, nil
}

// deaf is a driver that listens to no notifications: every login of the database may send them, and River does
// what they say, such as to pause a queue. Jobs begin when [Automations.look] inserts them, which it does again
// and again while there is something due.
type deaf struct{ *riverpgxv5.Driver }

func (deaf) SupportsListener() bool { return false }

// quiet leaves out what River says of its ordinary work.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}

// Start encrypts secrets with the current key that are not, reads the automations and begins to look for what is due.
func (a *Automations) Start(ctx context.Context) error {
	anew, err := a.ring.Anew(ctx, a.db.Pool, secretTable)
	if err != nil {
		return err
	}
	if anew > 0 {
		a.log.Info("secrets of webhook endpoints are encrypted with another key", "key", a.ring.Current(), "secrets", anew)
	}
	if err := a.registry.refresh(ctx); err != nil {
		return err
	}
	a.loops.Every(lookEvery, a.look)
	return nil
}

// Stop lets jobs finish what they are at and returns when they have, or when
// ctx ends. What is left undone goes on when a server starts.
func (a *Automations) Stop(ctx context.Context) error {
	select {
	case <-a.stopping:
	default:
		close(a.stopping)
	}
	err := a.loops.Stop(ctx)
	if a.working.Load() {
		err = errors.Join(err, a.river.Stop(ctx))
	}
	a.sender.Close()
	return err
}

// Refresh makes this server know the automations as they are now.
func (a *Automations) Refresh(ctx context.Context) error { return a.registry.refresh(ctx) }

// look follows changes and makes jobs for what is due. River starts to work with
// the first thing there is to do: a server without automations has nothing of it.
func (a *Automations) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := a.lookOnce(ctx); err != nil && ctx.Err() == nil {
		a.log.Warn("looking for what automations have to do failed", "error", err)
	}
}

func (a *Automations) lookOnce(ctx context.Context) error {
	if err := a.registry.refresh(ctx); err != nil {
		return err
	}
	if err := a.writeIntake(ctx); err != nil || a.leaves {
		return err
	}
	jobs, err := a.due(ctx)
	if err != nil {
		return err
	}
	mails, err := a.dueMail(ctx)
	jobs = append(jobs, mails...)
	if err != nil || len(jobs) == 0 && (a.working.Load() || len(a.registry.snapshot.Load().environments) == 0) {
		return err
	}
	if !a.working.Load() {
		// Stop ends it: the context of a look does not.
		if err := a.river.Start(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("start the jobs of automations: %w", err)
		}
		a.working.Store(true)
	}
	if len(jobs) == 0 {
		return nil
	}
	_, err = a.river.InsertMany(ctx, jobs)
	return err
}

// due returns jobs for the environments and endpoints with something to do: for each workspace those whose turn comes
// next, so that the jobs of none stand before all those of another.
func (a *Automations) due(ctx context.Context) ([]river.InsertManyParams, error) {
	var jobs []river.InsertManyParams
	rows, err := a.db.Pool.Query(ctx, `
		with work as (
			select e.environment_id, null::uuid as endpoint, (
				select min(n.due_at) from automation_enrolment n
				where n.environment_id = e.environment_id and n.due_at <= now()) as since
			from (select distinct environment_id from automation where state = 'active') e
			union all
			select p.environment_id, p.id, coalesce(p.tried_at, '-infinity') from webhook_endpoint p where exists (
				select from webhook_delivery d
				where d.endpoint_id = p.id and d.state = 'pending' and d.next_attempt_at <= now())
		), in_turn as (
			select w.environment_id, w.endpoint, row_number() over (
				partition by o.workspace_id, w.endpoint is null order by w.since, w.environment_id, w.endpoint) as turn
			from work w join environments e on e.id = w.environment_id join apps o on o.id = e.app_id
			where w.since is not null and o.archived_at is null
		)
		select environment_id, endpoint from in_turn
		where turn <= case when endpoint is null then $1::int else $2::int end order by turn`,
		a.advancers.most(), a.senders.most())
	if err != nil {
		return nil, err
	}
	var environment int64
	var endpoint *uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&environment, &endpoint}, func() error {
		if endpoint == nil {
			jobs = append(jobs, river.InsertManyParams{Args: advanceArgs{environment, a.owner}})
		} else {
			jobs = append(jobs, river.InsertManyParams{Args: deliverArgs{*endpoint, a.owner}})
		}
		return nil
	})
	return jobs, err
}

// wakeIn inserts a job for the enrolments of an environment in a transaction that gave them something to do.
func (a *Automations) wakeIn(ctx context.Context, tx pgx.Tx, environment int64) error {
	if _, err := a.river.InsertTx(ctx, tx, advanceArgs{environment, a.owner}, nil); err != nil {
		return fmt.Errorf("insert a job: %w", err)
	}
	return nil
}

const (
	advanceQueue = "automation_advance"
	deliverQueue = "webhook_deliver"
	mailQueue    = "automation_mail"
)

// insertOpts are those of a job that is one among those that wait or run, and is
// made again from its rows when it fails.
func insertOpts(queue string) river.InsertOpts {
	return river.InsertOpts{
		Queue: queue, MaxAttempts: 1,
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateScheduled,
		}},
	}
}

// drain calls work until it says that nothing is left, the time limit is over or the server stops.
func (a *Automations) drain(
	ctx context.Context, limit time.Duration, work func(ctx context.Context) (more bool, err error),
) error {
	ends := time.Now().Add(limit)
	for {
		more, err := work(ctx)
		if err != nil || !more {
			return err
		}
		select {
		case <-a.stopping:
			return river.JobSnooze(0)
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if time.Now().After(ends) {
			return river.JobSnooze(0)
		}
	}
}

type entryKey struct {
	environment int64
	automation  uuid.UUID
	appUserID   string
	key         string
}
