package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/internal/mapped"
)

// touchPiece is how many first touches or purchases are read at a time: some megabytes, so that the pauses
// between two pieces don't show.
const touchPiece = 1 << 15

// open reads everything of an environment but its sessions and runs, in one snapshot. The sessions that it is opened
// for are read beside it, as soon as their days are known. Of runs nothing is read.
func (s *Store) open(ctx context.Context, t *task, id int64, needs []need) (*replica, error) {
	if r, err := s.reopen(ctx, t, id); r != nil || err != nil {
		return r, err
	}
	r := s.newReplica(id)
	r.polled = time.Now()
	err := s.reader.Read(ctx, func(tx pgx.Tx) error {
		var err error
		if r.seen, err = currentSnapshot(ctx, tx, r.id); err != nil {
			return err
		}
		dates, err := r.readNames(ctx, tx, sessionTable)
		if err != nil {
			return err
		}
		near, far := split(dates, needs)
		if err := r.addDays(ctx, tx, sessionTable, near, t.progress); err != nil {
			return err
		}
		s.loops.Go(func(ctx context.Context) {
			_, _ = s.load(ctx, r, r.daysOf(needs)) // the request that opens it finds out itself
		})
		if err := s.readTouches(ctx, tx, r, t); err != nil {
			return fmt.Errorf("reading first touches: %w", err)
		}
		if err := r.readPurchases(ctx, tx, t.progress); err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		c := &r.catalogues[frame.Sessions]
		c.followed, c.known = true, true
		return r.addDays(ctx, tx, sessionTable, far, t.progress)
	})
	return r, err
}

// split tells the days of sessions that are most likely needed from the others. A session may begin the day
// before; one with hits far from its home day is found when all days are known.
func split(dates []time.Time, needs []need) (near, far []time.Time) {
	for _, date := range dates {
		if slices.ContainsFunc(needs, func(n need) bool {
			from, to := time.UnixMilli(n.from).AddDate(0, 0, -2), time.UnixMilli(n.to)
			return n.rows == frame.Sessions && date.After(from) && date.Before(to)
		}) {
			near = append(near, date)
		} else {
			far = append(far, date)
		}
	}
	return near, far
}

// know makes the days of the rows of a type known, which polls follow from then on.
func (s *Store) know(ctx context.Context, r *replica, t *table) error {
	for {
		reading := s.startCatalogue(r, t)
		if reading == nil {
			return nil
		}
		if err := s.wait(ctx, reading); err != nil {
			return err
		}
	}
}

// startCatalogue starts to read which days have rows of a type, unless somebody does already or they are known. It
// returns the task, or nil when they are known.
func (s *Store) startCatalogue(r *replica, t *table) *task {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &r.catalogues[t.rows]
	if c.known {
		return nil
	}
	if c.reading == nil {
		c.followed = true
		c.reading = s.start(hangLimit, func(ctx context.Context, task *task) error {
			err := s.readCatalogue(ctx, task, r, t)
			r.mu.Lock()
			defer r.mu.Unlock()
			c.reading, c.known = nil, err == nil
			return err
		})
	}
	return c.reading
}

// readCatalogue reads which days have rows of a type. It waits for a poll first that brings their changes, so that
// what its own snapshot does not see is seen by a later poll.
func (s *Store) readCatalogue(ctx context.Context, task *task, r *replica, t *table) error {
	if err := s.follow(ctx, r, time.Now()); err != nil {
		return err
	}
	return s.reader.Read(ctx, func(tx pgx.Tx) error {
		if _, err := currentSnapshot(ctx, tx, r.id); err != nil {
			return err
		}
		dates, err := r.readNames(ctx, tx, t)
		if err != nil {
			return err
		}
		return r.addDays(ctx, tx, t, dates, task.progress)
	})
}

// readNames reads the names of the rows of a type, what a row takes, and their home days.
func (r *replica) readNames(ctx context.Context, tx pgx.Tx, t *table) ([]time.Time, error) {
	names, err := t.readNames(ctx, tx, r.id, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the names: %w", err)
	}
	t.setNames(r.data, names)
	rowBytes, err := t.bytesOfRow(ctx, tx, r.id)
	if err != nil {
		return nil, fmt.Errorf("reading the size of rows: %w", err)
	}
	r.mu.Lock()
	r.catalogues[t.rows].rowBytes = rowBytes
	r.mu.Unlock()
	dates, err := t.homeDays(ctx, tx, r.id)
	if err != nil {
		return nil, fmt.Errorf("reading the days: %w", err)
	}
	return dates, nil
}

