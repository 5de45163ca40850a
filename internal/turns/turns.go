// Package turns shares the places of a pool of workers among those who use it, turn by turn: many requests of one
// client or workspace do not keep the single one of another.
package turns

import (
	"context"
	"slices"
	"sync"
)

// Turns has places, and lines of those who wait for one: a line for each key, which tells users of the pool apart. A
// free place goes to the next line, whoever came first. It is safe for concurrent use.
type Turns[K comparable] struct {
	share int

	mu      sync.Mutex
	free    int
	taken   map[K]int             // places of each key; those without one are absent
	waiting map[K][]chan struct{} // first come first
	lines   []K                   // keys that wait, the next one first
}

// New makes a pool of places of which one key has at most share.
func New[K comparable](places, share int) *Turns[K] {
	return &Turns[K]{share: share, free: places, taken: map[K]int{}, waiting: map[K][]chan struct{}{}}
}

// Half returns the share with which two stalled users at least are needed to hold a pool.
func Half(places int) int { return (places + 1) / 2 }

// Take waits for a place and returns what gives it back, which is called once. The error is the cause of ctx's end.
func (t *Turns[K]) Take(ctx context.Context, key K) (end func(), err error) {
	end = func() { t.end(key) }
	t.mu.Lock()
	if t.free > 0 && t.taken[key] < t.share { // so nobody waits who might have it
		t.taken[key]++
		t.free--
		t.mu.Unlock()
		return end, nil
	}
	begin := make(chan struct{})
	if len(t.waiting[key]) == 0 {
		t.lines = append(t.lines, key)
	}
	t.waiting[key] = append(t.waiting[key], begin)
	t.mu.Unlock()
	select {
	case <-begin:
		return end, nil
	case <-ctx.Done():
	}
	if !t.leave(key, begin) {
		end() // the turn came at the same moment
	}
	return nil, context.Cause(ctx)
}

// give gives free places to those whose turn it is. The lock is held.
func (t *Turns[K]) give() {
	for t.free > 0 {
		next := slices.IndexFunc(t.lines, func(key K) bool { return t.taken[key] < t.share })
		if next < 0 {
			return
		}
		key := t.lines[next]
		t.lines = slices.Delete(t.lines, next, next+1)
		close(t.waiting[key][0])
		if t.waiting[key] = t.waiting[key][1:]; len(t.waiting[key]) == 0 {
			delete(t.waiting, key)
		} else {
			t.lines = append(t.lines, key)
		}
		t.taken[key]++
		t.free--
	}
}

func (t *Turns[K]) end(key K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	if t.taken[key]--; t.taken[key] == 0 {
		delete(t.taken, key)
	}
	t.give()
}

// Waiting returns how many of a key wait.
func (t *Turns[K]) Waiting(key K) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting[key])
}

// Free returns how many places nobody has.
func (t *Turns[K]) Free() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.free
}

// leave ends the waiting of one. It reports false when its turn has come.
func (t *Turns[K]) leave(key K, begin chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiting[key], begin)
	if i < 0 {
		return false
	}
	t.waiting[key] = slices.Delete(t.waiting[key], i, i+1)
	if len(t.waiting[key]) == 0 {
		delete(t.waiting, key)
		t.lines = slices.DeleteFunc(t.lines, func(other K) bool { return other == key })
	}
	return true
}
