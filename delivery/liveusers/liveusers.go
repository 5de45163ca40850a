// Package liveusers counts the monthly active users of live environments, for the plans that limit them: distinct
// people of each app of a workspace, in a UTC month, who got a document or of whom an event was accepted.
//
// The count is a set in the database, so it is exact with several servers. A [Counter] remembers most of the people it
// has seen, and writes the others some times a second: a crash loses less than a second of them, a stop none. Whoever
// writes is alone with the month of a workspace, reads who was appended since it wrote last, and appends a row of those
// who are new. It asks the database as often how many there are of workspaces whose people come, so that a server goes
// on for less than a second beyond a limit that was passed on another one.
//
// A workspace whose plan sets no limit is not counted and costs nothing. Who is counted is bounded by the limit, since
// nobody comes any more once it is passed; what waits for a database that is away is bounded as well.
package liveusers

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/packed"
	"github.com/svc-dev/svc/internal/recent"
	"github.com/svc-dev/svc/people/privacy"
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
	packed.Writer[page, int64] // by environment
	pool                       *pgxpool.Pool
	now                        func() time.Time
	noted                      *recent.Memory // of person, environment and month

	totals atomic.Pointer[totals]
	asked  atomic.Bool // somebody of a limited workspace came since totals were read

	// months are who is in the database, of workspaces for which this server writes. Only the write under way uses them.
	months months
}

// page is a workspace in a month.
type page struct {
	workspace uuid.UUID
	month     month
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
	c := &Counter{pool: pool, now: options.Now, noted: recent.New(), months: months{}}
	c.What, c.Store, c.Logger = "monthly active users", c.store, options.Logger
	c.AfterWrite = func(ctx context.Context) error {
		if !c.asked.Swap(false) {
			return nil
		}
		return c.Read(ctx)
	}
	c.totals.Store(&totals{})
	return c
}

// Start reads how many people there are and begins to count.
func (c *Counter) Start(ctx context.Context) error {
	if err := c.Read(ctx); err != nil {
		return err
	}
	return c.Writer.Start(ctx)
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
	p, person := page{tenant.WorkspaceID, in}, privacy.Person(appUserID)
	c.Update(p, func(of *packed.Waiting[int64]) {
		if !of.Add(tenant.ID, person, int32(at.Unix()/(24*60*60))) {
			return // they are noted when they come again
		}
		c.noted.Add(mark)
		if int64(of.People) > limit {
			c.raise(p, int64(of.People))
		}
	})
}

// raise notes that a workspace has at least so many people: those who wait are different ones, whether they are in the
// database or not. Without this a limit would not hold while the database is away. What waits doesn't change meanwhile.
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

// Read asks the database how many people workspaces have had this month.
func (c *Counter) Read(ctx context.Context) error {
	now := monthOf(c.now())
	people, err := readTotals(ctx, c.pool, now)
	if err != nil {
		return fmt.Errorf("read how many monthly active users there are: %w", err)
	}
	c.View(func(waiting map[page]*packed.Waiting[int64]) {
		c.totals.Store(&totals{now, people})
		for p, of := range waiting { // they came meanwhile
			c.raise(p, int64(of.People))
		}
	})
	return nil
}
