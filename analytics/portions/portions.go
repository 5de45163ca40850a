// Package portions reads what memory does not hold at once, a portion at a time, for several readers together.
package portions

import (
	"context"
	"sync"
	"time"
)

// Shared reads portions for all who ask at about the same time. It is safe for concurrent use.
type Shared[P any] struct {
	each func(ctx context.Context, visit func(portion P) error) error
	wait time.Duration
	turn chan struct{} // of one place, taken while reading

	mu      sync.Mutex
	waiting []*reader[P]
}

// reader waits for portions. Who has the turn may write to it.
type reader[P any] struct {
	visit func(portion P) error
	done  bool
	err   error
}

// Share returns a shared reading of what each visits. Who asks first waits that long for others.
func Share[P any](wait time.Duration, each func(ctx context.Context, visit func(portion P) error) error) *Shared[P] {
	return &Shared[P]{each: each, wait: wait, turn: make(chan struct{}, 1)}
}

// Read calls visit with every portion. Who reads together reads under the context of the first of them, which ends it
// for all: they belong to one request. An error of one visit is an error for all.
func (s *Shared[P]) Read(ctx context.Context, visit func(portion P) error) error {
	mine := &reader[P]{visit: visit}
	s.mu.Lock()
	s.waiting = append(s.waiting, mine)
	s.mu.Unlock()
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-s.turn }()
	if mine.done {
		return mine.err
	}
	wait := time.NewTimer(s.wait)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.mu.Lock()
	readers := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	err := s.each(ctx, func(portion P) error {
		for _, r := range readers {
			if err := r.visit(portion); err != nil {
				return err
			}
		}
		return nil
	})
	for _, r := range readers {
		r.done, r.err = true, err
	}
	return err
}
