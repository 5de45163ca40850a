package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/report"
)

// span is a range in Unix milliseconds, without its end.
type span struct{ from, to int64 }

// selectTries is how often members and view are read again when the environment is loaded anew between
// the two.
const selectTries = 3

// Select evaluates a scope, whose segment's members it finds itself. A range that memory does not hold
// at once is read in portions when the reports need it, under ctx and for at most Settings.StreamFor or
// until shortly before ctx's deadline; past that they fail with a FieldError on "range". The selection can tell the period before its
// own when withPrevious is set.
func (s *Store) Select(ctx context.Context, environmentID int64, scope analytics.Scope, withPrevious bool, now time.Time) (*report.Selection, error) {
	scope, err := scope.Resolve(now)
	if err != nil {
		return nil, err
	}
	from := scope.Start
	if withPrevious {
		from, _ = report.PreviousPeriod(scope.Start, scope.End)
	}
	within := span{from.UnixMilli(), scope.End.UnixMilli()}
	for range selectTries {
		selection, err := s.selectInMemory(ctx, environmentID, scope, within, now)
		if errors.Is(err, errBudget) {
			selection, err = s.selectInPortions(ctx, environmentID, scope, within, now)
		}
		if err != nil || selection != nil {
			return selection, explain(ctx, err)
		}
	}
	return nil, fmt.Errorf("%w: the environment is being loaded anew", analytics.ErrUnavailable)
}

// selectInMemory is nil when the environment was loaded anew while it was read.
func (s *Store) selectInMemory(ctx context.Context, id int64, scope analytics.Scope, within span, now time.Time) (*report.Selection, error) {
	var members *report.Members
	if scope.Segment != nil {
		var err error
		if members, err = s.membersOf(ctx, id, scope.Segment, now); err != nil {
			return nil, err
		}
	}
	view, err := s.view(ctx, id, within.from, within.to)
	if err != nil || members != nil && !members.Of(view) {
		return nil, err
	}
	return report.Select(view, scope, members, now)
}

func (s *Store) selectInPortions(ctx context.Context, id int64, scope analytics.Scope, within span, now time.Time) (*report.Selection, error) {
	spans := []span{within}
	if scope.Segment != nil {
		spans = append(spans, windowOf(scope.Segment, now))
	}
	stream, err := s.newStream(ctx, id, spans...)
	if err != nil {
		return nil, err
	}
	return report.Stream(ctx, stream, scope, now)
}

// stream reads the sessions of days that memory does not hold at once, the visitors of an interval of
// hashes at a time. It implements report.Source.
type stream struct {
	store *Store
	id    int64
	spans []span
	limit time.Duration // from when it was made
	until time.Time
	root  *frame.Dataset // the codes of all portions
	held  gauge              // of root
	part  float64            // of all hashes, for the next portion; 0 before the first
}

func (s *Store) newStream(ctx context.Context, id int64, spans ...span) (*stream, error) {
	s.streamed.Add(1)
	now, limit := time.Now(), s.settings.StreamFor
	if deadline, limited := ctx.Deadline(); limited {
		limit = min(limit, deadline.Sub(now)-toExplain)
	}
	r := &stream{
		store: s, id: id, spans: spans, limit: limit, until: now.Add(limit),
		root: frame.NewDataset(), held: gauge{total: &s.streaming},
	}
	context.AfterFunc(ctx, r.held.end)
	return r, r.run(ctx, func(ctx context.Context) error {
		names, err := readNames(ctx, s.pool, id, nil)
		if err != nil {
			return fmt.Errorf("reading the names: %w", err)
		}
		r.root.SetNames(names)
		r.held.set(r.root.Bytes())
		return nil
	})
}

// toExplain is how long before a request's deadline a reading ends, so that the request can say why.
const toExplain = time.Second

// View implements report.Source.
func (r *stream) View() *frame.View { return r.root.View(math.MinInt32, math.MaxInt32) }

// Each implements report.Source. Portions are read one at a time in the whole store, so that several
// streams together stay within their budget; each is as large as that allows.
func (r *stream) Each(ctx context.Context, visit func(*frame.View) error) error {
	limited, cancel := context.WithDeadlineCause(ctx, r.until, analytics.Invalid("range",
		"reading it took longer than %s, because it needs more memory than reports may use: ask for a shorter one", r.limit.Round(time.Millisecond)))
	defer cancel()
	return explain(limited, r.each(limited, visit))
}

func (r *stream) each(ctx context.Context, visit func(*frame.View) error) error {
	var days []int32
	var expected float64
	if err := r.run(ctx, func(ctx context.Context) error {
		sessionBytes, err := bytesOfSession(ctx, r.store.pool, r.id)
		if err != nil {
			return err
		}
		dates, err := homeDays(ctx, r.store.pool, r.id)
		if err != nil {
			return err
		}
		all, err := catalogue(ctx, r.store.pool, r.id, dates, r.store.progressed)
		for number, c := range all {
			if c.meetsAny(r.spans) {
				days = append(days, number)
				expected += float64(c.sessions) * sessionBytes
			}
		}
		return err
	}); err != nil {
		return err
	}
	if r.part == 0 {
		r.part = r.room() / max(expected, 1)
	}
	for first := int64(math.MinInt64); ; {
		last := lastOf(first, r.part)
		switch err := r.portion(ctx, days, first, last, visit); {
		case errors.Is(err, errBudget) && first < last:
			r.part = min(r.part, 1) / 2
			continue
		case errors.Is(err, errBudget):
			return analytics.Invalid("range", "its distinct values, or the sessions of one visitor, need more memory than reports may use: ask for a shorter one")
		case err != nil:
			return err
		case last == math.MaxInt64:
			return nil
		}
		first = last + 1
	}
}

