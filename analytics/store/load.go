package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/frame"
)

// touchPiece is how many first touches or purchases are read at a time: some megabytes, so that the pauses
// between two pieces don't show.
const touchPiece = 1 << 15

// readSnapshot is one snapshot for several queries.
var readSnapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// open reads everything of an environment but its sessions, in one snapshot. The sessions of the range
// that it is opened for are read beside it, as soon as their days are known.
func (s *Store) open(ctx context.Context, t *task, id int64, wanted span) (*replica, error) {
	r := newReplica(id)
	r.polled = time.Now()
	err := pgx.BeginTxFunc(ctx, s.pool, readSnapshot, func(tx pgx.Tx) error {
		var err error
		if r.seen, err = currentSnapshot(ctx, tx); err != nil {
			return err
		}
		names, err := readNames(ctx, tx, id, nil)
		if err != nil {
			return fmt.Errorf("reading the names: %w", err)
		}
		r.data.SetNames(names)
		if r.sessionBytes, err = bytesOfSession(ctx, tx, id); err != nil {
			return fmt.Errorf("reading the size of sessions: %w", err)
		}
		dates, err := homeDays(ctx, tx, id)
		if err != nil {
			return fmt.Errorf("reading the days: %w", err)
		}
		near, far := split(dates, wanted)
		if err := r.addDays(ctx, tx, near, t.progress); err != nil {
			return err
		}
		s.loops.Go(func(ctx context.Context) {
			_, _ = s.load(ctx, r, r.daysIn(wanted.from, wanted.to)) // the request that opens it finds out itself
		})
		if err := s.readTouches(ctx, tx, r, t); err != nil {
			return fmt.Errorf("reading first touches: %w", err)
		}
		if err := r.readPurchases(ctx, tx, t.progress); err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		return r.addDays(ctx, tx, far, t.progress)
	})
	return r, err
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
func (r *replica) addDays(ctx context.Context, tx pgx.Tx, dates []time.Time, progress func()) error {
	days, err := catalogue(ctx, tx, r.id, dates, progress)
	if err != nil {
		return fmt.Errorf("reading the days: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for number, c := range days {
		r.days[number] = &day{catalogued: c}
	}
	return nil
}

// readTouches reads the first touches of all visitors as far as there is room for them.
func (s *Store) readTouches(ctx context.Context, tx pgx.Tx, r *replica, t *task) error {
	touches := r.data.NewTouches()
	var touch frame.FirstTouch
	all := cursor{
		query: `select ` + touchColumns + ` from product_analytics_first_touch where environment_id = $1`,
		args:  []any{r.id}, formats: touchFormats, piece: touchPiece,
	}
	return all.each(ctx, tx, func(raw [][]byte) error {
		decodeTouch(raw, &touch)
		touches.Set(&touch)
		return nil
	}, func() error {
		touches.Flush()
		t.progress()
		return s.makeRoom(r, nil, 0)
	})
}

// readPurchases reads the whole ledger.
func (r *replica) readPurchases(ctx context.Context, tx pgx.Tx, progress func()) error {
	var purchases []purchase
	all := cursor{
		query: `select ` + purchaseColumns + ` from revenue_ledger where environment_id = $1`,
		args:  []any{r.id}, formats: purchaseFormats, piece: touchPiece,
	}
	err := all.each(ctx, tx, func(raw [][]byte) error {
		p, err := decodePurchase(raw)
		purchases = append(purchases, p)
		return err
	}, func() error {
		progress()
		return nil
	})
	r.setPurchases(purchases)
	return err
}

// load reads the days that are missing and makes room for them. It tells whether it read any.
func (s *Store) load(ctx context.Context, r *replica, days []int32) (bool, error) {
	expected, total := r.expected(days, s.settings.Loaders)
	if err := s.makeRoom(r, days, total); err != nil {
		return false, err
	}
	defer func() { s.release(total) }()
	r.markUsed(days)
	tasks := s.startLoads(r, days)
	for _, t := range tasks {
		if err := s.wait(ctx, t); err != nil {
			return false, err
		}
		for number, bytes := range expected {
			if r.isLoaded(number) {
				s.release(bytes)
				total -= bytes
				delete(expected, number)
			}
		}
		if err := s.makeRoom(r, days, 0); err != nil {
			s.trim()
			return false, err
		}
	}
	return len(tasks) > 0, nil
}

// startLoads starts to read the days that are missing. It returns their tasks, and those of days that are
// being read already.
func (s *Store) startLoads(r *replica, days []int32) (tasks []*task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, number := range days {
		d := r.days[number]
		if d.loaded {
			continue
		}
		if d.loading == nil {
			d.loading = s.start(hangLimit, func(ctx context.Context, t *task) error { return s.loadDay(ctx, t, r, number) })
		}
		tasks = append(tasks, d.loading)
	}
	return tasks
}

// loadDay reads one home day into a frame when its turn comes.
func (s *Store) loadDay(ctx context.Context, t *task, r *replica, number int32) error {
	part, err := s.readDay(ctx, t, r, number)
	if err == nil {
		err = r.writing.acquire(ctx)
	}
	if err != nil {
		r.giveUp(number)
		return fmt.Errorf("reading the sessions of a day: %w", err)
	}
	defer r.writing.release()
	r.put(number, part)
	return nil
}

// readDay reads the sessions of a home day. Names that they use and the dataset does not know yet are
// read after them: they were written before.
func (s *Store) readDay(ctx context.Context, t *task, r *replica, number int32) (*frame.Part, error) {
	if err := t.queue(ctx, s.loaders); err != nil {
		return nil, err
	}
	defer s.loaders.release()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	builder := r.builder()
	defer r.builders.Put(builder)
	rows, err := conn.Query(ctx, `select `+sessionColumns+` from product_session
		where environment_id = $1 and home_day = $2`,
		sessionFormats, r.id, dateOf(number))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	in := intake{builder: builder, progress: t.progress, memory: gauge{total: &s.loading}}
	defer in.memory.end()
	for rows.Next() {
		if err := in.add(rows.RawValues()); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if err := in.addWaiting(ctx, conn, r.id, r.data.SetNames); err != nil {
		return nil, err
	}
	return builder.Seal(), nil
}
