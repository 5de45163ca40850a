package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Limits of the first chart after a restart, in seconds, and of what frames in files take of the heap.
var restartLimits = map[int]float64{7: 0.3, 30: 0.5, 90: 1}

const (
	filesHeapLimit = 60 << 20
	savePatience   = 2 * time.Minute
)

// benchFrames measures what a server has that starts again with the frames of the one before: sessions of 7, 30 and 90
// days, and the runs of a month; and every report of the data of several months.
func benchFrames(ctx context.Context) error {
	b, err := newReportBench(ctx)
	if err != nil {
		return err
	}
	ask := func(b *reportBench, days int) func(context.Context) (time.Duration, error) {
		return func(ctx context.Context) (time.Duration, error) {
			took, _, err := b.ask(ctx, coldQuestion, b.scope(days, nil))
			return took, err
		}
	}
	for _, days := range []int{7, 30} {
		if err := b.restart(ctx, days, "sessions", b.set.Events*int64(days)/reportDays, ask(b, days)); err != nil {
			return err
		}
	}
	dir, set, err := longData(ctx, b.dir, b.set)
	if err != nil {
		return err
	}
	long := &reportBench{set: set, dir: dir, client: b.client}
	events := set.Events * coldDays / (longMonths * reportDays)
	if err := long.restart(ctx, coldDays, "sessions", events, ask(long, coldDays)); err != nil {
		return err
	}
	if err := long.timeLong(ctx); err != nil {
		return err
	}
	return benchFlowFrames(ctx)
}

// benchLong measures every report of the data of several months.
func benchLong(ctx context.Context) error {
	b, err := newReportBench(ctx)
	if err != nil {
		return err
	}
	dir, set, err := longData(ctx, b.dir, b.set)
	if err != nil {
		return err
	}
	return (&reportBench{set: set, dir: dir, client: b.client}).timeLong(ctx)
}

// timeLong measures every report over a month and over all months, without filters and with three.
func (b *reportBench) timeLong(ctx context.Context) error {
	return b.withServer(ctx, func(ctx context.Context) error {
		return b.timeSpans(ctx, []span{
			{reportDays, warmRequests, monthLimit}, {longMonths * reportDays, yearTries, yearLimit},
		})
	}, "SVC_FRAME_DIR="+b.frames())
}

// benchFlowFrames measures the same of the runs of a month.
func benchFlowFrames(ctx context.Context) error {
	b, err := newFlowBench(ctx)
	if err != nil {
		return err
	}
	return b.restart(ctx, reportDays, "runs", int64(b.set.Events), func(ctx context.Context) (time.Duration, error) {
		return b.ask(ctx, coldFlow, b.set.Start, "")
	})
}

// frames is the folder of the frames that the measured servers write.
func (b *reportBench) frames() string { return filepath.Join(b.dir, "bench-frames") }

// restart asks a server whose folder of frames is empty, and the one that starts after it has written them.
func (b *reportBench) restart(
	ctx context.Context, days int, rows string, events int64, ask func(context.Context) (time.Duration, error),
) error {
	folder := b.frames()
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	// A server that collects often has nothing but what it keeps.
	env := []string{"SVC_FRAME_DIR=" + folder, "GOGC=10"}
	var cold, saved time.Duration
	if err := b.withServer(ctx, func(ctx context.Context) (err error) {
		if cold, err = ask(ctx); err != nil {
			return err
		}
		began := time.Now()
		for {
			found, err := filepath.Glob(filepath.Join(folder, "*", "manifest"))
			if err != nil || len(found) > 0 {
				saved = time.Since(began)
				return err
			}
			if time.Since(began) > savePatience {
				return errors.New("the frames were not saved")
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
		}
	}, env...); err != nil {
		return err
	}
	return b.withServer(ctx, func(ctx context.Context) error {
		before, err := b.liveBytes(ctx)
		if err != nil {
			return err
		}
		if err := b.server.stop(); err != nil {
			return err
		}
		if b.server, _, err = startServer(ctx, b.dir, append(env, "SVC_WARM_DAYS=0")...); err != nil {
			return err
		}
		took, err := ask(ctx)
		if err != nil {
			return err
		}
		row(fmt.Sprintf("first chart after a restart, %d days of %s", days, rows), took.Seconds(), "s", cold.Seconds(),
			fmt.Sprintf("read from the database; limit %g s at scale 1; saved %.0f s after it", restartLimits[days],
				saved.Seconds()))
		after, err := b.liveBytes(ctx)
		if err != nil {
			return err
		}
		row("  heap of it", float64(after-before)/(1<<20), "MiB", filesHeapLimit/(1<<20), "limit of 30 days at scale 1")
		bytes, err := sizeOf(folder)
		if err != nil {
			return err
		}
		row("  disk", float64(bytes)/float64(events), "B/event", bytesHit, "a hit")
		return nil
	}, env...)
}

// sizeOf returns how many bytes the files below a folder have.
func sizeOf(folder string) (bytes int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}
