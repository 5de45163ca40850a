// Package sticky remembers who got which arm of experiments that are split by custom user id, so that a person who
// signs in keeps, on all devices, the arm that was served first.
//
// A device that nobody signed in on has the arm of its own bucket. The first custom user id on it takes that arm over,
// unless it has one, and the device is theirs from then on: it counts as them, and serves their arm when they sign out.
// A custom user id that comes first on a new device, or on one that is somebody else's, has the arm of its own bucket.
//
// A [Keeper] asks the database once for a device and a custom user id and has the answer in memory afterwards. A
// stranger with the public key can invent ids, so an environment remembers a number of new ones a day. Whoever is
// beyond it, or comes while the database is away, has the arm of their bucket and is not remembered: results leave them
// out.
package sticky

import (
	"context"
	"encoding/binary"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/recent"
	"github.com/svc-dev/svc/internal/throttle"
	"github.com/svc-dev/svc/internal/turns"
	"github.com/svc-dev/svc/people/privacy"
)

// UnitsPerDay is how many new devices and custom user ids of all its experiments an environment remembers a day by
// default: some 200 MB.
const UnitsPerDay = 1_000_000

const (
	// remembered is how many answers a server has in memory: some 50 MB.
	remembered = 1 << 18
	// again is how long an answer counts that may change: that of a device which nobody signed in on yet, and of one
	// that is not remembered.
	again = time.Minute
	// patience is how long a resolve waits for the database.
	patience = 300 * time.Millisecond
	// rest is how long the database is not asked after it failed.
	rest = time.Second
	// asking is how many resolves ask the database at once, half of them of one environment: whoever invents ids holds
	// no more of its connections.
	asking = 8
)

// Options are the settings of a keeper. The zero value is fit for a server.
type Options struct {
	// UnitsPerDay is how many new ids an environment remembers on a UTC day, about: servers count each other's once a
	// minute. Zero means [UnitsPerDay].
	UnitsPerDay int
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Logger takes errors of the database. Nil means slog.Default().
	Logger *slog.Logger
}

// Keeper chooses arms. It is safe for use by many goroutines.
type Keeper struct {
	pool    *pgxpool.Pool
	options Options
	known   *lru.Cache[key, answer]
	leftOut *recent.Memory
	asking  *turns.Turns[int64] // by environment
	away    atomic.Int64        // until when the database is not asked, Unix nanoseconds
	logged  throttle.PerSecond

	mu   sync.Mutex
	days map[int64]*day // by environment
}

// key is a question: custom is zero when nobody is signed in.
type key struct{ experiment, device, custom uuid.UUID }

type answer struct {
	arm   int16
	until int64 // Unix nanoseconds; 0 of one that can't change
}

// New makes a keeper that remembers through pool.
func New(pool *pgxpool.Pool, options Options) *Keeper {
	if options.UnitsPerDay == 0 {
		options.UnitsPerDay = UnitsPerDay
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	known, err := lru.New[key, answer](remembered)
	if err != nil {
		panic(err) // the size is positive
	}
	return &Keeper{
		pool: pool, options: options, known: known, leftOut: recent.New(), days: map[int64]*day{},
		asking: turns.New[int64](asking, turns.Half(asking)),
	}
}

// Choose returns the place of the arm that a person gets; −1 when the experiment has none. customUserID is "" when
// nobody is signed in, or when it is not believed.
func (k *Keeper) Choose(ctx context.Context, of *delivery.Split, appUserID, customUserID string) int {
	ask := question{Split: of, device: privacy.Person(appUserID), bucket: of.Bucket(appUserID)}
	if customUserID != "" {
		ask.custom, ask.signedIn, ask.bucket = privacy.Person(customUserID), true, of.Bucket(customUserID)
	}
	if ask.bucket < 0 {
		return ask.bucket
	}
	now := k.options.Now()
	if known, ok := k.known.Get(ask.key()); ok && (known.until == 0 || now.UnixNano() < known.until) {
		return int(known.arm)
	}
	if now.UnixNano() < k.away.Load() {
		return ask.bucket
	}
	// A client that leaves says nothing of the database.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	end, err := k.asking.Take(ctx, of.EnvironmentID)
	if err != nil { // too many ask at once, which says nothing of the database
		return ask.bucket
	}
	found, err := k.find(ctx, &ask, now)
	end()
	if err != nil {
		k.away.Store(k.options.Now().Add(rest).UnixNano())
		if k.logged.Allow(now) {
			k.options.Logger.WarnContext(ctx, "the arm that a person keeps could not be looked up", "error", err)
		}
		return ask.bucket
	}
	if found.arm < 0 || found.arm >= of.Arms() { // of an experiment that was changed by hand
		return ask.bucket
	}
	known := answer{arm: int16(found.arm)}
	if !found.final {
		known.until = now.Add(again).UnixNano()
	}
	k.known.Add(ask.key(), known)
	if ask.signedIn { // the device may serve another arm from now on
		k.known.Remove(key{of.ExperimentID, ask.device, uuid.UUID{}})
	}
	return found.arm
}

// find looks for the arm, and remembers it when it is new and there is room.
func (k *Keeper) find(ctx context.Context, ask *question, now time.Time) (found, error) {
	known, err := ask.read(ctx, k.pool)
	if err != nil || !known.isNew {
		return known, err
	}
	date := dateOf(now)
	if !k.hasRoom(ctx, ask.EnvironmentID, date) {
		k.leaveOut(ask, date)
		return known, nil
	}
	added, known, err := ask.add(ctx, k.pool, known, date)
	k.note(ask.EnvironmentID, date, added)
	return known, err
}

// leaveOut counts a person for whom there was no room, once a day.
func (k *Keeper) leaveOut(ask *question, date time.Time) {
	id := &ask.ExperimentID
	mark := k.leftOut.Mark(string(ask.device[:]), binary.LittleEndian.Uint64(id[:8]),
		binary.LittleEndian.Uint64(id[8:]), uint64(date.Unix()))
	if k.leftOut.Has(mark) {
		return
	}
	k.leftOut.Add(mark)
	k.mu.Lock()
	defer k.mu.Unlock()
	if d := k.days[ask.EnvironmentID]; d != nil {
		d.leftOut++
	}
}

func (q *question) key() key { return key{q.ExperimentID, q.device, q.custom} }

func dateOf(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }
