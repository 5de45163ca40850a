package store

import (
	"sync/atomic"
	"time"
)

// task is work that several requests wait for.
type task struct {
	done chan struct{}
	err  error // valid when done is closed
}

// start runs f in a goroutine that the store waits for when it closes.
func (s *Store) start(f func() error) *task {
	t := &task{done: make(chan struct{})}
	s.running.Add(1)
	go func() {
		defer s.running.Done()
		t.err = f()
		close(t.done)
	}()
	return t
}

// progressed tells those who wait that the database answers.
func (s *Store) progressed() { s.progress.Store(time.Now().UnixNano()) }

// clock is a moment that goroutines set, in Unix nanoseconds.
type clock = atomic.Int64
