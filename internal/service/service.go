// Package service is the one life cycle of everything that runs in the
// background: it is started once, it is told to stop by its context, and
// whoever stops it waits for its end.
package service

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Service is a part of the program with work of its own.
type Service interface {
	// Start returns when the part is ready. Its background work outlives ctx,
	// which bounds the start alone; an error means that nothing runs.
	Start(ctx context.Context) error
	// Stop ends the background work and returns when it has ended, or when ctx
	// does, with an error that says what was left undone. Stopping what was
	// never started, or twice, does nothing.
	Stop(ctx context.Context) error
}

// StopFunc makes a Service of what runs already: it is all that is left to do.
type StopFunc func(ctx context.Context) error

// Start does nothing.
func (StopFunc) Start(context.Context) error { return nil }

// Stop calls the function.
func (f StopFunc) Stop(ctx context.Context) error { return f(ctx) }

// Group starts services in order and stops them in the opposite one. The zero
// value is an empty group.
type Group struct{ started []named }

type named struct {
	name    string
	service Service
}

// Start starts a service and remembers it. What name says leads its errors.
func (g *Group) Start(ctx context.Context, name string, s Service) error {
	if err := s.Start(ctx); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	g.started = append(g.started, named{name, s})
	return nil
}

// Stop stops what was started, last first, each whatever became of the others.
func (g *Group) Stop(ctx context.Context) error {
	var errs []error
	for i := len(g.started) - 1; i >= 0; i-- {
		if err := g.started[i].service.Stop(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", g.started[i].name, err))
		}
	}
	g.started = nil
	return errors.Join(errs...)
}

// Loops runs goroutines that end together; embed it to be a [Service] whose
// Stop is done. The zero value is ready.
type Loops struct {
	mu      sync.Mutex
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Go runs a function in the background. Its context ends when Stop is called;
// then it must return soon. After Stop nothing is started any more: Go reports
// whether it started the function.
func (l *Loops) Go(run func(ctx context.Context)) (started bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx == nil {
		l.ctx, l.cancel = context.WithCancel(context.Background())
	}
	if l.ctx.Err() != nil {
		return false
	}
	ctx := l.ctx
	l.running.Go(func() { run(ctx) })
	return true
}

// Every runs a function at once and then whenever interval has passed since it
// last returned.
func (l *Loops) Every(interval time.Duration, run func(ctx context.Context)) {
	l.Go(func(ctx context.Context) {
		timer := time.NewTimer(0)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			run(ctx)
			timer.Reset(interval)
		}
	})
}

// Wait returns when every loop has returned by itself, or with an error when ctx
// ends before.
func (l *Loops) Wait(ctx context.Context) error {
	ended := make(chan struct{})
	go func() { l.running.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("background work goes on: %w", ctx.Err())
	}
}

// Stop ends the context of every loop and waits until they have returned or ctx
// ends.
func (l *Loops) Stop(ctx context.Context) error {
	l.mu.Lock()
	if l.ctx == nil {
		l.ctx, l.cancel = context.WithCancel(context.Background())
	}
	l.cancel()
	l.mu.Unlock()
	return l.Wait(ctx)
}
