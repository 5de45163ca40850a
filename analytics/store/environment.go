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
	env *frame.Environment

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
}

// day is the state of one home day.
type day struct {
	bounds  bounds
	loaded  bool
	used    time.Time
	loading *task           // while it is being read
	changed []frame.Session // what polls saw while it was being read
	stale   bool            // lost sessions while it was being read: read it again
}

// open reads everything of an environment but its sessions, in one snapshot.
func (s *Store) open(ctx context.Context, id int64) (*environment, error) {
	e := &environment{id: id, env: frame.NewEnvironment(), days: map[int32]*day{}, purchases: map[int64]frame.Purchase{}}
	err := pgx.BeginTxFunc(ctx, s.pool, readSnapshot, func(tx pgx.Tx) error {
		var err error
		if e.seen, err = currentSnapshot(ctx, tx); err != nil {
			return err
		}
		days, err := readDays(ctx, tx, id)
		if err != nil {
			return fmt.Errorf("reading the days: %w", err)
		}
		for number, b := range days {
			e.days[number] = &day{bounds: b}
		}
		names, err := readNames(ctx, tx, id, nil)
		if err != nil {
			return fmt.Errorf("reading the names: %w", err)
		}
		e.env.SetNames(names)
		rows, err := tx.Query(ctx, `select `+touchColumns+` from product_analytics_first_touch where environment_id = $1`, id)
		if err != nil {
			return fmt.Errorf("reading first touches: %w", err)
		}
		if err := eachTouch(rows, func(_ int64, t *frame.FirstTouch) {
			s.progress.Store(time.Now().UnixNano())
			e.env.SetFirstTouch(t)
		}); err != nil {
			return fmt.Errorf("reading first touches: %w", err)
		}
		rows, err = tx.Query(ctx, `select `+purchaseColumns+` from revenue_ledger where environment_id = $1`, id)
		if err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		purchases, err := readPurchases(rows)
		if err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		e.setPurchases(purchases)
		return nil
	})
	return e, err
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
	now := time.Now()
	e.used = now
	for number, d := range e.days {
		if d.bounds.first < to && d.bounds.last >= from {
			d.used = now
			days = append(days, number)
		}
	}
	return days
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
		binaryResults, e.id, time.Unix(int64(number)*86400, 0).UTC())
	if err != nil {
		return err
	}
	var session frame.Session
	var waiting []frame.Session
	missing := map[uint32]bool{}
	for rows.Next() {
		if err := decodeSession(rows.RawValues(), &session); err != nil {
			rows.Close()
			return err
		}
		s.progress.Store(time.Now().UnixNano())
		if ids := builder.Missing(session.Hits); len(ids) > 0 {
			for _, id := range ids {
				missing[id] = true
			}
			waiting = append(waiting, clone(&session))
			continue
		}
		builder.Add(&session)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if len(waiting) > 0 {
		ids := make([]uint32, 0, len(missing))
		for id := range missing {
			ids = append(ids, id)
		}
		names, err := readNames(ctx, conn, e.id, ids)
		if err != nil {
			return err
		}
		e.env.SetNames(names)
		builder.RefreshNames()
		for i := range waiting {
			builder.Add(&waiting[i])
		}
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
