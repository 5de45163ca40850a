package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/internal/mapped"
	"github.com/svc-dev/svc/people/privacy"
)

// changePiece is how many changed first touches or purchases are read before their memory is looked at.
const changePiece = 512

// poll is one reading of what changed in an environment.
type poll struct {
	store   *Store
	task    *task
	replica *replica
	tx      pgx.Tx

	began time.Time
	seen  snapshot
	rows  []frame.RowType // whose changes it brings
	lost  []int32         // days that lost rows
	found changes         // that the replica does not have yet
	size  gauge           // of found
}

// poll reads, in one snapshot, what the previous poll's snapshot did not see, and brings the replica up
// to date. Changes that are larger than a poll's memory are written piece by piece; until the poll ends
// reports see the view from before, or wait.
func (s *Store) poll(ctx context.Context, t *task, r *replica) error {
	p := &poll{store: s, task: t, replica: r, began: time.Now(), rows: r.followed(), size: gauge{total: &s.polling}}
	defer p.size.end()
	err := mapped.Guard(func() error {
		if err := s.reader.Read(ctx, func(tx pgx.Tx) error {
			p.tx = tx
			return p.read(ctx)
		}); err != nil {
			return err
		}
		return p.finish(ctx)
	})
	if errors.Is(err, mapped.ErrFault) {
		s.distrust(r, err)
	}
	if isDistrust(err) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.polled = p.began // nobody waits for it any more
		return nil
	}
	return err
}

func (p *poll) read(ctx context.Context) (err error) {
	changed, err := p.look(ctx)
	if err != nil {
		return fmt.Errorf("looking for changes: %w", err)
	}
	p.task.progress()
	parts := []struct {
		name    string
		changed bool
		read    func(context.Context) error
	}{
		{"what was removed", changed.lost, p.readLost}, {"changed first touches", changed.touches, p.readTouches},
		{"the changed ledger", changed.purchases, p.readPurchases},
	}
	for _, rows := range p.rows {
		t := tables[rows]
		parts = append(parts, struct {
			name    string
			changed bool
			read    func(context.Context) error
		}{"changed rows of " + t.name, changed.rows[rows], func(ctx context.Context) error { return p.readChanged(ctx, t) }})
	}
	for _, part := range parts {
		if !part.changed {
			continue
		}
		if err := part.read(ctx); err != nil {
			return fmt.Errorf("reading %s: %w", part.name, err)
		}
		p.task.progress()
	}
	if err := p.readNames(ctx); err != nil {
		return fmt.Errorf("reading new names: %w", err)
	}
	return nil
}

// changed tells in which tables there is anything that the previous poll did not see.
type changed struct {
	lost, touches, purchases bool
	rows                     [frame.RowTypes]bool
}

// lookSQL takes what unseenSQL takes and asks for changed, in one statement: most polls find little or nothing, and
// reports wait for them. Purchases are asked for by another, since they may be on another node than the rest.
var lookSQL = func() string {
	var columns []string
	for _, table := range []struct{ name, xid string }{
		{`frame_invalidated`, `xid`}, {`product_analytics_first_touch`, `changed_xid`},
		{sessionTable.name, `changed_xid`}, {runTable.name, `changed_xid`},
	} {
		columns = append(columns, `exists (`+unseenSQL(``, table.name, table.xid)+`)`)
	}
	return `select ` + strings.Join(columns, `, `)
}()

var lookForPurchasesSQL = `select exists (` + unseenSQL(``, bookedLedger, `changed_xid`) + `)`

func (p *poll) look(ctx context.Context) (c changed, err error) {
	if p.seen, err = currentSnapshot(ctx, p.tx, p.replica.id); err != nil {
		return c, err
	}
	batch := &pgx.Batch{}
	batch.Queue(p.store.reader.Route(lookSQL), p.args()...).QueryRow(func(row pgx.Row) error {
		return row.Scan(&c.lost, &c.touches, &c.rows[frame.Sessions], &c.rows[frame.Runs])
	})
	batch.Queue(lookForPurchasesSQL, p.args()...).QueryRow(func(row pgx.Row) error { return row.Scan(&c.purchases) })
	return c, p.tx.SendBatch(ctx, batch).Close()
}

// hashedPeople is a set of people by their hashes; see [privacy.Person].
type hashedPeople map[uuid.UUID]struct{}

// readLost reads which days lost rows, and takes out who was erased. Where rows without a day were lost the replica is
// forgotten, because what is gone can't be found by its transaction.
func (p *poll) readLost(ctx context.Context) error {
	rows, err := p.tx.Query(ctx, p.store.reader.Route(`select distinct home_day, people from (`+
		unseenSQL(`home_day, people`, `frame_invalidated`, `xid`)+`) as lost`), p.args()...,
	)
	if err != nil {
		return err
	}
	erased, forgotten := hashedPeople{}, false
	var day *time.Time
	var named []uuid.UUID
	if _, err = pgx.ForEachRow(rows, []any{&day, &named}, func() error {
		switch {
		case day != nil:
			p.lost = append(p.lost, frame.Day(*day))
		case named == nil:
			forgotten = true
		}
		for _, person := range named {
			erased[person] = struct{}{}
		}
		return nil
	}); err != nil {
		return err
	}
	if forgotten {
		if err := p.store.removeFiles(ctx, p.replica); err != nil {
			return err
		}
		p.store.forget(p.replica)
	}
	if len(erased) == 0 {
		return nil
	}
	return p.removeErased(ctx, erased)
}

