// Package liveusers counts the monthly active users of live environments, for the plans that limit them: distinct
// people of each app of a workspace, in a UTC month, who got a document or of whom an event was accepted.
//
// The count is a set in the database, so it is exact with several servers. A [Counter] remembers most of the people it
// has seen, and writes the others four times a second: a crash loses less than a second of them and a stop none. It
// asks the database as often how many there are of workspaces whose people come, so that a server goes on for less
// than a second beyond a limit that was passed on another one.
//
// A workspace whose plan sets no limit is not counted and costs nothing. Who is counted is bounded by the limit, since
// nobody comes any more once it is passed; what waits for a database that is away is bounded as well.
package liveusers

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/recent"
	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/internal/throttle"
)

const (
	// writeEvery is the pause between two writes. With the time of a write it stays well below a second, which is what
	// a crash may lose, and for how long traffic may go on beyond a limit.
	writeEvery = 250 * time.Millisecond
	// timeout bounds a write and a read of a database that does not answer.
	timeout = 10 * time.Second
	// maxWaiting is how many people wait in memory for the database, some 20 MiB; a workspace has a quarter. Whoever
	// does not fit is noted when they come again.
	maxWaiting          = 1 << 18
	maxWaitingWorkspace = maxWaiting / 4
)

// Options are the settings of a counter. The zero value is fit for a server.
type Options struct {
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Logger takes errors of the database. Nil means slog.Default().
	Logger *slog.Logger
}

// Counter counts monthly active users. It is safe for use by many goroutines.
type Counter struct {
	pool   *pgxpool.Pool
	now    func() time.Time
	logger *slog.Logger
	noted  *recent.Memory // of person, environment and month

	totals atomic.Pointer[totals]
	asked  atomic.Bool // somebody of a limited workspace came since totals were read

	mu      sync.Mutex
	waiting map[page]people
	count   int // people in waiting, and in the write under way

	writing sync.Mutex // one write at a time
	away    throttle.PerSecond
	service.Loops
}

// page is a workspace in a month.
type page struct {
	workspace uuid.UUID
	month     month
}

// people are those who wait to be written, with the day on which they came.
type people map[visitor]time.Time

// visitor is a person of an app, by the app's live environment.
type visitor struct {
	environment int64
	person      uuid.UUID
}

// totals are how many people workspaces have had in a month, as far as this server knows. They are immutable.
type totals struct {
	month  month
	people map[uuid.UUID]int64
}

// month counts UTC months from the year 0.
type month int32

func monthOf(at time.Time) month {
	at = at.UTC()
	return month(at.Year()*12 + int(at.Month()) - 1)
}

// first returns the first day of the month.
func (m month) first() time.Time {
	return time.Date(int(m)/12, time.Month(int(m)%12+1), 1, 0, 0, 0, 0, time.UTC)
}

// New makes a counter that works on the tables behind pool.
func New(pool *pgxpool.Pool, options Options) *Counter {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	c := &Counter{
		pool: pool, now: options.Now, logger: options.Logger, noted: recent.New(), waiting: map[page]people{},
	}
	c.totals.Store(&totals{})
	return c
}

// Start reads how many people there are and begins to count.
func (c *Counter) Start(ctx context.Context) error {
	if err := c.Read(ctx); err != nil {
		return err
	}
	c.Every(writeEvery, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		err := c.Write(ctx)
		if err == nil && c.asked.Swap(false) {
			err = c.Read(ctx)
		}
		if err != nil && ctx.Err() == nil && c.away.Allow(time.Now()) {
			c.logger.WarnContext(ctx, "monthly active users wait for the database", "error", err)
		}
	})
	return nil
}

// Stop ends the counting and writes what waits. Nobody may be noted any more.
func (c *Counter) Stop(ctx context.Context) error {
	if err := c.Loops.Stop(ctx); err != nil {
		return err
	}
	return c.Write(ctx)
}

