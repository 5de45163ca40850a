// Package served counts the people whom resolve gave an arm of an experiment (flow-analytics.md §6), exactly and for
// next to nothing a request.
//
// A [Counter] notes people in memory and appends them to the database some times a second, packed: a crash loses less
// than a second of them, a stop none. It does not ask whether they are there already: of people who came to two
// servers, or before and after a restart, the database has two. [Count] counts each once, and [Merge] leaves one.
//
// A stranger with the public key can invent people, so everything here is bounded: what is remembered, what waits for a
// database that is away, and how many new people an environment has a day. Whoever is beyond a bound is counted as left
// out.
package served

import (
	"context"
	"encoding/binary"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/packed"
	"github.com/svc-dev/svc/internal/recent"
	"github.com/svc-dev/svc/people/privacy"
)

// PeoplePerDay is how many new people of all its experiments an environment notes a day by default: 64 MB.
const PeoplePerDay = 4_000_000

// Options are the settings of a counter. The zero value is fit for a server.
type Options struct {
	// PeoplePerDay is how many new people and arms an environment notes on a UTC day, on all servers together. Whoever
	// came to two of them counts twice until they are merged. Zero means [PeoplePerDay].
	PeoplePerDay int
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Logger takes errors of writing. Nil means slog.Default().
	Logger *slog.Logger
}

// Counter notes whom resolve gave an arm. It is safe for use by many goroutines.
type Counter struct {
	packed.Writer[page, arm]
	pool    *pgxpool.Pool
	options Options
	// recent has who was noted, of person and arm, and who was left out, of person, arm and day. Whoever falls out of it
	// is written again, which changes nothing.
	recent *recent.Memory
	// full is set while somebody found no room among those who wait, until a write makes some.
	full atomic.Bool
	// stored are how many people of today the database has, of environments that noted anybody. It is not changed.
	stored atomic.Pointer[map[page]int64]
}

// page is an environment on a day. Days are counted from 1970.
type page struct {
	environment int64
	day         int32
}

// arm is an arm of an experiment.
type arm struct {
	experiment uuid.UUID
	position   int16
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
	c := &Counter{pool: pool, options: options, recent: recent.New()}
	c.stored.Store(&map[page]int64{})
	c.What, c.Store, c.Logger = "people who were served an experiment", c.store, options.Logger
	return c
}

// day returns the UTC day, counted from 1970.
func (c *Counter) day() int32 { return int32(c.options.Now().Unix() / (24 * 60 * 60)) }

// Note notes that resolve gave an arm to a person. It never waits for the database.
func (c *Counter) Note(given *delivery.Arm, appUserID string) {
	mark := c.mark(given, appUserID, 0)
	if c.recent.Has(mark) {
		return
	}
	// Somebody for whom there was no room counts as left out once a day, and is noted when they come again and there is.
	today := c.day()
	missed := c.mark(given, appUserID, today)
	if c.full.Load() && c.recent.Has(missed) {
		return
	}
	p, person := page{given.EnvironmentID, today}, privacy.Person(appUserID)
	c.Update(p, func(of *packed.Waiting[arm]) {
		room := (*c.stored.Load())[p]+int64(of.People) < int64(c.options.PeoplePerDay)
		if room && of.Add(arm{given.ExperimentID, int16(given.Position)}, person, today) {
			c.recent.Add(mark)
			return
		}
		if room {
			c.full.Store(true) // there is room again once the database is back
		}
		if !c.recent.Has(missed) {
			of.LeftOut++
			c.recent.Add(missed)
		}
	})
}

// mark returns what stands for a person and an arm, and for the day on which they were left out unless that is 0.
func (c *Counter) mark(given *delivery.Arm, appUserID string, day int32) recent.Mark {
	id := &given.ExperimentID
	return c.recent.Mark(appUserID, binary.LittleEndian.Uint64(id[:8]), binary.LittleEndian.Uint64(id[8:]),
		uint64(given.Position)<<32|uint64(uint32(day)))
}

// store writes who waits, and remembers how many people of today there are.
func (c *Counter) store(ctx context.Context, waiting map[page]*packed.Waiting[arm]) error {
	people, err := store(ctx, c.pool, waiting, int64(c.options.PeoplePerDay))
	if err != nil {
		return err
	}
	today := c.day()
	for p, n := range *c.stored.Load() {
		if _, known := people[p]; !known && p.day >= today {
			people[p] = n
		}
	}
	c.stored.Store(&people)
	c.full.Store(false)
	return nil
}
