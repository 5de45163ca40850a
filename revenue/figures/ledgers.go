package figures

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/internal/turns"
	"github.com/svc-dev/svc/postgres"
)

// Settings of Ledgers. The zero value of a field is its default.
type Settings struct {
	// Budget is the bytes that ledgers may take together; default 256 MiB. A quarter is for reading by portions.
	Budget int64
	Idle   time.Duration // how long an environment stays that nobody asks for, or that is large; default 30 min
}

// Ledgers keeps the ledgers, and the periods of subscriptions, of environments that figures are asked for in memory.
// They are a cache: every figure first brings its environment up to what is committed. It may be used by several
// goroutines.
type Ledgers struct {
	pool     *pgxpool.Pool
	reader   *postgres.Reader
	settings Settings
	loading  *turns.Turns[uuid.UUID] // of workspaces; held while an environment is read whole or in portions
	portion  int64                   // bytes of which a portion is; the customer with whom it reaches them is in it

	mu       sync.Mutex // of what follows; held for moments only
	replicas map[int64]*replica
	large    map[int64]time.Time // environments that the budget did not allow, and when
	waiting  []*question         // that are to be asked by portions
}

// NewLedgers makes Ledgers on the pool.
func NewLedgers(pool *pgxpool.Pool, settings Settings) *Ledgers {
	if settings.Budget <= 0 {
		settings.Budget = 256 << 20
	}
	if settings.Idle <= 0 {
		settings.Idle = 30 * time.Minute
	}
	return &Ledgers{
		pool: pool, reader: postgres.NewReader(pool), settings: settings,
		loading: turns.New[uuid.UUID](1, 1), portion: settings.Budget / portionShare / 2,
		replicas: map[int64]*replica{}, large: map[int64]time.Time{},
	}
}

// Reader returns a reader of a resolved scope at a time.
func (l *Ledgers) Reader(scope Scope, now time.Time) *Reader {
	return &Reader{ledgers: l, scope: scope, now: now}
}

// Bytes returns the memory of what is held.
func (l *Ledgers) Bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes()
}

func (l *Ledgers) bytes() (all int64) {
	for _, r := range l.replicas {
		all += r.bytes.Load()
	}
	return all
}

// open returns an environment as it is committed, with what is needed of it. It can't change until its mu is unlocked
// for reading. The error is errLarge when the budget does not allow it.
func (l *Ledgers) open(ctx context.Context, environment int64, n needs) (*replica, error) {
	r := l.replica(environment)
	select {
	case r.following <- struct{}{}:
		defer func() { <-r.following }()
	case <-ctx.Done():
		return nil, unavailable(ctx.Err())
	}
	if l.isLarge(environment) {
		l.forget(r)
		return nil, errLarge
	}
	if !r.canFollow(time.Now()) {
		if err := l.load(ctx, r); err != nil {
			l.forget(r)
			return nil, err
		}
	} else if err := r.follow(ctx, l.reader); err != nil {
		return nil, unavailable(err)
	}
	if n.touches {
		if err := r.readTouches(ctx, l.pool); err != nil {
			return nil, unavailable(err)
		}
	}
	if n.window > 0 {
		if err := r.readPasses(ctx, l.pool); err != nil {
			return nil, unavailable(err)
		}
		r.findOrigins(n.window)
	}
	if err := l.makeRoom(r); err != nil {
		return nil, err
	}
	r.mu.RLock()
	return r, nil
}

// turn waits for the turn of an environment's workspace to be read, whole or in portions.
func (l *Ledgers) turn(ctx context.Context, environment int64) (leave func(), err error) {
	workspace, err := postgres.WorkspaceOf(ctx, l.pool, environment)
	if err != nil {
		return nil, err
	}
	return l.loading.Take(ctx, workspace)
}

// load reads an environment whole. One is read at a time, so that the memory of reading is bounded too.
func (l *Ledgers) load(ctx context.Context, r *replica) error {
	leave, err := l.turn(ctx, r.environment)
	if err != nil {
		return unavailable(err)
	}
	defer leave()
	var full error
	err = r.load(postgres.ForAll(ctx), l.pool, func() error {
		full = l.makeRoom(r)
		return full
	})
	switch {
	case full != nil:
		return full
	case err != nil:
		return unavailable(err)
	}
	return nil
}

func unavailable(err error) error {
	return fmt.Errorf("%w: read the ledger: %w", analytics.ErrUnavailable, err)
}

// replica returns the copy of an environment, empty when there was none, and lets go of those that nobody asked for.
func (l *Ledgers) replica(environment int64) *replica {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for id, r := range l.replicas {
		if id != environment && now.Sub(r.used) > l.settings.Idle {
			delete(l.replicas, id)
		}
	}
	r := l.replicas[environment]
	if r == nil {
		r = newReplica(environment)
		l.replicas[environment] = r
	}
	r.used = now
	return r
}

// isLarge tells whether the budget did not allow an environment a while ago.
func (l *Ledgers) isLarge(environment int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, known := l.large[environment]
	if known && time.Since(found) > l.settings.Idle {
		delete(l.large, environment)
		return false
	}
	return known
}

// makeRoom gives up what was used longest ago until the budget holds. The error is errLarge when one environment alone
// needs more.
func (l *Ledgers) makeRoom(asking *replica) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.bytes() > l.settings.Budget-l.portionBudget() {
		var oldest *replica
		for _, r := range l.replicas {
			if r != asking && (oldest == nil || r.used.Before(oldest.used)) {
				oldest = r
			}
		}
		if oldest == nil {
			delete(l.replicas, asking.environment)
			l.large[asking.environment] = time.Now()
			return errLarge
		}
		delete(l.replicas, oldest.environment)
	}
	return nil
}

func (l *Ledgers) forget(r *replica) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.replicas[r.environment] == r {
		delete(l.replicas, r.environment)
	}
}
