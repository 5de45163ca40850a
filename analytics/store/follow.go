package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics/frame"
)

// changes is what one poll found.
type changes struct {
	seen      snapshot
	sessions  map[int64][]frame.Session
	names     map[int64][]frame.NameRow
	touches   map[int64][]frame.FirstTouch
	purchases map[int64][]purchase
	gone      map[int64][]int32 // days that lost sessions
	held      map[int64]rowCounts
}

// rowCounts is how many rows without a day an environment with gone sessions has.
type rowCounts struct{ touches, purchases int }

// poll reads, in one snapshot, what the previous poll's snapshot did not see, and brings every open
// environment up to date.
//
// A row is read when the transaction that wrote it last was not visible before. Such a transaction
// is never below the oldest one that ran then (xmin), so the scan starts there, and one that
// commits late is not missed. Reading a session twice does no harm: its whole row replaces the old.
func (s *Store) poll(ctx context.Context) error {
	s.mu.Lock()
	f := following{open: make(map[int64]*environment, len(s.environments))}
	for id, e := range s.environments {
		e.mu.Lock()
		f.open[id] = e
		f.ids, f.snapshots = append(f.ids, id), append(f.snapshots, e.seen.text)
		if f.low == 0 || e.seen.xmin < f.low {
			f.low = e.seen.xmin
		}
		e.mu.Unlock()
	}
	s.mu.Unlock()
	if len(f.open) == 0 {
		return nil
	}
	found, err := f.read(ctx, s.pool)
	if err != nil {
		return err
	}
	for id, e := range f.open {
		e.apply(found)
		// All that was added has been applied, so a difference is what was removed. It can't be
		// followed by transaction id.
		if held, ok := found.held[id]; ok && held != e.held() {
			s.forget(e)
		}
	}
	return nil
}

// following is the environments that a poll reads for, and what each has seen.
type following struct {
	open      map[int64]*environment
	ids       []int64
	snapshots []string
	low       uint64
}

// query asks for rows of a table that the environments have not seen, by its column of transaction
// ids.
func (f *following) query(ctx context.Context, tx querier, columns, table, xid string, args ...any) (pgx.Rows, error) {
	sql := `select ` + columns + ` from ` + table + `
		join unnest($1::bigint[], $2::text[]) as open (id, seen) on open.id = environment_id
		where ` + xid + ` >= $3::text::xid8 and not pg_visible_in_snapshot(` + xid + `, open.seen::pg_snapshot)`
	return tx.Query(ctx, sql, append(args, f.ids, f.snapshots, strconv.FormatUint(f.low, 10))...)
}

func (f *following) read(ctx context.Context, pool *pgxpool.Pool) (*changes, error) {
	found := &changes{
		sessions: map[int64][]frame.Session{}, names: map[int64][]frame.NameRow{}, touches: map[int64][]frame.FirstTouch{},
		purchases: map[int64][]purchase{}, gone: map[int64][]int32{}, held: map[int64]rowCounts{},
	}
	err := pgx.BeginTxFunc(ctx, pool, readSnapshot, func(tx pgx.Tx) error {
		var err error
		if found.seen, err = currentSnapshot(ctx, tx); err != nil {
			return err
		}
		if err := f.readGone(ctx, tx, found); err != nil {
			return fmt.Errorf("reading invalidated days: %w", err)
		}
		if err := f.readSessions(ctx, tx, found); err != nil {
			return fmt.Errorf("reading changed sessions: %w", err)
		}
		rows, err := f.query(ctx, tx, touchColumns, `product_analytics_first_touch`, `changed_xid`, touchFormats)
		if err != nil {
			return err
		}
		if err := eachTouch(rows, func(id int64, t *frame.FirstTouch) error {
			found.touches[id] = append(found.touches[id], cloneTouch(t))
			return nil
		}); err != nil {
			return fmt.Errorf("reading changed first touches: %w", err)
		}
		rows, err = f.query(ctx, tx, purchaseColumns, `revenue_ledger`, `changed_xid`)
		if err != nil {
			return err
		}
		purchases, err := readPurchases(rows)
		if err != nil {
			return fmt.Errorf("reading the changed ledger: %w", err)
		}
		for _, p := range purchases {
			found.purchases[p.environment] = append(found.purchases[p.environment], p)
		}
		return nil
	})
	return found, err
}

