package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	sweepSlices = 3 // measured by turns without and with a sweep
	sweepSlice  = 15 * time.Second
	sweepTarget = 32_000 // keys a second that a sweep must keep up with
)

// benchSweep loads a server whose ledger is large, by turns without and
// with expired rows that its maintenance removes.
func benchSweep(ctx context.Context) error {
	return onServer(ctx, measureSweep, "SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0")
}

func measureSweep(ctx context.Context, s *server) error {
	pool, err := pgxpool.New(ctx, s.file.DatabaseURL)
	if err != nil {
		return err
	}
	defer pool.Close()
	rows := int(options.scale * ledgerRows)
	if err := enterOldKeys(ctx, pool, rows, ledgerDays*day-time.Hour, time.Hour); err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, `vacuum (analyze) event_seen`); err != nil {
		return err
	}
	load := newLoader(s)
	if _, _, err := load.run(ctx, ingestWarmUp, 0); err != nil {
		return err
	}
	var calm, swept ingestCost
	for range sweepSlices {
		if err := calm.add(ctx, s, pool, load); err != nil {
			return err
		}
		// More than can be removed while it is measured.
		if err := enterOldKeys(ctx, pool, rows/6, 20*day, 10*day); err != nil {
			return err
		}
		if err := swept.add(ctx, s, pool, load); err != nil {
			return err
		}
		if err := waitUntilSwept(ctx, pool); err != nil {
			return err
		}
	}
	row(
		fmt.Sprintf("ingest during a sweep of %.3g M keys", float64(rows)/1e6), swept.rate(), "ev/s", calm.rate(),
		"nothing to sweep",
	)
	row("  processor time, database and server", swept.microseconds(), "µs/ev", calm.microseconds(), "nothing to sweep")
	row("  removed meanwhile", float64(swept.removed)/swept.took.Seconds(), "keys/s", sweepTarget, "arriving at most")
	return lookWithoutExpired(ctx, pool)
}

// enterOldKeys puts keys into the ledger that were received between the ages.
func enterOldKeys(ctx context.Context, pool *pgxpool.Pool, rows int, oldest, youngest time.Duration) error {
	_, err := pool.Exec(ctx, `
		insert into event_seen (environment_id, path, event_key, seen_at)
		select 1, 1, `+orderedKey+`, at from (
			select i, now() - $2::interval + ($2::interval - $3::interval) * (i / 20 * 20.0 / $1) as at
		from generate_series(1, $1::int) i) s`,
		rows, oldest, youngest)
	if err != nil {
		return fmt.Errorf("fill the ledger: %w", err)
	}
	return nil
}

const expiredKeys = `select count(*) from event_seen where seen_at < now() - interval '9 days'`

func waitUntilSwept(ctx context.Context, pool *pgxpool.Pool) error {
	for {
		var left int64
		if err := pool.QueryRow(ctx, expiredKeys).Scan(&left); err != nil || left == 0 {
			return err
		}
		time.Sleep(time.Second)
	}
}

// ingestCost adds up what events cost.
type ingestCost struct {
	events, removed int64
	took, cpu       time.Duration
}

func (c *ingestCost) rate() float64 { return float64(c.events) / c.took.Seconds() }

func (c *ingestCost) microseconds() float64 { return c.cpu.Seconds() * 1e6 / float64(c.events) }

func (c *ingestCost) add(ctx context.Context, s *server, pool *pgxpool.Pool, load *loader) error {
	read := func() (cpu time.Duration, left int64, err error) {
		own, database, err := s.processorTime()
		if err != nil {
			return 0, 0, err
		}
		return own + database, left, pool.QueryRow(ctx, expiredKeys).Scan(&left)
	}
	_, before, err := read()
	if err != nil {
		return err
	}
	cpu, _, err := read() // counting is not part of it
	if err != nil {
		return err
	}
	began := time.Now()
	events, _, err := load.run(ctx, sweepSlice, 0)
	if err != nil {
		return err
	}
	c.took += time.Since(began)
	after, left, err := read()
	if err != nil {
		return err
	}
	c.events, c.cpu, c.removed = c.events+events, c.cpu+after-cpu, c.removed+before-left
	return nil
}

// lookWithoutExpired measures the sweep's query when nothing has expired.
func lookWithoutExpired(ctx context.Context, pool *pgxpool.Pool) error {
	began := time.Now()
	var n int
	err := pool.QueryRow(ctx, `
		select count(*) from (
			select from event_seen where seen_at >= '-infinity' and seen_at < now() - interval '8 days' order by seen_at
			limit 5000) s`).Scan(&n)
	if err != nil {
		return err
	}
	row("  a look when nothing has expired", milliseconds(time.Since(began)), "ms", 0, "")
	return nil
}