// limitOf returns how many people the plan of a tenant allows. Test environments and plans without a limit have none.
func limitOf(tenant *delivery.Tenant) (limit int64, limited bool) {
	if tenant.Kind != "live" {
		return 0, false
	}
	return tenant.Plan.Limit(plan.LiveUsers)
}

// Counts tells whether the people of a tenant are counted.
func (c *Counter) Counts(tenant *delivery.Tenant) bool {
	_, limited := limitOf(tenant)
	return limited
}

// Exceeded tells whether the tenant's workspace has had more people this month than its plan allows.
func (c *Counter) Exceeded(tenant *delivery.Tenant) bool {
	limit, limited := limitOf(tenant)
	if !limited {
		return false
	}
	if !c.asked.Load() {
		c.asked.Store(true)
	}
	known := c.totals.Load()
	return known.people[tenant.WorkspaceID] > limit && known.month == monthOf(c.now())
}

// Note notes that a person of the tenant was active at a time. It never waits for the database.
func (c *Counter) Note(tenant *delivery.Tenant, appUserID string, at time.Time) {
	limit, limited := limitOf(tenant)
	if !limited {
		return
	}
	in := monthOf(at)
	mark := c.noted.Mark(appUserID, uint64(tenant.ID), uint64(in))
	if c.noted.Has(mark) {
		return
	}
	sum := sha256.Sum256([]byte(appUserID))
	p, v := page{tenant.WorkspaceID, in}, visitor{tenant.ID, uuid.UUID(sum[:16])}
	c.mu.Lock()
	defer c.mu.Unlock()
	of := c.waiting[p]
	if _, waits := of[v]; !waits {
		if c.count >= maxWaiting || len(of) >= maxWaitingWorkspace {
			return
		}
		if of == nil {
			of = people{}
			c.waiting[p] = of
		}
		of[v] = at.UTC().Truncate(24 * time.Hour)
		c.count++
	}
	c.noted.Add(mark)
	if int64(len(of)) > limit {
		c.raise(p, int64(len(of)))
	}
}

// raise notes that a workspace has at least so many people: those who wait are different ones, whether they are in the
// database or not. Without this a limit would not hold while the database is away. Its caller holds the lock.
func (c *Counter) raise(p page, people int64) {
	known := c.totals.Load()
	if known.month > p.month || known.month == p.month && known.people[p.workspace] >= people {
		return
	}
	raised := &totals{p.month, map[uuid.UUID]int64{}}
	if known.month == p.month {
		raised.people = maps.Clone(known.people)
	}
	raised.people[p.workspace] = people
	c.totals.Store(raised)
}

// Write writes who waits. Who could not be written waits on, within the bounds.
func (c *Counter) Write(ctx context.Context) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	taken := c.waiting
	c.waiting = map[page]people{}
	c.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	if err := store(ctx, c.pool, taken); err != nil {
		c.putBack(taken)
		return fmt.Errorf("store monthly active users: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range taken {
		c.count -= len(of)
	}
	return nil
}

// putBack lets those who were not written wait on with those who came meanwhile. None is left out: they are remembered
// as noted.
func (c *Counter) putBack(taken map[page]people) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p, of := range c.waiting {
		if taken[p] == nil {
			taken[p] = people{}
		}
		for v, day := range of {
			if _, waits := taken[p][v]; waits {
				c.count--
				continue
			}
			taken[p][v] = day
		}
	}
	c.waiting = taken
}

// Read asks the database how many people workspaces have had this month.
func (c *Counter) Read(ctx context.Context) error {
	now := monthOf(c.now())
	people, err := readTotals(ctx, c.pool, now)
	if err != nil {
		return fmt.Errorf("read how many monthly active users there are: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.totals.Store(&totals{now, people})
	for p, of := range c.waiting { // they came meanwhile
		c.raise(p, int64(len(of)))
	}
	return nil
}
