package receive

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/revenue/fold"
)

// connection is where deliveries come from, with what they are verified with.
type connection struct {
	id         uuid.UUID
	provider   fold.Provider
	live, test int64
	secrets    [][]byte
	stores     []string     // whose money it reports
	noted      atomic.Int64 // when a refusal was last written down, in Unix time
}

// maxAge is how long what was read of connections is used: a connection that is made, or a secret that is added or
// removed, takes so long to be known everywhere. However many forged deliveries come, the database is asked no oftener.
const maxAge = time.Second

// connections are all connections of the database. They are few: one or two for each app.
type connections struct {
	pool   *pgxpool.Pool
	ring   *seal.Ring
	logger *slog.Logger
	now    func() time.Time

	mu    sync.Mutex // held while they are read
	known atomic.Pointer[snapshot]
}

type snapshot struct {
	at   time.Time
	byID map[uuid.UUID]*connection
}

// find returns a connection; nil when there is none. It answers from memory while that is fresh. The error says that
// the database could not be asked and nothing is known.
func (c *connections) find(ctx context.Context, id uuid.UUID) (*connection, error) {
	if known := c.known.Load(); known != nil && c.now().Sub(known.at) < maxAge {
		return known.byID[id], nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.known.Load(); known != nil && c.now().Sub(known.at) < maxAge {
		return known.byID[id], nil
	}
	return c.reread(ctx, id)
}

// findNow returns a connection as the database has it at the time of the call.
func (c *connections) findNow(ctx context.Context, id uuid.UUID) (*connection, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reread(ctx, id)
}

// reread reads all connections and returns one. The caller holds mu.
func (c *connections) reread(ctx context.Context, id uuid.UUID) (*connection, error) {
	fresh, err := c.read(ctx, c.known.Load())
	if err != nil {
		return nil, err
	}
	c.known.Store(fresh)
	return fresh.byID[id], nil
}

func (c *connections) read(ctx context.Context, before *snapshot) (*snapshot, error) {
	fresh := &snapshot{at: c.now(), byID: map[uuid.UUID]*connection{}}
	rows, err := c.pool.Query(ctx, `
		select c.id, c.provider, c.stores, s.id, s.key_id, s.sealed,
			(select id from environments e where e.app_id = c.app_id and e.kind = 'live'),
			(select id from environments e where e.app_id = c.app_id and e.kind = 'test')
		from revenue_connection c join revenue_connection_secret s on s.connection_id = c.id
		join apps a on a.id = c.app_id
		where c.archived_at is null and a.archived_at is null order by s.created_at, s.id`)
	if err != nil {
		return nil, err
	}
	var id, secretID uuid.UUID
	var provider fold.Provider
	var keyID string
	var sealed []byte
	var live, test int64
	var stores []string
	_, err = pgx.ForEachRow(rows, []any{&id, &provider, &stores, &secretID, &keyID, &sealed, &live, &test}, func() error {
		found := fresh.byID[id]
		if found == nil {
			found = &connection{id: id, provider: provider, stores: slices.Clone(stores), live: live, test: test}
			if before != nil && before.byID[id] != nil {
				found.noted.Store(before.byID[id].noted.Load())
			}
			fresh.byID[id] = found
		}
		secret, err := c.ring.Open(keyID, sealed, secretID.String())
		if err != nil {
			c.logger.ErrorContext(ctx, "a secret of a connection can't be read", "connection", id, "key", keyID, "error", err)
			return nil
		}
		found.secrets = append(found.secrets, secret)
		return nil
	})
	return fresh, err
}