// addDays adds days to those that are known, which polls may have done before.
func (r *replica) addDays(ctx context.Context, tx pgx.Tx, t *table, dates []time.Time, progress func()) error {
	days, err := t.catalogue(ctx, tx, r.id, dates, progress)
	if err != nil {
		return fmt.Errorf("reading the days: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, c := range days {
		if known := r.days[key]; known != nil {
			c.bounds = c.bounds.join(known.bounds)
		}
		r.days[key] = &day{catalogued: c}
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
	var purchases []frame.Purchase
	all := cursor{
		query: `select ` + purchaseColumns + ` from ` + bookedLedger + ` where environment_id = $1`,
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
	r.data.UpsertPurchases(purchases)
	return err
}

// load reads the days that are missing and makes room for them. It tells whether it read any.
func (s *Store) load(ctx context.Context, r *replica, days []dayKey) (bool, error) {
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
		for key, bytes := range expected {
			if r.isLoaded(key) {
				s.release(bytes)
				total -= bytes
				delete(expected, key)
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
func (s *Store) startLoads(r *replica, days []dayKey) (tasks []*task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range days {
		d := r.days[key]
		if d.loaded {
			continue
		}
		switch {
		case d.loading != nil:
		case d.saved != nil:
			d.loading = s.start(hangLimit, func(ctx context.Context, t *task) error { return s.verifyDay(ctx, t, r, key) })
		default:
			d.loading = s.start(hangLimit, func(ctx context.Context, t *task) error {
				err := mapped.Guard(func() error { return s.loadDay(ctx, t, r, key) }) // who came is looked for in files
				if isDistrust(err) {
					s.distrust(r, err)
					r.giveUp(key)
					return nil
				}
				return err
			})
		}
		tasks = append(tasks, d.loading)
	}
	return tasks
}

// verifyDay checks the file of a day when its turn comes.
func (s *Store) verifyDay(ctx context.Context, t *task, r *replica, key dayKey) error {
	leave, err := t.queue(ctx, s.loaders, r.id)
	if err == nil {
		err = s.verify(ctx, r, key)
		leave()
	}
	r.giveUp(key)
	if isDistrust(err) {
		return nil
	}
	return err
}

// loadDay reads one home day into a frame when its turn comes.
func (s *Store) loadDay(ctx context.Context, t *task, r *replica, key dayKey) error {
	part, err := s.readDay(ctx, t, r, key)
	if err == nil {
		part = s.saveDay(r, key, part)
		if err = r.writing.acquire(ctx); err != nil {
			r.files.Remove(r.id, part.File())
		}
	}
	if err != nil {
		r.giveUp(key)
		return fmt.Errorf("reading the rows of a day: %w", err)
	}
	defer r.writing.release()
	return r.put(key, part)
}

// readDay reads the rows of a home day. Names that they use and the dataset does not know yet are
// read after them: they were written before.
func (s *Store) readDay(ctx context.Context, t *task, r *replica, key dayKey) (*frame.Part, error) {
	leave, err := t.queue(ctx, s.loaders, r.id)
	if err != nil {
		return nil, err
	}
	defer leave()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	from := tables[key.rows]
	builder := r.builder(from)
	defer r.builders[key.rows].Put(builder)
	rows, err := conn.Query(ctx, `select `+from.columns+` from `+from.name+`
		where environment_id = $1 and home_day = $2`,
		from.formats, r.id, dateOf(key.number))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	in := intake{table: from, builder: builder, progress: t.progress, memory: gauge{total: &s.loading}}
	defer in.memory.end()
	for rows.Next() {
		if err := in.add(rows.RawValues()); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if err := in.addWaiting(ctx, conn, r.id, func(names []name) { from.setNames(r.data, names) }); err != nil {
		return nil, err
	}
	s.read.Add(1)
	return builder.Seal(), nil
}
