package bodylimit

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// Large is the size in bytes from which a body waits for its turn to be
	// unpacked and decoded. Below, either takes a few milliseconds, whatever is in
	// it: what a batch says once for all its events costs time for each of them.
	Large = 32 << 10
	// maxTurns is how many large bodies are worked on at a time.
	maxTurns = 2
	// patience is how long a large body waits for a turn: with the rest of its
	// way a client of a busy server is answered within five seconds.
	patience = 4 * time.Second
)

// turns lets a few large bodies at a time have the processors. When a turn is
// free it goes to the next client of those that wait, whoever came first, so
// that the many bodies of one do not keep the single one of another.
type turns struct {
	mu      sync.Mutex
	free    int
	waiting map[string][]chan struct{} // by client, first come first
	clients []string                   // those that wait, the next one first
}

// take waits for a turn.
func (t *turns) take(ctx context.Context, client string) error {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	begin := make(chan struct{})
	if len(t.waiting[client]) == 0 {
		t.clients = append(t.clients, client)
	}
	t.waiting[client] = append(t.waiting[client], begin)
	t.mu.Unlock()

	timer := time.NewTimer(patience)
	defer timer.Stop()
	err := ErrFull
	select {
	case <-begin:
		return nil
	case <-timer.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if !t.leave(client, begin) {
		t.end() // the turn came at the same moment
	}
	return err
}

// leave ends the waiting of one body. It reports false when its turn has come.
func (t *turns) leave(client string, begin chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiting[client], begin)
	if i < 0 {
		return false
	}
	t.waiting[client] = slices.Delete(t.waiting[client], i, i+1)
	if len(t.waiting[client]) == 0 {
		delete(t.waiting, client)
		t.clients = slices.DeleteFunc(t.clients, func(other string) bool { return other == client })
	}
	return true
}

// end gives the turn to the next client.
func (t *turns) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.clients) == 0 {
		t.free++
		return
	}
	client := t.clients[0]
	t.clients = t.clients[1:]
	bodies := t.waiting[client]
	close(bodies[0])
	if len(bodies) == 1 {
		delete(t.waiting, client)
		return
	}
	t.waiting[client] = bodies[1:]
	t.clients = append(t.clients, client)
}
