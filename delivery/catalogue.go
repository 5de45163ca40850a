package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
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

	// refreshing lets one read follow another: a read that began later must
	// never be overwritten by one that began earlier.
	refreshing sync.Mutex
	contents   map[contentKey]*version

	lookups lookups

	follower struct {
		cancel context.CancelFunc
		done   chan struct{}
	}
}

// New makes an empty catalogue that reads through pool. Start fills it.
func New(pool *pgxpool.Pool, options Options) *Catalogue {
	if options.Reread == 0 {
		options.Reread = 30 * time.Second
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	options.MediaBase = strings.TrimRight(options.MediaBase, "/")
	c := &Catalogue{pool: pool, options: options, contents: map[contentKey]*version{}}
	c.current.Store(newSnapshot(nil))
	return c
}

// Snapshot is what the catalogue knows now. A request takes it once.
func (c *Catalogue) Snapshot() *Snapshot { return c.current.Load() }

// ReadAt is when everything was last read; the zero time before Start.
func (c *Catalogue) ReadAt() time.Time {
	if at := c.readAt.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

// Start reads everything and begins to follow changes. It fails when the
// database can't be read.
func (c *Catalogue) Start(ctx context.Context) error {
	if err := c.RefreshAll(ctx); err != nil {
		return err
	}
	following, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.follower.cancel, c.follower.done = cancel, make(chan struct{})
	go func() {
		defer close(c.follower.done)
		c.follow(following)
	}()
	return nil
}

// Stop ends the following and waits for it. The catalogue goes on answering
// with what it has.
func (c *Catalogue) Stop() {
	if c.follower.cancel == nil {
		return
	}
	c.follower.cancel()
	<-c.follower.done
}

// Refresh reads the given apps again. A mutation calls it after its commit, so
// that this server serves the change before the mutation returns. An app that
// is gone or archived leaves the catalogue.
func (c *Catalogue) Refresh(ctx context.Context, apps ...uuid.UUID) error {
	if len(apps) == 0 {
		return nil
	}
	c.refreshing.Lock()
	defer c.refreshing.Unlock()
	entries, err := c.read(ctx, apps)
	if err != nil {
		return fmt.Errorf("refresh delivery catalogue: %w", err)
	}
	for _, app := range apps {
		if _, there := entries[app]; !there {
			entries[app] = nil
		}
	}
	c.current.Store(c.current.Load().with(entries))
	return nil
}

// RefreshAll reads everything again.
func (c *Catalogue) RefreshAll(ctx context.Context) error {
	c.refreshing.Lock()
	defer c.refreshing.Unlock()
	begun := time.Now()
	entries, err := c.read(ctx, nil)
	if err != nil {
		return fmt.Errorf("read delivery catalogue: %w", err)
	}
	c.current.Store(newSnapshot(entries))
	c.readAt.Store(begun.UnixNano())
	// Prepared versions that no channel serves any more are let go here, not in
	// Refresh: switching back and forth between versions is common.
	maps.DeleteFunc(c.contents, func(key contentKey, _ *version) bool {
		for _, entry := range entries {
			if entry.versions[key] {
				return false
			}
		}
		return true
	})
	return nil
}

// read loads apps, all when nil, from one database snapshot.
func (c *Catalogue) read(ctx context.Context, apps []uuid.UUID) (entries map[uuid.UUID]*appEntry, err error) {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, c.pool, options, func(tx pgx.Tx) error {
		loader := loader{tx: tx, mediaBase: c.options.MediaBase, logger: c.options.Logger, contents: c.contents}
		entries, err = loader.load(ctx, apps)
		return err
	})
	return entries, err
}
