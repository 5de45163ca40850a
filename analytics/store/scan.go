package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/postgres"
)

// span is a range in Unix milliseconds, without its end.
type span struct{ from, to int64 }

// with returns the range that both lie in.
func (s span) with(other span) span { return span{min(s.from, other.from), max(s.to, other.to)} }

// scan reads the rows of days that memory does not hold at once, the visitors of an interval of
// hashes at a time. It implements report.Source.
type scan struct {
	store *Store
	id    int64
	needs []need
	sales span          // of the purchases
	limit time.Duration // from when it was made
	until time.Time
	root  *frame.Dataset // the codes of all portions
	size  gauge          // of root
	part  float64        // of all hashes, for the next portion; 0 before the first
}

func (s *Store) newScan(ctx context.Context, id int64, sales span, needs ...need) (*scan, error) {
	s.scanned.Add(1)
	now, limit := time.Now(), s.settings.StreamFor
	if deadline, limited := ctx.Deadline(); limited {
		limit = min(limit, deadline.Sub(now)-deadlineMargin)
	}
	r := &scan{
		store: s, id: id, needs: needs, sales: sales, limit: limit, until: now.Add(limit),
		root: frame.NewDatasetWithin(valueBudget(s.streamBudget())), size: gauge{total: &s.streaming},
	}
	context.AfterFunc(ctx, r.size.end)
	return r, r.run(ctx, func(ctx context.Context, _ *task) error {
		for _, t := range r.tables() {
			names, err := t.readNames(ctx, s.pool, id, nil)
			if err != nil {
				return fmt.Errorf("reading the names: %w", err)
			}
			t.setNames(r.root, names)
		}
		r.size.set(r.root.Bytes())
		return nil
	})
}

// tables returns those whose rows are needed.
func (r *scan) tables() (needed []*table) {
	for _, t := range tables {
		if slices.ContainsFunc(r.needs, func(n need) bool { return n.rows == t.rows }) {
			needed = append(needed, t)
		}
	}
	return needed
}

// deadlineMargin is how long before a request's deadline a reading ends, so that the request can say why.
const deadlineMargin = time.Second

// View implements report.Source.
func (r *scan) View() *frame.View { return r.root.View(math.MinInt32, math.MaxInt32) }

// Each implements report.Source. Portions are read one at a time in the whole store, so that several
// streams together stay within their budget; each is as large as that allows.
func (r *scan) Each(ctx context.Context, visit func(*frame.View) error) error {
	limited, cancel := context.WithDeadlineCause(ctx, r.until, analytics.Invalid("range",
		"reading it took longer than %s, because it needs more memory than reports may use: "+
			"ask for a shorter one", r.limit.Round(time.Millisecond)))
	defer cancel()
	return explain(limited, r.each(limited, visit))
}