// fill is the share of the budget of streams that a portion is to take; the rest is for the order of
// its sessions and for portions that turn out larger than those before.
const fill = 0.6

// room is the memory that a portion is to take besides the values that all portions share.
func (r *stream) room() float64 {
	return fill * float64(r.store.forStreams()-r.root.Bytes())
}

// lastOf is the last hash of a portion that begins with first and has a part of all hashes.
func lastOf(first int64, part float64) int64 {
	rest := uint64(math.MaxInt64) - uint64(first)
	if wanted := part * 0x1p64; wanted < float64(rest) {
		return first + int64(uint64(max(wanted, 1))-1)
	}
	return math.MaxInt64
}

// portion reads the visitors whose hash is between first and last and calls visit with them. It answers
// errBudget when they need more memory than there is.
func (r *stream) portion(ctx context.Context, days []int32, first, last int64, visit func(*frame.View) error) error {
	select {
	case r.store.gate <- struct{}{}:
		defer func() { <-r.store.gate }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	portion := r.root.Portion()
	held := gauge{total: &r.store.streaming}
	defer held.end()
	check := func() error {
		all, shared := portion.Bytes(), r.root.Bytes()
		r.held.set(shared)
		held.set(all - shared)
		if r.store.streaming.Load() > r.store.forStreams() {
			return errBudget
		}
		return nil
	}
	if err := r.run(ctx, func(ctx context.Context) error { return r.read(ctx, portion, days, first, last, check) }); err != nil {
		return err
	}
	if last < math.MaxInt64 { // this portion tells how large the next may be
		fits := r.room() / float64(max(1, portion.Bytes()-r.root.Bytes()))
		r.part *= min(max(fits, 0.5), 2)
	}
	return visit(portion.View(math.MinInt32, math.MaxInt32))
}

// read fills a portion, in one snapshot. It asks check now and then whether there is memory for it.
func (r *stream) read(ctx context.Context, portion *frame.Dataset, days []int32, first, last int64, check func() error) error {
	s := r.store
	builder := portion.NewBuilder()
	const visitors = ` where environment_id = $1 and hashtextextended(app_user_id, 0) between $2 and $3`
	return pgx.BeginTxFunc(ctx, s.pool, readSnapshot, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `select `+touchColumns+` from product_analytics_first_touch`+visitors, touchFormats, r.id, first, last)
		if err != nil {
			return fmt.Errorf("reading first touches: %w", err)
		}
		n, touches := 0, portion.NewTouches()
		if err := eachTouch(rows, func(_ int64, t *frame.FirstTouch) error {
			s.progressed()
			touches.Set(t)
			if n++; n%checkEach != 0 {
				return nil
			}
			return check()
		}); err != nil {
			return fmt.Errorf("reading first touches: %w", err)
		}
		touches.Flush()
		rows, err = tx.Query(ctx, `select `+purchaseColumns+` from revenue_ledger`+visitors+` and occurred_at >= $4 and occurred_at < $5`,
			r.id, first, last, time.UnixMilli(r.spans[0].from), time.UnixMilli(r.spans[0].to))
		if err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		purchases, err := readPurchases(rows)
		if err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		ledger := make([]frame.Purchase, len(purchases))
		for i, p := range purchases {
			ledger[i] = p.row
		}
		portion.SetPurchases(ledger)
		dates := make([]time.Time, len(days))
		for i, number := range days {
			dates[i] = time.Unix(int64(number)*86400, 0).UTC()
		}
		rows, err = tx.Query(ctx, `select `+sessionColumns+` from product_session`+visitors+` and home_day = any($4::date[])`, sessionFormats, r.id, first, last, dates)
		if err != nil {
			return fmt.Errorf("reading the sessions: %w", err)
		}
		in := intake{store: s, builder: builder, held: gauge{total: &s.streaming}}
		defer in.held.end()
		parts := int32(0)
		if err := in.rows(rows, func() error {
			// A part is a copy of its builder, so parts are made while they are small.
			if builder.PartBytes() > s.forStreams()/32 {
				portion.Put(parts, builder.Seal())
				in.held.set(builder.Bytes())
				parts++
			}
			return check()
		}); err != nil {
			return fmt.Errorf("reading the sessions: %w", err)
		}
		if err := in.late(ctx, tx, r.id, func(names []frame.NameRow) {
			r.root.SetNames(names)
			portion.SetNames(names)
		}); err != nil {
			return fmt.Errorf("reading the names: %w", err)
		}
		portion.Put(parts, builder.Seal())
		in.held.set(0)
		return check()
	})
}

// run does a piece of the reading as a task that is watched as loads are, and ended with ctx.
func (r *stream) run(ctx context.Context, f func(ctx context.Context) error) error {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	t := r.store.start(func() error { return f(limited) })
	stop := context.AfterFunc(r.store.base, cancel)
	defer stop()
	err := r.store.wait(ctx, t)
	cancel()
	<-t.done // what it holds is counted until then
	return err
}
