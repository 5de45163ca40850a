package ingest

import (
	"context"
	"sync"
	"time"

	"github.com/svc-dev/svc/internal/bodylimit"
)

// flushBytes bounds what one transaction copies, for batches of events whose
// properties are as large as they may be.
const flushBytes = 16 << 20

// submission is the part of a request that one writer stores.
type submission struct {
	items  []*item
	bytes  int             // about what the items take of memory
	hold   *bodylimit.Hold // of so many bytes; nil without bounds
	queued time.Time
	done   chan error // buffered: a client that left blocks nobody
}

func (s *submission) add(it *item) {
	s.items = append(s.items, it)
	s.bytes += it.estimateSize()
}

// lane is the queue of one writer. Requests wait in it for at most the flush
// delay, or until enough events for a transaction are there.
type lane struct {
	flushEvents int
	flushDelay  time.Duration
	limit       int           // events that may wait
	byteLimit   int           // and their size
	waitLimit   time.Duration // and how long the first of them may wait

	mu      sync.Mutex
	waiting []*submission
	events  int // in waiting
	bytes   int // in waiting
	closed  bool
	wake    chan struct{} // holds one token when the state changed
}

func newLane(s Settings) *lane {
	return &lane{
		flushEvents: s.FlushEvents, flushDelay: s.FlushDelay, limit: s.QueueEvents, byteLimit: s.QueueBytes,
		waitLimit: s.QueueWait, wake: make(chan struct{}, 1),
	}
}

// submit queues a part, or says why it can't. A part larger than the whole
// queue is taken when nothing else waits. When what waits does so for long, the
// database takes less than comes in, or nothing: who came now would wait for
// longer than its client does.
func (l *lane) submit(s *submission) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrUnavailable
	}
	s.queued = time.Now()
	if l.events > 0 && (l.events+len(s.items) > l.limit || l.bytes+s.bytes > l.byteLimit ||
		s.queued.Sub(l.waiting[0].queued) > l.waitLimit) {
		return ErrBusy
	}
	l.waiting = append(l.waiting, s)
	l.events += len(s.items)
	l.bytes += s.bytes
	l.signal()
	return nil
}

func (l *lane) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.signal()
}

func (l *lane) queued() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.events
}

func (l *lane) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// take returns the submissions of the next transaction, or how long to wait for
// more: a negative wait means until something comes. It returns nothing and no
// wait when the lane is closed and empty.
func (l *lane) take() (batch []*submission, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		if l.closed {
			return nil, 0
		}
		return nil, -1
	}
	remaining := l.flushDelay - time.Since(l.waiting[0].queued)
	if remaining > 0 && !l.closed && l.events < l.flushEvents && l.bytes < flushBytes {
		return nil, remaining
	}
	n, events, bytes := 0, 0, 0
	for _, s := range l.waiting {
		if n > 0 && (events+len(s.items) > l.flushEvents || bytes+s.bytes > flushBytes) {
			break
		}
		events += len(s.items)
		bytes += s.bytes
		n++
	}
	batch = l.waiting[:n:n]
	l.waiting = append([]*submission(nil), l.waiting[n:]...)
	l.events -= events
	l.bytes -= bytes
	return batch, 0
}

// run writes until the lane is closed and empty.
func (l *lane) run(ctx context.Context, flush func(context.Context, []*item) error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		batch, wait := l.take()
		switch {
		case batch != nil:
			answer(batch, flushAll(ctx, batch, flush))
		case wait == 0:
			return
		case wait < 0:
			<-l.wake
		default:
			timer.Reset(wait)
			select {
			case <-l.wake:
			case <-timer.C:
			}
		}
	}
}

func flushAll(ctx context.Context, batch []*submission, flush func(context.Context, []*item) error) error {
	n := 0
	for _, s := range batch {
		n += len(s.items)
	}
	items := make([]*item, 0, n)
	for _, s := range batch {
		items = append(items, s.items...)
	}
	return flush(ctx, items)
}

// answer ends the waiting of every request of a batch. A request fails only
// when one of its own events was not decided.
func answer(batch []*submission, err error) {
	for _, s := range batch {
		var own error
		for _, it := range s.items {
			if it.outcome == outcomePending {
				own = err
				break
			}
		}
		s.hold.Release()
		s.done <- own
	}
}