// removeErased takes people out of the frames and out of who is in segments, and has days read again that may have been
// read before they were erased. It comes before the poll's changes, which may be of somebody who has come back.
func (p *poll) removeErased(ctx context.Context, erased hashedPeople) error {
	r := p.replica
	r.mu.Lock()
	for key, d := range r.days {
		r.voidLoad(d)
		if d.saved != nil {
			r.unload(key) // its file goes
		}
	}
	r.mu.Unlock()
	// After that: a load that ended before has numbered its visitors.
	gone := r.data.FindVisitors(func(id string) bool {
		_, erased := erased[privacy.Person(id)]
		return erased
	})
	p.task.progress()
	return p.writePart(ctx, func() error {
		r.data.RemoveVisitors(gone)
		p.store.forgetMembers(r.id)
		return p.store.removeFiles(ctx, r)
	})
}

func (p *poll) readTouches(ctx context.Context) error {
	var touch frame.FirstTouch
	return p.each(ctx, unseenSQL(
		touchColumns, `product_analytics_first_touch`, `changed_xid`,
	), touchFormats, changePiece, nil, func(raw [][]byte) error {
		decodeTouch(raw, &touch)
		p.found.addTouch(&touch)
		return nil
	})
}

func (p *poll) readPurchases(ctx context.Context) error {
	return p.each(ctx, unseenSQL(
		purchaseColumns, bookedLedger, `changed_xid`,
	), purchaseFormats, changePiece, nil, func(raw [][]byte) error {
		changed, err := decodePurchase(raw)
		p.found.addPurchase(changed)
		return err
	})
}

// readChanged reads changed rows, without hits those of days that nobody has asked for: only their bounds are needed.
// Which days these are is looked up here, after the snapshot was taken, so that a load that begins later sees what
// this poll leaves out.
func (p *poll) readChanged(ctx context.Context, t *table) error {
	builder := p.replica.builder(t)
	defer p.replica.builders[t.rows].Put(builder)
	kept := []any{p.replica.keptDays(t.rows)}
	return p.each(ctx, t.changedSQL, t.changedFormats, t.piece, kept, func(raw [][]byte) error {
		p.found.addBounds(
			dayKey{t.rows, decodeDay(raw[t.homeDay])}, bounds{decodeMillis(raw[t.start]), decodeMillis(raw[t.end])},
		)
		if raw[t.hits] == nil {
			return nil
		}
		if err := builder.decode(raw); err != nil {
			return err
		}
		p.found.addRow(t, builder.copy(), builder.missing())
		return nil
	})
}

func (p *poll) args() []any { return p.replica.seen.args(p.replica.id) }

// each reads the rows of a query of unseenSQL, and writes what was found whenever it is as much as a poll
// may keep in memory.
func (p *poll) each(
	ctx context.Context, query string, formats pgx.QueryResultFormats, piece int, args []any,
	row func(raw [][]byte) error,
) error {
	c := cursor{query: p.store.reader.Route(query), args: append(p.args(), args...), formats: formats, piece: piece}
	return c.each(ctx, p.tx, row, func() error {
		p.task.progress()
		p.size.set(p.found.bytes)
		if p.found.bytes <= p.store.pollBudget() {
			return nil
		}
		return p.spill(ctx)
	})
}

// spill writes what was found so far, to make room for more.
func (p *poll) spill(ctx context.Context) error {
	if err := p.readNames(ctx); err != nil {
		return err
	}
	err := p.writePart(ctx, p.write)
	p.found = changes{}
	p.size.set(0)
	return err
}

// writePart makes some of the poll's changes before the others are known: until it ends no view is made.
func (p *poll) writePart(ctx context.Context, write func() error) error {
	if err := p.replica.writing.acquire(ctx); err != nil {
		return err
	}
	defer p.replica.writing.release()
	p.replica.mu.Lock()
	p.replica.partial = true
	p.replica.mu.Unlock()
	return write()
}

// readNames reads the names that found rows use for the first time.
func (p *poll) readNames(ctx context.Context) (err error) {
	for t := range p.found.rows {
		changed := &p.found.rows[t]
		if len(changed.unknown) == 0 {
			continue
		}
		ids := slices.Collect(maps.Keys(changed.unknown))
		if changed.names, err = tables[t].readNames(ctx, p.tx, p.replica.id, ids); err != nil {
			return err
		}
	}
	return nil
}

// write brings what was found into the dataset, after the files of the days that rows are brought into were checked.
// The caller holds writing.
func (p *poll) write() error {
	for t := range p.found.rows {
		for _, changed := range p.found.rows[t].rows {
			if err := p.store.verifyHeld(p.replica, dayKey{frame.RowType(t), changed.homeDay()}); err != nil {
				return err
			}
		}
	}
	return p.replica.write(&p.found)
}

// finish writes the rest and lets views be made of it.
func (p *poll) finish(ctx context.Context) error {
	r := p.replica
	if err := r.writing.acquire(ctx); err != nil {
		return err
	}
	defer r.writing.release()
	changed := !p.found.empty()
	if err := p.write(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, number := range p.lost {
		for t := range tables {
			r.invalidate(dayKey{frame.RowType(t), number})
		}
	}
	r.seen, r.polled = p.seen, p.began
	switch {
	case r.partial:
		// Made here, because the next poll may write a part of its changes before anybody asks.
		r.view, r.partial = r.data.View(math.MinInt32, math.MaxInt32), false
	case changed:
		r.view = nil
	}
	r.unsaved = r.unsaved || changed || len(p.lost) > 0
	return nil
}
