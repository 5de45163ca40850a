// Package bodylimit bounds what request bodies take of the machine: one budget
// of memory for all of them, from the first byte that arrives to the events that
// they become, and a few turns at the processors for the large ones. No client
// has more than its share of either, so that one who floods the server does not
// shut the others out.
package bodylimit

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/svc-dev/svc/internal/turns"
)

// ErrFull says that the memory for bodies, or the client's share of it, is in
// use. The client may send the same request again a second later.
var ErrFull = errors.New("the memory for request bodies is in use")

// Smallest is the smallest budget that is of use: the largest body of the SDK
// interface, 20 MiB, fits packed, unpacked and with room to spare.
const Smallest = 44 << 20

// Budget is the memory, in bytes, that all bodies take together. It is safe for
// concurrent use. A nil Budget has no bounds.
type Budget struct {
	total, share int64
	turns        *turns.Turns[string]

	mu      sync.Mutex
	taken   int64
	clients map[string]int64 // what each takes; those who take nothing are absent
}

// New makes a budget of total bytes, at least [Smallest]. A client may take half
// of it, or Smallest where that is more. Half of the processors, one or two of
// them, work on large bodies: what decoding takes besides the body is in memory
// that many times.
func New(total int64) *Budget {
	total = max(total, Smallest)
	places := min(max(1, runtime.GOMAXPROCS(0)/2), maxTurns)
	return &Budget{
		total:   total,
		share:   max(total/2, Smallest),
		turns:   turns.New[string](places, places),
		clients: map[string]int64{},
	}
}

// Taken returns how many bytes are in use: a gauge for metrics.
func (b *Budget) Taken() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken
}

// Hold returns an empty hold of a client, which is any text that tells clients
// apart, such as an address.
func (b *Budget) Hold(client string) Hold { return Hold{budget: b, client: client} }

// add changes what a client takes by n bytes, which may be negative.
func (b *Budget) add(client string, n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > 0 && (b.taken+n > b.total || b.clients[client]+n > b.share) {
		return ErrFull
	}
	b.taken += n
	if b.clients[client] += n; b.clients[client] == 0 {
		delete(b.clients, client)
	}
	return nil
}

// Hold is what one request takes of a budget. It belongs to one goroutine at a
// time. A nil Hold has no bounds.
type Hold struct {
	budget *Budget
	client string
	bytes  int64
}

// Resize makes the hold n bytes large. [ErrFull] leaves it as it was.
func (h *Hold) Resize(n int64) error {
	if h == nil || h.budget == nil || n == h.bytes {
		return nil
	}
	if err := h.budget.add(h.client, n-h.bytes); err != nil {
		return err
	}
	h.bytes = n
	return nil
}

// Release gives everything back. It may be called again.
func (h *Hold) Release() { _ = h.Resize(0) } // shrinking never fails

// Split moves n bytes, at most all, into a hold that is released by itself.
func (h *Hold) Split(n int64) *Hold {
	if h == nil || h.budget == nil {
		return nil
	}
	n = min(n, h.bytes)
	h.bytes -= n
	return &Hold{budget: h.budget, client: h.client, bytes: n}
}

// Turn waits until the processors have room for one more large body, and returns
// what ends the turn. A turn is for computing: nobody waits for the network or
// the database in it. The error is [ErrFull] after four seconds, or that of ctx.
func (h *Hold) Turn(ctx context.Context) (end func(), err error) {
	if h == nil || h.budget == nil {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, ErrFull)
	defer cancel()
	return h.budget.turns.Take(ctx, h.client)
}

type holdKey struct{}

// WithHold returns a context that carries what the request takes of a budget, for those
// who make more of its body than was read.
func WithHold(ctx context.Context, hold *Hold) context.Context {
	return context.WithValue(ctx, holdKey{}, hold)
}

// HoldOf returns what the request of ctx takes of a budget; nil, which has no bounds, when
// it carries none.
func HoldOf(ctx context.Context) *Hold {
	hold, _ := ctx.Value(holdKey{}).(*Hold)
	return hold
}
