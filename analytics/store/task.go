package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/svc-dev/svc/internal/mapped"
)

// hangLimit is how long a read in the background may go without progress before it is ended, so that a
// connection to a database that went away is given up. Requests wait less: see Settings.Patience.
const hangLimit = time.Minute

var (
	// errSilent reports that the database sent nothing for too long.
	errSilent = errors.New("the database does not answer")
	errClosed = errors.New("the store is closed")
)

// clock is a moment that goroutines set, in Unix nanoseconds.
type clock struct{ nanos atomic.Int64 }

func (c *clock) set(t time.Time) { c.nanos.Store(t.UnixNano()) }

func (c *clock) get() time.Time { return time.Unix(0, c.nanos.Load()) }

// task is work in the background that several requests may wait for.
type task struct {
	done chan struct{}
	err  error // valid when done is closed

	store    *Store
	latest   clock       // when it last reported progress
	queued   atomic.Bool // it waits for its turn behind others
	patience time.Duration
	timer    *time.Timer // ends it after patience without progress
}

// start runs f in a goroutine of its own. The context of f ends when the store stops, and when f reports
// no progress for as long as patience; then the task's error is errSilent.
func (s *Store) start(patience time.Duration, f func(ctx context.Context, t *task) error) *task {
	t := &task{done: make(chan struct{}), store: s, patience: patience}
	t.latest.set(time.Now())
	started := s.loops.Go(func(base context.Context) {
		defer close(t.done)
		ctx, cancel := context.WithCancelCause(base)
		defer cancel(nil)
		t.timer = time.AfterFunc(patience, func() { cancel(errSilent) })
		defer t.timer.Stop()
		t.err = mapped.Guard(func() error { return f(ctx, t) })
		if t.err != nil && errors.Is(context.Cause(ctx), errSilent) {
			// Not %w: to the callers it is no cancellation.
			t.err = fmt.Errorf("%w: %v", errSilent, t.err)
		}
	})
	if !started {
		t.err = errClosed
		close(t.done)
	}
	return t
}

// progress tells those who wait that the database answers.
func (t *task) progress() {
	now := time.Now()
	t.latest.set(now)
	t.store.latest.set(now)
	t.timer.Reset(t.patience)
}

// queue waits for a place for an environment, for as long as that takes, and returns what gives it back.
func (t *task) queue(ctx context.Context, pool places, environment int64) (leave func(), err error) {
	workspace, err := t.store.workspaceOf(ctx, environment)
	if err != nil {
		return nil, err
	}
	t.queued.Store(true)
	defer t.queued.Store(false)
	t.timer.Stop()
	defer t.timer.Reset(t.patience)
	return pool.turns.Take(ctx, workspace)
}

// wait waits for a task as long as it gets on. A task that waits for its turn gets on when any does.
func (s *Store) wait(ctx context.Context, t *task) error {
	begun := time.Now()
	tick := time.NewTicker(s.settings.Patience / 20)
	defer tick.Stop()
	for {
		select {
		case <-t.done:
			return t.err
		case <-ctx.Done():
			return ctx.Err()
		case now := <-tick.C:
			latest := t.latest.get()
			if t.queued.Load() {
				latest = s.latest.get()
			}
			if now.Sub(begun) > s.settings.Patience && now.Sub(latest) > s.settings.Patience {
				return errSilent
			}
		}
	}
}
