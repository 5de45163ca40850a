package runlog

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest/simulate"
)

const (
	// recordedTime is how long the newest runs are looked for; those that were found until then count.
	recordedTime = 10 * time.Second
	// maxVisits is how many visits of a run are taken, the last ones.
	maxVisits = 1_000
	// maxRecorded bounds the memory of what is read, in bytes: of more, the newest runs are kept.
	maxRecorded = 400 << 20
	// shares is how many connections read at once, each a share of the rows: PostgreSQL unpacks the hits of a row while it
	// sends them, which takes it as long as counting them takes here.
	shares = 2
)

// Recorded are the newest runs of a flow, as a simulation takes them.
type Recorded struct {
	*simulate.Runs
	Versions    []session.Key // that the runs were made in; a run's Version is a place in it
	First, Last time.Time     // starts of the oldest and the newest run; zero without any
	Complete    bool          // false when reading reached its bound before it had as many runs as were asked for
}

// Recorded reads the newest runs that are over: completed, abandoned, or without an event for lapse. A run that came to
// no step is left out. Typed are the fields whose typed answers are read: those of others stay unread.
func (r *Reader) Recorded(
	ctx context.Context, db beginner, limit int, typed map[string]bool, now time.Time, lapse time.Duration,
) (*Recorded, error) {
	g := newGathering(limit)
	reading, together := errgroup.WithContext(ctx)
	for share := range shares {
		reading.Go(func() error {
			defer g.leave(share)
			return pgx.BeginTxFunc(together, db, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
				of := *r
				of.DB = tx
				return newRecorder(&of, g, share, typed, now, lapse).read(together, tx)
			})
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	found := g.finish()
	return found, r.readTyped(ctx, found)
}

// gathering is what the readers of shares put together. They read days in one order, newest first, and none begins a
// day before all have read those after it: then it is known whether the day is needed.
type gathering struct {
	limit int
	began time.Time

	mu       sync.Mutex
	moved    *sync.Cond
	at       [shares]time.Time // the day that each reads; the zero time once it has ended
	runs     map[time.Time]int // found so far, by day
	found    *Recorded
	versions map[session.Key]int // places in those of found
	full     bool                // the bound of memory was reached
	late     bool                // the bound of time was
}

func newGathering(limit int) *gathering {
	g := &gathering{
		limit: limit, began: time.Now(), runs: map[time.Time]int{}, versions: map[session.Key]int{},
		found: &Recorded{Runs: simulate.NewRuns()},
	}
	g.moved = sync.NewCond(&g.mu)
	g.found.Expect(limit)
	for i := range g.at {
		g.at[i] = time.Unix(1<<40, 0) // after all days
	}
	return g
}

// enter waits until all days after one are read, and tells whether that one is needed.
func (g *gathering) enter(share int, day time.Time) (needed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at[share] = day
	g.moved.Broadcast()
	for slices.ContainsFunc(g.at[:], func(other time.Time) bool { return other.After(day) }) {
		g.moved.Wait()
	}
	after := 0
	for of, runs := range g.runs {
		if of.After(day) {
			after += runs
		}
	}
	return after < g.limit
}

// leave says that a share is read, or not read on.
func (g *gathering) leave(share int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at[share] = time.Time{}
	g.moved.Broadcast()
}

// add takes runs of a day, and tells whether there is time and room for more.
func (g *gathering) add(day time.Time, runs *simulate.Runs) (more bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.full {
		return false
	}
	g.found.Append(runs)
	g.runs[day] += runs.Len()
	if g.found.Len() >= 2*g.limit || g.found.Bytes() > maxRecorded {
		g.found.Keep(g.limit)
		g.full = g.found.Bytes() > maxRecorded
	}
	g.late = g.late || time.Since(g.began) > recordedTime
	return !g.full && !g.late
}

// name returns what a simulation calls a text.
func (g *gathering) name(text string) simulate.Name {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.found.Name(text)
}

// version returns the place of a version among those of the runs.
func (g *gathering) version(key session.Key) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	at, known := g.versions[key]
	if !known {
		at = len(g.found.Versions)
		g.versions[key] = at
		g.found.Versions = append(g.found.Versions, key)
	}
	return at
}

func (g *gathering) finish() *Recorded {
	found := g.found
	found.Complete = !g.full && (!g.late || found.Len() >= g.limit)
	found.Keep(g.limit)
	if first, last := found.Span(); found.Len() > 0 {
		found.First, found.Last = time.UnixMilli(first).UTC(), time.UnixMilli(last).UTC()
	}
	return found
}
