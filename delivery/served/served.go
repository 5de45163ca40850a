// Package served counts the people whom resolve gave an arm of an experiment (flow-analytics.md §6): exactly, at most
// one row a person and arm, and for next to nothing a request.
//
// A [Counter] notes people in memory and writes them four times a second, so that a crash loses less than a second of
// them and a stop none. A stranger with the public key can invent people, so everything here is bounded: what is
// remembered, what waits for a database that is away, and how many new people an environment has a day. Whoever is
// beyond a bound is counted as left out.
package served

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/recent"
	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/internal/throttle"
	"github.com/svc-dev/svc/privacy"
)

const (
	// writeEvery is the pause between two writes. With the time of a write it stays well below a second, which is what
	// a crash may lose.
	writeEvery = 250 * time.Millisecond
	// writeTimeout bounds a write to a database that does not answer.
	writeTimeout = 10 * time.Second
	// maxWaiting is how many people wait in memory for the database, about 12 MiB; an environment has a quarter.
	maxWaiting            = 1 << 18
	maxWaitingEnvironment = maxWaiting / 4
	// PeoplePerDay is how many new people of all its experiments an environment notes a day by default.
	PeoplePerDay = 1_000_000
)

// Options are the settings of a counter. The zero value is fit for a server.
type Options struct {
	// PeoplePerDay is how many new people and arms an environment notes on a UTC day, on all servers together. Zero
	// means [PeoplePerDay].
	PeoplePerDay int
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Logger takes errors of writing. Nil means slog.Default().
	Logger *slog.Logger
}

// Counter notes whom resolve gave an arm. It is safe for use by many goroutines.
type Counter struct {
	pool    *pgxpool.Pool
	options Options
	// recent has who was noted, of person, arm and day. Whoever falls out of it is written again, which changes nothing.
	recent *recent.Memory
	// full is set while somebody found no room among those who wait, until a write makes some.
	full atomic.Bool
	// today is the day of marks as of the last write: asking the clock costs more than all else that is done for
	// somebody who is remembered.
	today atomic.Int32

	mu      sync.Mutex
	waiting map[page]*entries
	count   int            // people in waiting
	noted   map[page]int64 // people of today whom the database has, of environments that noted anybody

	writing sync.Mutex // one write at a time
	away    throttle.PerSecond
	service.Loops
}

// page is an environment on a day. Days are counted from 1970.
type page struct {
	environment int64
	day         int32
}

// entries are what is noted and not written yet.
type entries struct {
	people  []entry
	leftOut int64
}

// entry is a person who got an arm.
type entry struct {
	experiment uuid.UUID
	person     uuid.UUID
	arm        int16
	mark       recent.Mark
}

// New makes a counter that writes through pool.
func New(pool *pgxpool.Pool, options Options) *Counter {
	if options.PeoplePerDay == 0 {
		options.PeoplePerDay = PeoplePerDay
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	c := &Counter{
		pool: pool, options: options, recent: recent.New(), waiting: map[page]*entries{}, noted: map[page]int64{},
	}
	c.today.Store(c.day())
	return c
}

// day returns the UTC day, counted from 1970.
func (c *Counter) day() int32 { return int32(c.options.Now().Unix() / (24 * 60 * 60)) }

// Start begins to write.
func (c *Counter) Start(context.Context) error {
	c.Every(writeEvery, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, writeTimeout)
		defer cancel()
		if err := c.Write(ctx); err != nil && ctx.Err() == nil && c.away.Allow(time.Now()) {
			c.options.Logger.WarnContext(ctx, "people who were served an experiment wait for the database", "error", err)
		}
	})
	return nil
}

// Stop ends the writing and writes what waits. Nobody may be noted any more.
func (c *Counter) Stop(ctx context.Context) error {
	if err := c.Loops.Stop(ctx); err != nil {
		return err
	}
	return c.Write(ctx)
}

// Note notes that resolve gave an arm to a person. It never waits for the database.
func (c *Counter) Note(arm *delivery.Arm, appUserID string) {
	mark := c.mark(arm, appUserID, c.today.Load())
	if c.recent.Has(mark) {
		return
	}
	// Somebody for whom there was no room counts as left out once, and is noted when they come again and there is.
	missed := c.mark(arm, appUserID, -c.today.Load())
	if c.full.Load() && c.recent.Has(missed) {
		return
	}
	e := entry{arm.ExperimentID, privacy.Person(appUserID), int16(arm.Position), mark}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.recent.Has(mark) {
		return
	}
	p := page{arm.EnvironmentID, c.day()}
	of := c.waiting[p]
	if of == nil {
		of = &entries{}
		c.waiting[p] = of
	}
	switch {
	case c.noted[p]+int64(len(of.people)) >= int64(c.options.PeoplePerDay):
		of.leftOut++
	case c.count >= maxWaiting, len(of.people) >= maxWaitingEnvironment:
		if c.full.Store(true); !c.recent.Has(missed) {
			of.leftOut++
			c.recent.Add(missed)
		}
		return // there is room again once the database is back
	default:
		of.people = append(of.people, e)
		c.count++
	}
	c.recent.Add(mark)
}

// mark returns what stands for a person, an arm and a day, which is negative for somebody who was left out on it.
func (c *Counter) mark(arm *delivery.Arm, appUserID string, day int32) recent.Mark {
	id := &arm.ExperimentID
	return c.recent.Mark(appUserID, binary.LittleEndian.Uint64(id[:8]), binary.LittleEndian.Uint64(id[8:]),
		uint64(arm.Position)<<32|uint64(uint32(day)))
}

// Write writes what waits. What could not be written waits on, within the bounds.
func (c *Counter) Write(ctx context.Context) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	today := c.day()
	c.today.Store(today)
	c.mu.Lock()
	taken := c.waiting
	c.waiting, c.count = map[page]*entries{}, 0
	c.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	noted, err := store(ctx, c.pool, taken, c.options.PeoplePerDay)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.putBack(taken)
		return fmt.Errorf("store whom experiments were served to: %w", err)
	}
	c.full.Store(false)
	for p := range c.noted {
		if p.day < today {
			delete(c.noted, p)
		}
	}
	for p, people := range noted {
		c.noted[p] = people
	}
	return nil
}

// putBack lets what was not written wait on, before what came meanwhile.
func (c *Counter) putBack(taken map[page]*entries) {
	for p, old := range taken {
		if since := c.waiting[p]; since != nil {
			old.leftOut += since.leftOut
			room := max(0, maxWaitingEnvironment-len(old.people))
			kept := since.people[:min(room, len(since.people))]
			c.miss(since.people[len(kept):])
			old.leftOut += int64(len(since.people) - len(kept))
			old.people = append(old.people, kept...)
		}
		c.waiting[p] = old
	}
	c.count = 0
	for _, of := range c.waiting {
		c.count += len(of.people)
	}
}

// miss lets people be noted again who were and found no room after all.
func (c *Counter) miss(people []entry) {
	for i := range people {
		c.recent.Remove(people[i].mark)
	}
}
