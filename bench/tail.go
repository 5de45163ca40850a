package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"
)

const (
	vacuumLook   = 10 * time.Millisecond // between two looks at what autovacuum does
	syncPage     = 8 << 10               // bytes of a write
	syncFile     = 16 << 20              // bytes of the file, as a segment of the write-ahead log
	syncDuration = 4 * time.Second
)

// loadCalmly measures how long acknowledgements take at a rate, in events a second, and what the slow ones waited for:
// autovacuum takes a processor that clients, server and database share, and every commit waits for the disk.
func loadCalmly(ctx context.Context, s *server, load *loader, rate float64) error {
	watch, err := watchVacuum(ctx, s.file.DatabaseURL)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var requests []timedRequest
	load.told = func(due time.Time, took time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		requests = append(requests, timedRequest{due, took})
	}
	_, all, err := load.run(ctx, ingestCalmDuration, rate)
	load.told = nil
	worked, watchErr := watch()
	if err = errors.Join(err, watchErr); err != nil {
		return err
	}
	slices.Sort(all)
	row("  acknowledgement p50 at half that load", milliseconds(quantile(all, .50)), "ms", 0, "")
	row("  acknowledgement p99 at half that load", milliseconds(quantile(all, .99)), "ms", 0, "")
	synced, err := syncTimes(filepath.Join(s.dir, "sync"))
	if err != nil {
		return err
	}
	beside, alone := split(requests, worked)
	p99, what := milliseconds(quantile(synced, .99)), "8 kB written and synced alone, p99"
	if len(beside) > 0 {
		row("  acknowledgement p99 while autovacuum works", milliseconds(quantile(beside, .99)), "ms", p99, what)
	}
	row("  acknowledgement p99 while autovacuum rests", milliseconds(quantile(alone, .99)), "ms", p99, what)
	return nil
}

// timedRequest is when a request was to be sent, and how long after that its answer came.
type timedRequest struct {
	due  time.Time
	took time.Duration
}

// split sorts the times of requests by whether autovacuum worked meanwhile, which was seen at these moments.
func split(requests []timedRequest, worked []time.Time) (beside, alone []time.Duration) {
	for _, r := range requests {
		first, _ := slices.BinarySearchFunc(worked, r.due.Add(-vacuumLook), time.Time.Compare)
		if first < len(worked) && worked[first].Before(r.due.Add(r.took+vacuumLook)) {
			beside = append(beside, r.took)
		} else {
			alone = append(alone, r.took)
		}
	}
	slices.Sort(beside)
	slices.Sort(alone)
	return beside, alone
}

// watchVacuum looks for workers of autovacuum until the returned function is called, which returns when there were any,
// in order.
func watchVacuum(ctx context.Context, databaseURL string) (func() ([]time.Time, error), error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	var worked []time.Time
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		defer conn.Close(ctx)
		for {
			var works bool
			err := conn.QueryRow(
				ctx, `select exists (select from pg_stat_activity where backend_type = 'autovacuum worker')`,
			).Scan(&works)
			if err != nil {
				done <- err
				return
			}
			if works {
				worked = append(worked, time.Now())
			}
			select {
			case <-stop:
				done <- nil
				return
			case <-time.After(vacuumLook):
			}
		}
	}()
	return func() ([]time.Time, error) {
		close(stop)
		err := <-done
		return worked, err
	}, nil
}

// syncTimes returns in order how long a write of 8 kB takes until it is on disk, one after the other in a file that is
// there already, as the database writes its log. The file is gone afterwards.
func syncTimes(path string) (times []time.Duration, err error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(path)) }()
	if _, err := file.Write(make([]byte, syncFile)); err != nil {
		return nil, err
	}
	if err := file.Sync(); err != nil {
		return nil, err
	}
	page, began := make([]byte, syncPage), time.Now()
	for at := int64(0); time.Since(began) < syncDuration; at = (at + syncPage) % syncFile {
		start := time.Now()
		if _, err := file.WriteAt(page, at); err != nil {
			return nil, err
		}
		if err := unix.Fdatasync(int(file.Fd())); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return times, nil
}
