package account

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/svc-dev/svc/internal/fault"
)

// Bounds on hashing passwords. One hash takes 19 MiB and a processor for some
// 30 ms.
const (
	maxHashes = 4 // at once: 76 MiB
	// maxHashWait is how long a request waits for its turn.
	maxHashWait = 10 * time.Second
	// maxHashLines is how many clients wait at once.
	maxHashLines = 1000
)

// hasher lets a few passwords be hashed at once. Clients take turns: one that
// sends many waits for itself, and keeps others waiting for one hash at most.
type hasher struct {
	slots   chan struct{}
	maxWait time.Duration

	mu    sync.Mutex
	lines map[string]*clientQueue // by client address, while it hashes or waits
}

// clientQueue is where the requests of one client wait for each other.
type clientQueue struct {
	turn    chan struct{}
	members int
}

// newHasher leaves half of the processors to everything else.
func newHasher() *hasher {
	slots := min(max(runtime.GOMAXPROCS(0)/2, 1), maxHashes)
	return &hasher{slots: make(chan struct{}, slots), maxWait: maxHashWait, lines: map[string]*clientQueue{}}
}

// run does the work when it is the client's turn. It fails with code
// rate_limited when that takes too long, and with the context's error when the
// context ends before.
func (h *hasher) run(ctx context.Context, client string, work func()) error {
	busy := fault.Limited(h.maxWait, "too many sign-ins at once; try again")
	l := h.join(client)
	if l == nil {
		return busy
	}
	defer h.leave(client, l)
	waiting, cancel := context.WithTimeoutCause(ctx, h.maxWait, busy)
	defer cancel()
	for _, place := range []chan struct{}{l.turn, h.slots} {
		select {
		case place <- struct{}{}:
			defer func() { <-place }()
		case <-waiting.Done():
			return context.Cause(waiting)
		}
	}
	work()
	return nil
}

// join returns the client's line, or nil when too many clients wait.
func (h *hasher) join(client string) *clientQueue {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, ok := h.lines[client]
	if !ok {
		if len(h.lines) >= maxHashLines {
			return nil
		}
		l = &clientQueue{turn: make(chan struct{}, 1)}
		h.lines[client] = l
	}
	l.members++
	return l
}

func (h *hasher) leave(client string, l *clientQueue) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l.members--; l.members == 0 {
		delete(h.lines, client)
	}
}
