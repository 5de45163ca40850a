package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	ledgerTransaction = 2000 // keys, as the writer's
	ledgerWriters     = 2
	ledgerSweepBatch  = 5000 // rows, as the maintenance's
)

// measure enters keys as fast as they are taken, while as many are forgotten.
func (d ledgerDesign) measure(
	ctx context.Context, pool *pgxpool.Pool, dataDir string, random bool,
) (cost ledgerCost, err error) {
	if err := d.fill(ctx, pool, int(options.scale*ledgerRows), random); err != nil {
		return cost, err
	}
	if _, err := pool.Exec(ctx, `checkpoint`); err != nil {
		return cost, err
	}
	cpu, wal, err := readDatabase(ctx, pool, dataDir)
	if err != nil {
		return cost, err
	}
	running, stop := context.WithTimeout(ctx, time.Duration(options.scale*float64(ledgerDuration)))
	defer stop()
	began := time.Now()
	var entered, deleted atomic.Int64
	errs := make([]error, ledgerWriters+1)
	var wait sync.WaitGroup
	for i := range ledgerWriters {
		wait.Go(func() { errs[i] = d.enter(running, pool, random, &entered) })
	}
	if d.btree {
		wait.Go(func() { errs[ledgerWriters] = deleteOldest(running, pool, &entered, &deleted) })
	}
	wait.Wait()
	took := time.Since(began).Seconds()
	for _, err := range errs {
		if err != nil && running.Err() == nil {
			return cost, err
		}
	}
	cpuAfter, walAfter, err := readDatabase(ctx, pool, dataDir)
	if err != nil {
		return cost, err
	}
	var size int64
	err = pool.QueryRow(ctx, `
		select sum(pg_total_relation_size(c.oid))::bigint from pg_class c
		where relnamespace = 'ledger'::regnamespace and relkind = 'r'`).Scan(&size)
	n := float64(entered.Load())
	return ledgerCost{
		rate: n / took, cpu: (cpuAfter - cpu).Seconds() * 1e6 / n, wal: float64(walAfter-wal) / n,
		size: float64(size) / 1e6, forgot: float64(deleted.Load()) / took,
	}, err
}

func (d ledgerDesign) enter(ctx context.Context, pool *pgxpool.Pool, random bool, entered *atomic.Int64) error {
	sql := d.insertSQL()
	environments, paths := make([]int64, ledgerTransaction), make([]int16, ledgerTransaction)
	keys, seen := make([]pgtype.UUID, ledgerTransaction), make([]time.Time, ledgerTransaction)
	for ctx.Err() == nil {
		now := time.Now()
		for i := range keys {
			id := uuid.Must(uuid.NewV7())
			if random {
				id = uuid.New()
			}
			environments[i], paths[i], keys[i], seen[i] = 1, 1, pgtype.UUID{Bytes: id, Valid: true}, now
		}
		slices.SortFunc(keys, func(a, b pgtype.UUID) int { return bytes.Compare(a.Bytes[:], b.Bytes[:]) })
		tag, err := pool.Exec(ctx, sql, environments, paths, keys, seen)
		if err != nil {
			return err
		}
		if tag.RowsAffected() != ledgerTransaction {
			return fmt.Errorf("%d of %d keys were new", tag.RowsAffected(), ledgerTransaction)
		}
		entered.Add(tag.RowsAffected())
	}
	return nil
}

// deleteOldest keeps as many rows as there were, as a sweep does after the first
// window.
func deleteOldest(ctx context.Context, pool *pgxpool.Pool, entered, deleted *atomic.Int64) error {
	from := time.Time{}
	for ctx.Err() == nil {
		if entered.Load()-deleted.Load() < ledgerSweepBatch {
			time.Sleep(time.Millisecond)
			continue
		}
		var n int64
		err := pool.QueryRow(ctx, `
			with expired as materialized (
				select ctid, seen_at from ledger.current where seen_at >= $1 and seen_at < now() order by seen_at limit $2
			), removed as (
				delete from ledger.current where ctid = any (array(select ctid from expired)) returning true
			) select (select count(*) from removed), max(seen_at) from expired`, from, ledgerSweepBatch).Scan(&n, &from)
		if err != nil {
			return err
		}
		deleted.Add(n)
	}
	return nil
}
