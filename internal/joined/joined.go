// Package joined reads once what many ask for at the same time.
package joined

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Reads joins those who ask for the value of a key at the same time: one read answers all of them. It begins after
// each of them has asked, so that nobody learns what was true before they asked; who asks while one runs waits for the
// next. Values are shared, so nobody may change them. The zero value is ready. It is safe for concurrent use.
type Reads[K comparable, V any] struct {
	mu    sync.Mutex
	lines map[K]*line[V]
}

// line is the reads of a key: one that runs, and the one that those who wait have joined.
type line[V any] struct {
	running, next *read[V]
}

type read[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// Read returns the value of the key. What it is read by outlives the caller whose context it was begun with, as long as
// the limit allows: others wait for it too.
func (r *Reads[K, V]) Read(
	ctx context.Context, key K, limit time.Duration, by func(context.Context) (V, error),
) (V, error) {
	joined := r.join(ctx, key, limit, by)
	select {
	case <-joined.done:
		return joined.value, joined.err
	case <-ctx.Done():
		var none V
		return none, context.Cause(ctx)
	}
}

func (r *Reads[K, V]) join(
	ctx context.Context, key K, limit time.Duration, by func(context.Context) (V, error),
) *read[V] {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lines[key]
	if l == nil {
		if r.lines == nil {
			r.lines = map[K]*line[V]{}
		}
		l = &line[V]{}
		r.lines[key] = l
	}
	if l.next == nil {
		l.next = &read[V]{done: make(chan struct{})}
		go r.run(context.WithoutCancel(ctx), key, l.running, limit, by)
	}
	return l.next
}

// run waits for the read before and carries out the next one, which nobody joins from then on.
func (r *Reads[K, V]) run(
	ctx context.Context, key K, before *read[V], limit time.Duration, by func(context.Context) (V, error),
) {
	if before != nil {
		<-before.done
	}
	r.mu.Lock()
	l := r.lines[key]
	current := l.next
	l.running, l.next = current, nil
	r.mu.Unlock()
	reading, cancel := context.WithTimeout(ctx, limit)
	current.value, current.err = safely(reading, by)
	cancel()
	r.mu.Lock()
	if l.next == nil {
		delete(r.lines, key)
	}
	r.mu.Unlock()
	close(current.done)
}

// safely makes an error of a panic, which would end the server: no request's own goroutine is above it.
func safely[V any](ctx context.Context, by func(context.Context) (V, error)) (value V, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("a read panicked: %v", reason)
		}
	}()
	return by(ctx)
}
