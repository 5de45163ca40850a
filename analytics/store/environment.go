package store

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/frame"
)

// environment is the cache of one environment. A day that lost sessions is read anew. The
// environment is thrown away whole when first touches or ledger rows disappear, because what is
// gone can't be followed by transaction id.
type environment struct {
	id  int64
	env *frame.Dataset

	// builders are kept between days, because they remember the codes of values.
	builders sync.Pool

	// write serialises changes of env, so that a poll and a load don't lose each other's.
	write sync.Mutex

	mu        sync.Mutex
	seen      snapshot // what has been read
	days      map[int32]*day
	purchases map[int64]frame.Purchase
	view      *frame.View // of the current contents, nil after a change
	used      time.Time

	sessionBytes float64 // what a session of days that were never loaded may take
}

// day is the state of one home day.
type day struct {
	catalogued
	loaded  bool
	bytes   int64 // of the frame when it was dropped, 0 when it was never loaded
	used    time.Time
	loading *task           // while it is being read
	changed []frame.Session // what polls saw while it was being read
	stale   bool            // lost sessions while it was being read: read it again
}

// open reads everything of an environment but its sessions, in one snapshot. The sessions of the range
// that it is opened for are read beside it, as soon as their days are known.
func (s *Store) open(ctx context.Context, id int64, wanted span) (*environment, error) {
	e := &environment{id: id, env: frame.NewDataset(), days: map[int32]*day{}, purchases: map[int64]frame.Purchase{}}
	err := pgx.BeginTxFunc(ctx, s.pool, readSnapshot, func(tx pgx.Tx) error {
		var err error
		if e.seen, err = currentSnapshot(ctx, tx); err != nil {
			return err
		}
		names, err := readNames(ctx, tx, id, nil)
		if err != nil {
			return fmt.Errorf("reading the names: %w", err)
		}
		e.env.SetNames(names)
		if e.sessionBytes, err = bytesOfSession(ctx, tx, id); err != nil {
			return fmt.Errorf("reading the size of sessions: %w", err)
		}
		dates, err := homeDays(ctx, tx, id)
		if err != nil {
			return fmt.Errorf("reading the days: %w", err)
		}
		near, far := split(dates, wanted)
		if err := s.addDays(ctx, tx, e, near); err != nil {
			return err
		}
		s.start(func() error {
			_, err := s.load(s.base, e, e.needed(wanted.from, wanted.to))
			return err // the request that opens the environment finds out itself
		})
		if err := s.readTouches(ctx, tx, e); err != nil {
			return fmt.Errorf("reading first touches: %w", err)
		}
		rows, err := tx.Query(ctx, `select `+purchaseColumns+` from revenue_ledger where environment_id = $1`, id)
		if err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		purchases, err := readPurchases(rows)
		if err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		e.setPurchases(purchases)
		return s.addDays(ctx, tx, e, far)
	})
	return e, err
}

// split tells the days that a range most likely needs from the others. A session may begin the day
// before; one with hits far from its home day is found when all days are known.
func split(dates []time.Time, wanted span) (near, far []time.Time) {
	from, to := time.UnixMilli(wanted.from).AddDate(0, 0, -2), time.UnixMilli(wanted.to)
	for _, date := range dates {
		if date.After(from) && date.Before(to) {
			near = append(near, date)
		} else {
			far = append(far, date)
		}
	}
	return near, far
}

// addDays adds days that are not loaded yet to those that are known.
func (s *Store) addDays(ctx context.Context, tx pgx.Tx, e *environment, dates []time.Time) error {
	days, err := catalogue(ctx, tx, e.id, dates, s.progressed)
	if err != nil {
		return fmt.Errorf("reading the days: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for number, c := range days {
		e.days[number] = &day{catalogued: c}
	}
	return nil
}

// readTouches reads the first touches of all visitors as far as there is room for them.
func (s *Store) readTouches(ctx context.Context, tx pgx.Tx, e *environment) error {
	rows, err := tx.Query(ctx, `select `+touchColumns+` from product_analytics_first_touch where environment_id = $1`, touchFormats, e.id)
	if err != nil {
		return err
	}
	n, touches := 0, e.env.NewTouches()
	defer touches.Flush()
	return eachTouch(rows, func(_ int64, t *frame.FirstTouch) error {
		touches.Set(t)
		if n++; n%checkEach != 0 {
			return nil
		}
		s.progressed()
		return s.makeRoom(e, nil, 0)
	})
}

// readSnapshot is one snapshot for several queries.
var readSnapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// setPurchases stores ledger rows; a row replaces its earlier version.
func (e *environment) setPurchases(changed []purchase) {
	if len(changed) == 0 {
		return
	}
	fresh := true
	for _, p := range changed {
		_, known := e.purchases[p.id]
		fresh = fresh && !known
		e.purchases[p.id] = p.row
	}
	if fresh {
		rows := make([]frame.Purchase, len(changed))
		for i, p := range changed {
			rows[i] = p.row
		}
		e.env.AddPurchases(rows)
		return
	}
	rows := make([]frame.Purchase, 0, len(e.purchases))
	for _, p := range e.purchases {
		rows = append(rows, p)
	}
	e.env.SetPurchases(rows)
}

// needed are the days that may have hits in [from, to), in Unix milliseconds.
func (e *environment) needed(from, to int64) (days []int32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.used = time.Now()
	for number, d := range e.days {
		if d.bounds.meets(from, to) {
			days = append(days, number)
		}
	}
	return days
}

// touch notes that the environment and the days are used now.
func (e *environment) touch(days []int32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	e.used = now
	for _, number := range days {
		e.days[number].used = now
	}
}

// has tells whether a day is loaded.
func (e *environment) has(number int32) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.days[number].loaded
}

// current is a view of what is loaded.
func (e *environment) current() *frame.View {
	e.write.Lock()
	defer e.write.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.view == nil {
		e.view = e.env.View(math.MinInt32, math.MaxInt32)
	}
	return e.view
}

// builder is an empty builder that knows the names of now.
func (e *environment) builder() *frame.Builder {
	if b, ok := e.builders.Get().(*frame.Builder); ok {
		b.Discard()
		return b
	}
	return e.env.NewBuilder()
}

// loadDay reads one home day into a frame. Names that the sessions use and the environment does
// not know yet are read after them: they were written before. A day that loses sessions meanwhile
// is left unloaded.
func (s *Store) loadDay(ctx context.Context, e *environment, number int32) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	builder := e.builder()
	defer e.builders.Put(builder)
	rows, err := conn.Query(ctx, `select `+sessionColumns+` from product_session where environment_id = $1 and home_day = $2`,
		sessionFormats, e.id, time.Unix(int64(number)*86400, 0).UTC())
	if err != nil {
		return err
	}
	in := intake{store: s, builder: builder, held: gauge{total: &s.loading}}
	defer in.held.end()
	if err := in.rows(rows, func() error { return nil }); err != nil {
		return err
	}
	if err := in.late(ctx, conn, e.id, e.env.SetNames); err != nil {
		return err
	}
	part := builder.Seal()

	e.write.Lock()
	defer e.write.Unlock()
	e.mu.Lock()
	d := e.days[number]
	changed, stale := d.changed, d.stale
	d.changed, d.loading, d.stale = nil, nil, false
	if !stale {
		e.env.Put(number, part)
		d.loaded, e.view = true, nil
	}
	e.mu.Unlock()
	e.env.Upsert(changed)
	return nil
}
