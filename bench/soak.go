package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	soakWindow = 5 * time.Minute  // a line of the soak's table
	soakRange  = 15 * time.Minute // what its dashboards look at: the same amount of data all the time
)

// benchSoak holds a server at a steady load for -for and prints a line every five minutes: what grows besides the
// data must show in it. Dashboards look at the last fifteen minutes, so that their work stays the same.
func benchSoak(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "svc-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, _, err := startServer(ctx, dir, "SVC_RATE_LIMIT_KEY=0", "SVC_RATE_LIMIT_ADDRESS=0", "SVC_NEW_NAMES_PER_DAY=100000")
	if err != nil {
		return err
	}
	b := &reportBench{server: s, client: &http.Client{
		Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: dashboards},
	}}
	err = b.soak(ctx, options.soak)
	if stopErr := s.stop(); err == nil {
		err = stopErr
	}
	return err
}

// soakTimes are the times of one kind of request since the last line.
type soakTimes struct {
	mu    sync.Mutex
	times []time.Duration
}

func (t *soakTimes) add(took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.times = append(t.times, took)
}

// take returns the quantiles of the times and forgets them.
func (t *soakTimes) take(quantiles ...float64) []float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.Sort(t.times)
	var taken []float64
	for _, q := range quantiles {
		taken = append(taken, milliseconds(quantile(t.times, q)))
	}
	t.times = t.times[:0]
	return taken
}

func (b *reportBench) soak(ctx context.Context, duration time.Duration) error {
	load := newLoader(b.server)
	var wait sync.WaitGroup
	var pages, batches soakTimes
	errs := make([]error, dashboards)
	began := time.Now()
	for d := range dashboards {
		wait.Go(func() { errs[d] = b.refresh(ctx, began, duration, d, &pages) })
	}
	var acknowledged int64
	fmt.Printf("%8s %10s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "minute", "events", "page p50", "p95", "batch p50", "p99",
		"RSS MiB", "heap MiB", "files", "gorout.", "disk MiB")
	for time.Since(began) < duration {
		window := min(soakWindow, duration-time.Since(began))
		stored, times, err := load.run(ctx, window, loadRate)
		if err != nil {
			return fmt.Errorf("after %s: %w", time.Since(began).Round(time.Second), err)
		}
		acknowledged += stored
		for _, took := range times {
			batches.add(took)
		}
		if err := b.soakLine(ctx, time.Since(began), acknowledged, &pages, &batches); err != nil {
			return err
		}
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return b.countStored(ctx, acknowledged)
}

// refresh asks for one dashboard over and over, on time whatever the answers take.
func (b *reportBench) refresh(
	ctx context.Context, began time.Time, duration time.Duration, d int, pages *soakTimes,
) error {
	due := began.Add(dashboardEvery * time.Duration(d) / dashboards)
	for ; due.Sub(began) < duration; due = due.Add(dashboardEvery) {
		time.Sleep(time.Until(due))
		now := time.Now()
		scope := map[string]any{"range": map[string]any{"start": now.Add(-soakRange), "end": now.Add(time.Minute)}}
		if _, _, err := b.ask(ctx, dashboard, scope); err != nil {
			return err
		}
		pages.add(time.Since(due))
	}
	return nil
}

func (b *reportBench) soakLine(ctx context.Context, at time.Duration, events int64, pages, batches *soakTimes) error {
	resident, err := b.server.residentBytes()
	if err != nil {
		return err
	}
	metrics, err := b.metrics(ctx, "go_memstats_heap_inuse_bytes", "go_goroutines", "process_open_fds")
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, b.server.file.DatabaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var disk int64
	if err := conn.QueryRow(ctx, `select pg_database_size(current_database())`).Scan(&disk); err != nil {
		return err
	}
	page, batch := pages.take(.5, .95), batches.take(.5, .99)
	fmt.Printf("%8.0f %10d %8.0f %8.0f %9.1f %8.0f %8d %8.0f %8.0f %8.0f %8d\n", at.Minutes(), events, page[0], page[1],
		batch[0], batch[1],
		resident>>20, metrics["go_memstats_heap_inuse_bytes"]/(1<<20), metrics["process_open_fds"],
		metrics["go_goroutines"], disk>>20)
	return nil
}

// metrics reads samples without labels from the server's metrics.
func (b *reportBench) metrics(ctx context.Context, names ...string) (map[string]float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.server.file.MetricsURL, nil)
	if err != nil {
		return nil, err
	}
	response, err := b.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	values := map[string]float64{}
	for line := range bytes.Lines(content) {
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if !slices.Contains(names, name) {
			continue
		}
		if values[name], err = strconv.ParseFloat(value, 64); err != nil {
			return nil, err
		}
	}
	if len(values) != len(names) {
		return nil, fmt.Errorf("%s has only %d of the metrics %v", b.server.file.MetricsURL, len(values), names)
	}
	return values, nil
}

// countStored compares what was acknowledged with what is in the database.
func (b *reportBench) countStored(ctx context.Context, acknowledged int64) error {
	conn, err := pgx.Connect(ctx, b.server.file.DatabaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var stored int64
	if err := conn.QueryRow(ctx, `select count(*) from product_event`).Scan(&stored); err != nil {
		return err
	}
	row("stored of the acknowledged events", float64(stored), "", float64(acknowledged), "acknowledged")
	if stored != acknowledged {
		return fmt.Errorf("%d events were acknowledged, %d are stored", acknowledged, stored)
	}
	return nil
}