// readGone reads the days that lost sessions, and how many rows without a day their environments
// have left.
func (f *following) readGone(ctx context.Context, tx pgx.Tx, found *changes) error {
	rows, err := f.query(ctx, tx, `distinct environment_id, home_day`, `frame_invalidated`, `xid`)
	if err != nil {
		return err
	}
	var id int64
	var day time.Time
	if _, err := pgx.ForEachRow(rows, []any{&id, &day}, func() error {
		found.gone[id] = append(found.gone[id], frame.Day(day))
		return nil
	}); err != nil {
		return err
	}
	for id := range found.gone {
		var held rowCounts
		err := tx.QueryRow(ctx, `select (select count(*) from product_analytics_first_touch where environment_id = $1),
			(select count(*) from revenue_ledger where environment_id = $1)`, id).Scan(&held.touches, &held.purchases)
		if err != nil {
			return err
		}
		found.held[id] = held
	}
	return nil
}

// held is how many rows without a day the environment holds.
func (e *environment) held() rowCounts {
	e.mu.Lock()
	defer e.mu.Unlock()
	return rowCounts{e.env.FirstTouches(), len(e.purchases)}
}

// readSessions reads changed sessions and the names that they use for the first time.
func (f *following) readSessions(ctx context.Context, tx pgx.Tx, found *changes) error {
	rows, err := f.query(ctx, tx, sessionColumns+`, environment_id`, `product_session`, `changed_xid`, append(slices.Clone(sessionFormats), pgx.BinaryFormatCode))
	if err != nil {
		return err
	}
	builders := map[int64]*frame.Builder{}
	for id, e := range f.open {
		builders[id] = e.env.NewBuilder()
	}
	missing := map[int64]map[uint32]bool{}
	var session frame.Session
	for rows.Next() {
		raw := rows.RawValues()
		if err := decodeSession(raw, &session); err != nil {
			rows.Close()
			return err
		}
		id := decodeInt(raw[sessionColumnCount])
		for _, name := range builders[id].Missing(session.Hits) {
			if missing[id] == nil {
				missing[id] = map[uint32]bool{}
			}
			missing[id][name] = true
		}
		found.sessions[id] = append(found.sessions[id], clone(&session))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for id, set := range missing {
		names := make([]uint32, 0, len(set))
		for name := range set {
			names = append(names, name)
		}
		if found.names[id], err = readNames(ctx, tx, id, names); err != nil {
			return err
		}
	}
	return nil
}

// apply brings the environment up to a poll's snapshot.
func (e *environment) apply(found *changes) {
	e.write.Lock()
	defer e.write.Unlock()
	sessions, touches, purchases := found.sessions[e.id], found.touches[e.id], found.purchases[e.id]
	e.env.SetNames(found.names[e.id])
	writer := e.env.NewTouches()
	for i := range touches {
		writer.Set(&touches[i])
	}
	writer.Flush()
	e.mu.Lock()
	for _, number := range found.gone[e.id] {
		e.invalidate(number)
	}
	e.setPurchases(purchases)
	for i := range sessions {
		x := &sessions[i]
		d := e.days[x.HomeDay]
		if d == nil {
			d = &day{catalogued: catalogued{bounds: hitBounds(x)}}
			e.days[x.HomeDay] = d
		}
		d.bounds = d.bounds.join(hitBounds(x))
		if d.loading != nil {
			d.changed = append(d.changed, *x)
		}
	}
	if len(sessions)+len(touches)+len(purchases) > 0 {
		e.view = nil
	}
	e.seen = found.seen
	e.mu.Unlock()
	e.env.Upsert(sessions)
}

// invalidate forgets the frame of a day, and that of a load that may have begun before the day
// lost sessions. The caller holds both locks.
func (e *environment) invalidate(number int32) {
	d := e.days[number]
	if d == nil {
		return
	}
	d.stale = d.loading != nil
	if d.loaded {
		e.env.Drop(number)
		d.loaded, e.view = false, nil
	}
}

func hitBounds(s *frame.Session) bounds {
	b := bounds{first: 1<<63 - 1, last: -1 << 63}
	for _, hit := range s.Hits {
		at := frame.HitTime(hit) + frame.EpochMillis
		b.first, b.last = min(b.first, at), max(b.last, at)
	}
	return b
}

// fresh waits for a poll that began at most maxAge ago, starting one when there is none. Requests
// that come while it runs share it.
func (s *Store) fresh(ctx context.Context, since time.Time) error {
	for {
		s.pollMu.Lock()
		if s.polled.After(since) {
			s.pollMu.Unlock()
			return nil
		}
		if s.polling == nil {
			began := time.Now()
			s.polling = s.start(func() error {
				ctx, cancel := context.WithTimeout(s.base, s.patience)
				defer cancel()
				err := s.poll(ctx)
				s.pollMu.Lock()
				defer s.pollMu.Unlock()
				s.polling = nil
				if err == nil {
					s.polled = began
				}
				return err
			})
		}
		running := s.polling
		s.pollMu.Unlock()
		select {
		case <-running.done:
			if running.err != nil {
				return running.err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
