package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/seal"
	"github.com/svc-dev/svc/internal/service"
)

// Options are the settings of a catalogue. The zero value is fit for a server
// that serves its media itself under "/media".
type Options struct {
	// MediaBase is what media URLs start with, without a slash at its end, such
	// as https://svc.example.com.
	MediaBase string
	// Reread is how often everything is read again, in case that a notification
	// was lost. Zero means 30 s.
	Reread time.Duration
	// Timeout bounds each step on the connection that notifications come by:
	// connecting, listening, asking whether it still is one. Zero means 10 s.
	Timeout time.Duration
	// Ring decrypts the secrets of custom user ids; without it no id is proved.
	Ring *seal.Ring
	// Logger takes what the follower has to say. Nil means slog.Default().
	Logger *slog.Logger
}

// Catalogue holds what every channel serves and follows the database. Reading
// it takes no lock and no query, so that resolve goes on answering while the
// database is away; only a key that it does not know makes it ask.
type Catalogue struct {
	pool    *pgxpool.Pool
	options Options
	current atomic.Pointer[Snapshot]
	readAt  atomic.Int64 // unix nanoseconds of the last complete read

	reads    reads
	contents contents
	lookups  lookups

	loops  service.Loops
	reread chan struct{} // asks for everything to be read again
}

// New makes an empty catalogue that reads through pool. Start fills it.
func New(pool *pgxpool.Pool, options Options) *Catalogue {
	if options.Reread == 0 {
		options.Reread = 30 * time.Second
	}
	if options.Timeout == 0 {
		options.Timeout = 10 * time.Second
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	options.MediaBase = strings.TrimRight(options.MediaBase, "/")
	c := &Catalogue{pool: pool, options: options, reread: make(chan struct{}, 1)}
	c.current.Store(newSnapshot(nil))
	return c
}

// Snapshot returns what the catalogue knows now. A request takes it once.
func (c *Catalogue) Snapshot() *Snapshot { return c.current.Load() }

// ReadAt returns when everything was last read; the zero time before Start.
func (c *Catalogue) ReadAt() time.Time {
	if at := c.readAt.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

// Age returns how long ago everything was last read; 0 before Start.
func (c *Catalogue) Age() time.Duration {
	if at := c.ReadAt(); !at.IsZero() {
		return time.Since(at)
	}
	return 0
}

// Start reads everything and begins to follow changes. It fails when the
// database can't be read.
func (c *Catalogue) Start(ctx context.Context) error {
	if err := c.RefreshAll(ctx); err != nil {
		return err
	}
	c.loops.Go(c.follow)
	c.loops.Go(c.readAgain)
	return nil
}

// Stop ends the following and waits for it. The catalogue goes on answering
// with what it has.
func (c *Catalogue) Stop(ctx context.Context) error { return c.loops.Stop(ctx) }

// Refresh reads the given apps again. A mutation calls it after its commit, so
// that this server serves the change before the mutation returns. An app that
// is gone or archived leaves the catalogue. It waits for no other read.
func (c *Catalogue) Refresh(ctx context.Context, apps ...uuid.UUID) error {
	if len(apps) == 0 {
		return nil
	}
	number := c.reads.begin()
	defer c.reads.end(number)
	entries, err := c.read(ctx, apps)
	if err != nil {
		return fmt.Errorf("refresh delivery catalogue: %w", err)
	}
	for _, app := range apps {
		if _, there := entries[app]; !there {
			entries[app] = nil
		}
	}
	c.replace(number, entries)
	return nil
}

// RefreshAll reads everything again.
func (c *Catalogue) RefreshAll(ctx context.Context) error {
	number, begun := c.reads.begin(), time.Now()
	defer c.reads.end(number)
	entries, err := c.read(ctx, nil)
	if err != nil {
		return fmt.Errorf("read delivery catalogue: %w", err)
	}
	// Prepared versions that no channel serves any more are let go here, not in
	// Refresh: switching back and forth between versions is common.
	c.contents.keep(entries)
	for app := range c.Snapshot().apps {
		if _, there := entries[app]; !there {
			entries[app] = nil
		}
	}
	c.replace(number, entries)
	c.readAt.Store(max(c.readAt.Load(), begun.UnixNano()))
	return nil
}

// replace puts what a read found in the place of what is there, but for apps
// that were read by one that began later. A nil entry removes its app.
func (c *Catalogue) replace(number uint64, entries map[uuid.UUID]*appEntry) {
	c.reads.mu.Lock()
	defer c.reads.mu.Unlock()
	maps.DeleteFunc(entries, func(app uuid.UUID, _ *appEntry) bool { return !c.reads.take(number, app) })
	c.current.Store(c.current.Load().with(entries))
}

// read loads apps, all when nil, from one database snapshot.
func (c *Catalogue) read(ctx context.Context, apps []uuid.UUID) (entries map[uuid.UUID]*appEntry, err error) {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, c.pool, options, func(tx pgx.Tx) error {
		loader := loader{
			tx: tx, mediaBase: c.options.MediaBase, ring: c.options.Ring, logger: c.options.Logger,
			shared: &c.contents, contents: map[contentKey]*version{},
		}
		entries, err = loader.load(ctx, apps)
		return err
	})
	return entries, err
}
