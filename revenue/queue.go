package revenue

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/svc-dev/svc/revenue/fold"
)

const (
	// maxTogether is how many deliveries are booked in one transaction, so that the first of them waits for its answer
	// a fraction of a second.
	maxTogether = 64
	// maxTogetherBytes is how much of deliveries is in one transaction, beyond its first one.
	maxTogetherBytes = 4 << 20
	// bookingTime bounds a transaction: providers wait less for an answer.
	bookingTime = 30 * time.Second
)

// place is where deliveries are booked one after another.
type place struct {
	environment int64
	provider    fold.Provider
}

// queues are the deliveries that wait, by the place where they are booked. While one group is booked the next one
// gathers, so that a commit is that of all who have come in the meantime. The zero value is ready.
type queues struct {
	mu sync.Mutex
	at map[place]*queue // as many as connections have environments
}

type queue struct {
	turn   sync.Mutex // held while a group is booked
	filled *group     // that deliveries may join; nil when there is none
}

// group is deliveries that are booked together. Whoever brings the first one books them.
type group struct {
	list     []opened
	bytes    int
	booked   chan struct{} // closed when receipts and errs are known, by the place in list
	receipts []Receipt
	errs     []error
}

// join adds a delivery to a group of its place and returns its index there.
func (q *queues) join(o opened) (at *queue, g *group, i int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.at == nil {
		q.at = map[place]*queue{}
	}
	if at = q.at[o.place()]; at == nil {
		at = &queue{}
		q.at[o.place()] = at
	}
	if g = at.filled; g == nil || len(g.list) == maxTogether || g.bytes+len(o.Body) > maxTogetherBytes {
		g = &group{booked: make(chan struct{})}
		at.filled = g
	}
	g.list, g.bytes = append(g.list, o), g.bytes+len(o.Body)
	return at, g, len(g.list) - 1
}

// close keeps others from joining a group.
func (q *queues) close(at *queue, g *group) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if at.filled == g {
		at.filled = nil
	}
}

// Receive keeps a delivery and books what follows from it, in one transaction: when it returns, both are committed.
// Deliveries that wait for others to be booked share the next transaction. A delivery whose booking fails is kept as
// failed. The error says that nothing was kept, so that the provider must send it again.
func (l *Ledger) Receive(ctx context.Context, d Delivery) (Receipt, error) {
	if err := ctx.Err(); err != nil {
		return Receipt{}, err
	}
	at, g, i := l.queues.join(l.open(d))
	if i == 0 {
		at.turn.Lock()
		l.queues.close(at, g)
		// Others wait for it, too, when the one who came first leaves.
		l.receiveGroup(context.WithoutCancel(ctx), at, g)
	}
	<-g.booked
	return g.receipts[i], g.errs[i]
}

var errBookingStopped = errors.New("booking stopped")

// receiveGroup keeps and books a group, all at once or, when that fails, one by one. It ends the turn.
func (l *Ledger) receiveGroup(ctx context.Context, at *queue, g *group) {
	ctx, cancel := context.WithTimeout(ctx, bookingTime)
	defer cancel()
	g.receipts, g.errs = make([]Receipt, len(g.list)), make([]error, len(g.list))
	for i := range g.errs {
		g.errs[i] = errBookingStopped // unless it comes to an end
	}
	defer func() {
		at.turn.Unlock()
		close(g.booked)
	}()
	where := g.list[0].place()
	receipts, err := l.receiveTogether(ctx, where, g.list)
	if err == nil {
		g.receipts = receipts
		clear(g.errs)
		return
	}
	if len(g.list) == 1 {
		g.errs[0] = err
		return
	}
	for i := range g.list {
		var receipts []Receipt
		if receipts, g.errs[i] = l.receiveTogether(ctx, where, g.list[i:i+1]); g.errs[i] == nil {
			g.receipts[i] = receipts[0]
		}
	}
}
