package proof

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/internal/service"
	"github.com/svc-dev/svc/internal/throttle"
)

const (
	writeEvery   = time.Second
	writeTimeout = 10 * time.Second
)

// Counter counts outcomes by environment and UTC day, and adds them to the table identity_proof_count once a second, so
// that no request waits for the database. A crash loses a second of them; no id depends on them.
type Counter struct {
	service.Loops
	pool *pgxpool.Pool
	now  func() time.Time
	log  *slog.Logger
	away throttle.PerSecond

	mu     sync.Mutex
	counts map[countKey]Counts
}

type countKey struct {
	environment int64
	day         time.Time
}

// Counts are how often ids were named, by what proved them.
type Counts struct{ Proved, Missing, Wrong int64 }

func (c Counts) plus(other Counts) Counts {
	return Counts{c.Proved + other.Proved, c.Missing + other.Missing, c.Wrong + other.Wrong}
}

// Options are the settings of a Counter. The zero value is fit for a server.
type Options struct {
	Now    func() time.Time // nil means time.Now
	Logger *slog.Logger     // nil means slog.Default()
}

// NewCounter makes a counter that writes to the database of a pool.
func NewCounter(pool *pgxpool.Pool, options Options) *Counter {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	return &Counter{pool: pool, now: options.Now, log: options.Logger, counts: map[countKey]Counts{}}
}

// Note counts one outcome. It never waits for the database.
func (c *Counter) Note(environmentID int64, outcome Outcome) {
	key := countKey{environmentID, c.now().UTC().Truncate(24 * time.Hour)}
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := c.counts[key]
	switch outcome {
	case Proved:
		counts.Proved++
	case Missing:
		counts.Missing++
	case Wrong:
		counts.Wrong++
	}
	c.counts[key] = counts
}

// Start begins to write.
func (c *Counter) Start(context.Context) error {
	c.Every(writeEvery, func(ctx context.Context) {
		// Stopping waits for it: what is written when it is cancelled would be kept, and written twice.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
		defer cancel()
		if err := c.Write(ctx); err != nil && ctx.Err() == nil && c.away.Allow(time.Now()) {
			c.log.WarnContext(ctx, "counts of proofs wait for the database", "error", err)
		}
	})
	return nil
}

// Stop ends the writing and writes what was counted.
func (c *Counter) Stop(ctx context.Context) error {
	if err := c.Loops.Stop(ctx); err != nil {
		return err
	}
	return c.Write(ctx)
}

// Write adds what was counted to the table. When that fails it is kept for the next time; when the answer of the
// database is lost alone, it counts twice.
func (c *Counter) Write(ctx context.Context) error {
	c.mu.Lock()
	counts := c.counts
	c.counts = map[countKey]Counts{}
	c.mu.Unlock()
	if len(counts) == 0 {
		return nil
	}
	if err := c.add(ctx, counts); err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		for key, count := range counts {
			c.counts[key] = c.counts[key].plus(count)
		}
		return fmt.Errorf("write counts of proofs: %w", err)
	}
	return nil
}

// add writes rows in one order, so that two servers never wait for each other. Those of environments that are no more
// are left out.
func (c *Counter) add(ctx context.Context, counts map[countKey]Counts) error {
	var environments, proved, missing, wrong []int64
	var days []time.Time
	for key, count := range counts {
		environments, days = append(environments, key.environment), append(days, key.day)
		proved, missing, wrong = append(proved, count.Proved), append(missing, count.Missing), append(wrong, count.Wrong)
	}
	_, err := c.pool.Exec(ctx, `
		insert into identity_proof_count as c (environment_id, day, proved, missing, wrong)
		select e, d, p, m, w
		from unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[]) as u (e, d, p, m, w)
		where exists (select from environments where id = e)
		order by e, d
		on conflict (environment_id, day) do update set proved = c.proved + excluded.proved,
			missing = c.missing + excluded.missing, wrong = c.wrong + excluded.wrong`,
		environments, days, proved, missing, wrong)
	return err
}
