package delivery

import (
	"context"
	"errors"
	"regexp"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	// unknownLife is how long a key that the database does not know is not asked
	// for again: a key that is made meanwhile works within that time.
	unknownLife = time.Second
	// unknownKeys bounds the memory of such keys.
	unknownKeys = 1024
	// lookupsPerSecond bounds what strangers who make keys up can ask of the
	// database. New keys are rare, and their news comes by notification as well.
	lookupsPerSecond = 20
	// lookupsAtOnce bounds the connections that they take when the database is
	// slow.
	lookupsAtOnce = 4
	// lookupTimeout bounds what a request with an unknown key waits: a refusal
	// would make a client drop what it has.
	lookupTimeout = 5 * time.Second
)

// keyForm is what a publishable key may look like. Others are not asked for.
var keyForm = regexp.MustCompile(`^ob_pk_(test|live)_[A-Za-z0-9]{1,128}$`)

// lookups remembers which keys need not be asked for.
type lookups struct {
	mu      sync.Mutex
	unknown map[string]time.Time // key to the end of its life here
	running map[string]chan struct{}
	// The second that is being counted, and the lookups in it.
	second time.Time
	count  int
}

// Learn returns a snapshot that knows a publishable key, if the database does.
// It is for keys that the current snapshot lacks: the news that a key was made
// on another server may still be on its way. The database is asked once for each
// key, and seldom enough that made-up keys can't load it; requests with the same
// key wait for one answer.
func (c *Catalogue) Learn(ctx context.Context, publishableKey string) *Snapshot {
	if current := c.Snapshot(); current.Tenant(publishableKey) != nil || !keyForm.MatchString(publishableKey) {
		return current
	}
	done, first := c.lookups.begin(publishableKey, time.Now())
	if done == nil {
		return c.Snapshot()
	}
	if first {
		// Not the request's context: others may be waiting for the answer.
		started := c.loops.Go(func(ctx context.Context) {
			known := c.lookup(ctx, publishableKey)
			c.lookups.end(publishableKey, known, time.Now())
		})
		if !started {
			c.lookups.end(publishableKey, false, time.Now())
		}
	}
	waiting, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	select {
	case <-done:
	case <-waiting.Done():
	}
	return c.Snapshot()
}

// lookup asks the database for a key's app and reads the app anew. It reports
// whether the catalogue knows the key then. A database that does not answer
// knows nothing.
func (c *Catalogue) lookup(ctx context.Context, publishableKey string) bool {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	var app uuid.UUID
	err := c.pool.QueryRow(ctx, `
		select e.app_id from publishable_keys k
		join environments e on e.id = k.environment_id
		join apps a on a.id = e.app_id
		where k.key = $1 and k.revoked_at is null and a.archived_at is null`, publishableKey).Scan(&app)
	if err == nil {
		err = c.Refresh(ctx, app)
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		c.options.Logger.WarnContext(ctx, "an unknown publishable key can't be looked up", "error", err)
	}
	return c.Snapshot().Tenant(publishableKey) != nil
}

// begin tells what to wait for, nil for nothing, and whether the caller is the
// one who has to look.
func (l *lookups) begin(key string, now time.Time) (done chan struct{}, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if running := l.running[key]; running != nil {
		return running, false
	}
	if now.Before(l.unknown[key]) {
		return nil, false
	}
	if second := now.Truncate(time.Second); !second.Equal(l.second) {
		l.second, l.count = second, 0
	}
	if l.count >= lookupsPerSecond || len(l.running) >= lookupsAtOnce {
		return nil, false
	}
	l.count++
	if l.running == nil {
		l.running, l.unknown = map[string]chan struct{}{}, map[string]time.Time{}
	}
	done = make(chan struct{})
	l.running[key] = done
	return done, true
}

func (l *lookups) end(key string, known bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.running[key])
	delete(l.running, key)
	delete(l.unknown, key)
	if known {
		return
	}
	if len(l.unknown) >= unknownKeys {
		clear(l.unknown) // they cost one lookup each, within the bound of a second
	}
	l.unknown[key] = now.Add(unknownLife)
}