func (r *scan) each(ctx context.Context, visit func(*frame.View) error) error {
	var days [frame.RowTypes][]time.Time
	var expected float64
	if err := r.run(ctx, func(ctx context.Context, task *task) error {
		for _, t := range r.tables() {
			rowBytes, err := t.bytesOfRow(ctx, r.store.pool, r.id)
			if err != nil {
				return err
			}
			dates, err := t.homeDays(ctx, r.store.pool, r.id)
			if err != nil {
				return err
			}
			all, err := t.catalogue(ctx, r.store.pool, r.id, dates, task.progress)
			if err != nil {
				return err
			}
			for key, c := range all {
				if c.isNeeded(key, r.needs) {
					days[t.rows] = append(days[t.rows], dateOf(key.number))
					expected += float64(c.rows) * rowBytes
				}
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if r.part == 0 {
		r.part = r.portionBudget() / max(expected, 1)
	}
	for first := int64(math.MinInt64); ; {
		last := lastHash(first, r.part)
		switch err := r.readPortion(ctx, days, first, last, visit); {
		case errors.Is(err, errBudget) && first < last:
			r.part = min(r.part, 1) / 2
			continue
		case errors.Is(err, errBudget):
			return analytics.Invalid(
				"range",
				"its distinct values, or what one visitor did, need more memory than reports may use: ask for a shorter one",
			)
		case err != nil:
			return err
		case last == math.MaxInt64:
			return nil
		}
		first = last + 1
	}
}

// portionShare is the share of the budget of streams that a portion is to take; the rest is for the order of
// its sessions and for portions that turn out larger than those before.
const portionShare = 0.6

// portionBudget returns the memory that a portion is to take besides the values that all portions share.
func (r *scan) portionBudget() float64 {
	return portionShare * float64(r.store.streamBudget()-r.root.Bytes())
}

// lastHash returns the last hash of a portion that begins with first and has a part of all hashes.
func lastHash(first int64, part float64) int64 {
	rest := uint64(math.MaxInt64) - uint64(first)
	if wanted := part * 0x1p64; wanted < float64(rest) {
		return first + int64(uint64(max(wanted, 1))-1)
	}
	return math.MaxInt64
}

// readPortion reads the visitors whose hash is between first and last and calls visit with them. It answers
// errBudget when they need more memory than there is.
func (r *scan) readPortion(
	ctx context.Context, days [frame.RowTypes][]time.Time, first, last int64, visit func(*frame.View) error,
) error {
	leave, err := r.store.portions.take(ctx, r.id)
	if err != nil {
		return err
	}
	defer leave()
	ctx = postgres.ForAll(ctx)
	portion := r.root.Portion()
	size := gauge{total: &r.store.streaming}
	defer size.end()
	check := func() error {
		all, shared := portion.Bytes(), r.root.Bytes()
		r.size.set(shared)
		size.set(all - shared)
		if r.store.streaming.Load() > r.store.streamBudget() {
			return errBudget
		}
		return nil
	}
	if err := r.run(ctx, func(ctx context.Context, t *task) error {
		return r.read(ctx, t, portion, days, first, last, check)
	}); err != nil {
		return err
	}
	if last < math.MaxInt64 { // this portion tells how large the next may be
		fits := r.portionBudget() / float64(max(1, portion.Bytes()-r.root.Bytes()))
		r.part *= min(max(fits, 0.5), 2)
	}
	return visit(portion.View(math.MinInt32, math.MaxInt32))
}

// portionReader is what the steps of reading a portion have in common.
type portionReader struct {
	scan        *scan
	tx          pgx.Tx
	portion     *frame.Dataset
	first, last int64 // hashes
	progress    func()
	check       func() error // fails when there is no memory for more
	rows        int
}

// read fills a portion, in one snapshot. It asks check now and then whether there is memory for it.
func (r *scan) read(
	ctx context.Context, t *task, portion *frame.Dataset, days [frame.RowTypes][]time.Time, first, last int64,
	check func() error,
) error {
	return r.store.reader.Read(ctx, func(tx pgx.Tx) error {
		if _, err := currentSnapshot(ctx, tx, r.id); err != nil {
			return err
		}
		in := &portionReader{scan: r, tx: tx, portion: portion, first: first, last: last, progress: t.progress, check: check}
		if err := in.readTouches(ctx); err != nil {
			return fmt.Errorf("reading first touches: %w", err)
		}
		if err := in.readPurchases(ctx); err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		for _, t := range r.tables() {
			if err := in.readRows(ctx, t, days[t.rows]); err != nil {
				return fmt.Errorf("reading rows of %s: %w", t.name, err)
			}
		}
		return check()
	})
}

// each reads the rows of the portion's visitors from a table.
func (in *portionReader) each(
	ctx context.Context, columns, table, condition string, formats pgx.QueryResultFormats, args []any,
	row func(raw [][]byte) error,
) error {
	c := cursor{
		query: `select ` + columns + ` from ` + table +
			` where environment_id = $1 and hashtextextended(app_user_id, 0) between $2 and $3` + condition,
		args: append([]any{in.scan.id, in.first, in.last}, args...), formats: formats, piece: portionPiece,
	}
	return c.each(ctx, in.tx, func(raw [][]byte) error {
		if in.rows++; in.rows%checkEach == 0 {
			in.progress()
			if err := in.check(); err != nil {
				return err
			}
		}
		return row(raw)
	}, func() error {
		in.progress()
		return nil
	})
}

// portionPiece is how many rows of a portion are read at a time.
const portionPiece = 4096

func (in *portionReader) readTouches(ctx context.Context) error {
	touches := in.portion.NewTouches()
	defer touches.Flush()
	var touch frame.FirstTouch
	return in.each(ctx, touchColumns, `product_analytics_first_touch`, ``, touchFormats, nil, func(raw [][]byte) error {
		decodeTouch(raw, &touch)
		touches.Set(&touch)
		return nil
	})
}

func (in *portionReader) readPurchases(ctx context.Context) error {
	var ledger []frame.Purchase
	within := in.scan.sales
	err := in.each(ctx, purchaseColumns, bookedLedger, ` and occurred_at >= $4 and occurred_at < $5`, purchaseFormats,
		[]any{time.UnixMilli(within.from), time.UnixMilli(within.to)}, func(raw [][]byte) error {
			p, err := decodePurchase(raw)
			ledger = append(ledger, p)
			return err
		})
	in.portion.SetPurchases(ledger)
	return err
}

func (in *portionReader) readRows(ctx context.Context, t *table, dates []time.Time) error {
	limit := in.scan.store.streamBudget() / 32
	builder := t.newBuilder(in.portion)
	rows := intake{table: t, builder: builder, progress: in.progress, memory: gauge{total: &in.scan.store.streaming}}
	defer rows.memory.end()
	parts := int32(0)
	err := in.each(ctx, t.columns, t.name, `
		and home_day = any($4::date[])`, t.formats, []any{dates}, func(raw [][]byte) error {
		// A part is a copy of its builder, so parts are made while they are small.
		if builder.PartBytes() > limit {
			in.portion.Put(t.rows, parts, builder.Seal())
			rows.memory.set(builder.Bytes())
			parts++
		}
		return rows.add(raw)
	})
	if err != nil {
		return err
	}
	if err := rows.addWaiting(ctx, in.tx, in.scan.id, func(names []name) {
		t.setNames(in.scan.root, names)
		t.setNames(in.portion, names)
	}); err != nil {
		return fmt.Errorf("reading the names: %w", err)
	}
	in.portion.Put(t.rows, parts, builder.Seal())
	rows.memory.set(0)
	return nil
}

// run does a piece of the reading as a task that is watched as loads are, and ended with ctx.
func (r *scan) run(ctx context.Context, f func(ctx context.Context, t *task) error) error {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	t := r.store.start(hangLimit, func(base context.Context, t *task) error {
		defer context.AfterFunc(base, cancel)()
		return f(limited, t)
	})
	err := r.store.wait(ctx, t)
	cancel()
	<-t.done // what it holds is counted until then
	return err
}
