package figures

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres"
)

// gather computes a figure of what is committed of a scope's environment: at once, or by portions whose figures add
// sums up.
func gather[T any](
	ctx context.Context, r *Reader, by Dimension, compute func(*replica) T, add func(sum, portion T) T,
) (T, error) {
	var found T
	if err := r.ledgers.read(ctx, &question{
		environment: r.scope.EnvironmentID, needs: r.scope.needs(by), done: make(chan error, 1),
		begin: func() func(*replica) {
			isFirst := true
			return func(portion *replica) {
				if isFirst {
					found, isFirst = compute(portion), false
				} else {
					found = add(found, compute(portion))
				}
			}
		},
	}); err != nil {
		var none T // another goroutine may still write what was found
		return none, err
	}
	return found, nil
}

// question is what somebody asks of an environment.
type question struct {
	environment int64
	needs       needs
	begin       func() (visit func(*replica)) // forgets what was visited before
	stop        context.CancelFunc            // ends its waiting for a turn
	done        chan error                    // gets the outcome once when somebody else asks it as well
}

// read visits an environment: once and whole, or, where the budget does not allow that, by portions.
func (l *Ledgers) read(ctx context.Context, q *question) error {
	whole, err := l.open(ctx, q.environment, q.needs)
	if errors.Is(err, errLarge) {
		return l.readPortions(ctx, q)
	}
	if err != nil {
		return err
	}
	defer whole.mu.RUnlock()
	q.begin()(whole)
	return nil
}

// gatherTime is how long a reading by portions waits for other questions of the same request.
const gatherTime = 20 * time.Millisecond

// readPortions asks a question of an environment by portions. All environments are read one after the other, so that
// memory is bounded, turn by turn of workspaces; questions that wait for the same one share a reading.
func (l *Ledgers) readPortions(ctx context.Context, q *question) error {
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	q.stop = stop
	l.wait(q)
	defer l.take(func(waiting *question) bool { return waiting == q })
	leave, err := l.turn(waiting, q.environment)
	if err != nil {
		select {
		case err := <-q.done: // somebody else has asked it
			return err
		default:
			return unavailable(err)
		}
	}
	defer leave()
	time.Sleep(gatherTime)
	shared := l.take(func(waiting *question) bool { return waiting.environment == q.environment })
	if !slices.Contains(shared, q) {
		return <-q.done // somebody has asked it meanwhile
	}
	var n needs
	visits := make([]func(*replica), len(shared))
	for i, one := range shared {
		visits[i] = one.begin()
		n = n.and(one.needs)
	}
	err = l.eachPortion(postgres.ForAll(ctx), q.environment, n, func(portion *replica) {
		for i, visit := range visits {
			portion.findOrigins(shared[i].needs.window)
			visit(portion)
		}
	})
	var refused *fault.Error
	switch {
	case ctx.Err() != nil: // only this one has ended
		l.wait(shared...)
		return unavailable(ctx.Err())
	case errors.Is(err, errLarge):
		err = fault.New(fault.ReportsDown, "figures of revenue need more memory than they may use: raise frame_memory")
	case err != nil && !errors.As(err, &refused):
		err = unavailable(err)
	}
	for _, one := range shared {
		one.done <- err
		one.stop()
	}
	return err
}

func (l *Ledgers) wait(questions ...*question) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, questions...)
}

// take removes the questions that match from those that wait.
func (l *Ledgers) take(matches func(*question) bool) (taken []*question) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(q *question) bool {
		if matches(q) {
			taken = append(taken, q)
			return true
		}
		return false
	})
	return taken
}

// errLarge says that what figures are computed of needs more memory than they may use.
var errLarge = errors.New("the ledger needs more memory than figures of revenue may use")

// Queries of portions: rows in the order of a hash that all rows share which a figure looks at together.
const (
	ofCustomer = `, case t.app_user_id when '' then t.subject else hashtextextended(t.app_user_id, 0) end as customer
		from (`
	inOrder = ` where environment_id = $1) as t) as row
		left join unnest($2::bigint[], $3::bigint[]) as joined (customer, part) using (customer) order by part`
	rowsOfPart = `select row.*, coalesce(joined.part, row.customer) as part from (select t.*` + ofCustomer
)

// linksQuery finds customers who have a subscription, or a charge and what was taken back of it, in common.
func linksQuery() string {
	entries := `(select t.*` + ofCustomer + ledgerSQL + ` revenue_ledger where environment_id = $1) as t)`
	return `
		with belonging as not materialized (
			select subject, customer from ` + entries + ` as entry
			union all
			select t.subject` + ofCustomer + periodsSQL + ` subscription_period where environment_id = $1) as t
		)
		select array_agg(distinct customer) from belonging where subject in (
			select subject from belonging group by subject having min(customer) <> max(customer)
		) group by subject
		union all
		select array[entry.customer, taken.customer] from revenue_ledger charge join revenue_ledger back
			on back.environment_id = charge.environment_id and back.provider = charge.provider
				and back.refers_to = charge.transaction_key,
			lateral (select customer from ` + entries + ` as t where id = charge.id) as entry,
			lateral (select customer from ` + entries + ` as t where id = back.id) as taken
		where charge.environment_id = $1 and back.kind in ('refund', 'refund_reversal') and back.refers_to <> ''
			and charge.kind in ('originating', 'renewal')
			and (charge.app_user_id <> back.app_user_id or charge.app_user_id = '') and entry.customer <> taken.customer`
}

// linkBytes is the memory of a customer who has something in common with another.
const linkBytes = 100

// readLinks returns customers who have something in common with others, and for each the one that stands for all of
// them.
func (l *Ledgers) readLinks(ctx context.Context, tx pgx.Tx, environment int64) (customers, parts []int64, err error) {
	rows, err := tx.Query(ctx, linksQuery(), environment)
	if err != nil {
		return nil, nil, err
	}
	parent := map[int64]int64{}
	find := func(customer int64) int64 {
		for {
			above, known := parent[customer]
			if !known || above == customer {
				parent[customer] = customer
				return customer
			}
			parent[customer], customer = parent[above], above
		}
	}
	var linked []int64
	if _, err := pgx.ForEachRow(rows, []any{&linked}, func() error {
		first := find(linked[0])
		for _, other := range linked[1:] {
			parent[find(other)] = first
		}
		if linkBytes*int64(len(parent)) > l.portionBudget() {
			return errLarge
		}
		return nil
	}); err != nil {
		return nil, nil, err
	}
	for customer := range parent {
		customers, parts = append(customers, customer), append(parts, find(customer))
	}
	return customers, parts, nil
}

// portionShare is the part of the budget that is for reading by portions: one of so many.
const portionShare = 4

// portionBudget is what a portion may take.
func (l *Ledgers) portionBudget() int64 { return l.settings.Budget / portionShare }

// eachPortion calls visit with an environment in portions, which share no customer, no subscription and no charge, so
// that figures of them add up: each is of as many customers as memory allows. The last may be empty.
func (l *Ledgers) eachPortion(ctx context.Context, environment int64, n needs, visit func(*replica)) error {
	return pgx.BeginTxFunc(ctx, l.pool, readSnapshot, func(tx pgx.Tx) error {
		if _, err := beginReading(ctx, tx, environment); err != nil {
			return err
		}
		// Two sorts at a time, whose every row is read.
		if _, err := tx.Exec(
			ctx, `select set_config('work_mem', '32MB', true), set_config('cursor_tuple_fraction', '1', true)`,
		); err != nil {
			return err
		}
		customers, parts, err := l.readLinks(ctx, tx, environment)
		if err != nil {
			return fmt.Errorf("customers with something in common: %w", err)
		}
		portion := newReplica(environment)
		entries, err := openStream(ctx, tx, "entries", rowsOfPart+ledgerSQL+` revenue_ledger`+inOrder,
			func(raw [][]byte) {
				_, e := portion.decodeEntry(raw)
				portion.entries = append(portion.entries, e)
			}, environment, customers, parts)
		if err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
		periods, err := openStream(ctx, tx, "periods", rowsOfPart+periodsSQL+` subscription_period`+inOrder,
			func(raw [][]byte) {
				_, p := portion.decodePeriod(raw)
				portion.periods = append(portion.periods, p)
			}, environment, customers, parts)
		if err != nil {
			return fmt.Errorf("periods: %w", err)
		}
		target := l.portion
		if n.window > 0 {
			target /= 2 // what runs take is known only when they are read
		}
		for {
			part, more := nextPart(entries, periods)
			if portion.measure(); !more || portion.bytes.Load() > target {
				if err := l.finish(ctx, portion, n, visit); err != nil {
					return err
				}
				portion.clear()
			}
			if !more {
				return nil
			}
			rows := 0
			for _, s := range []*stream{entries, periods} {
				n, err := s.readPart(ctx, part, func() error { return l.fits(portion) })
				rows += n
				if errors.Is(err, errLarge) {
					return l.refuseCustomer(ctx, tx, environment, part, rows, entries, periods)
				}
				if err != nil {
					return err
				}
			}
		}
	})
}

// fits refuses a portion that takes more memory than there is: one customer alone fills it.
func (l *Ledgers) fits(portion *replica) error {
	if portion.measure(); portion.bytes.Load() > l.portionBudget() {
		return errLarge
	}
	return nil
}

// refuseCustomer returns the error that says what share of the environment the customer of a part has, of whom so many
// rows were read and who needs more memory than there is.
func (l *Ledgers) refuseCustomer(
	ctx context.Context, tx pgx.Tx, environment, part int64, rows int, streams ...*stream,
) error {
	for _, s := range streams {
		s.keep = func([][]byte) {}
		n, err := s.readPart(ctx, part, func() error { return nil })
		if err != nil {
			return err
		}
		rows += n
	}
	var all int
	if err := tx.QueryRow(ctx, `select (select count(*) from revenue_ledger where environment_id = $1)
		+ (select count(*) from subscription_period where environment_id = $1)`, environment).Scan(&all); err != nil {
		return err
	}
	return fault.New(fault.ReportsDown, "one customer, or some who share subscriptions, has %d of %d charges, refunds "+
		"and periods of subscriptions, which need more than the %d bytes that figures may use for one: raise frame_memory",
		rows, all, l.portionBudget())
}

// finish visits a portion with all that is needed of it.
func (l *Ledgers) finish(ctx context.Context, portion *replica, n needs, visit func(*replica)) error {
	portion.indexEntries()
	portion.indexPeriods()
	if n.touches {
		if err := portion.readTouches(ctx, l.pool); err != nil {
			return err
		}
	}
	if n.window > 0 {
		if err := portion.readPasses(ctx, l.pool); err != nil {
			return err
		}
	}
	if err := l.fits(portion); err != nil {
		return err
	}
	visit(portion)
	return nil
}

// stream reads the rows of a query in the order of the part that each is of, which is its last column.
type stream struct {
	tx    pgx.Tx
	fetch string
	keep  func(raw [][]byte)
	rows  [][][]byte // that are read and not kept
}

// piece is how many rows a stream reads at once.
const piece = 5000

func openStream(
	ctx context.Context, tx pgx.Tx, name, query string, keep func(raw [][]byte), args ...any,
) (*stream, error) {
	if _, err := tx.Exec(ctx, `declare `+name+` no scroll cursor for `+query, args...); err != nil {
		return nil, err
	}
	s := &stream{tx: tx, fetch: `fetch ` + strconv.Itoa(piece) + ` from ` + name, keep: keep}
	return s, s.read(ctx)
}

func (s *stream) read(ctx context.Context) error {
	// pgx does not take the formats of results for a statement that it does not prepare.
	result := s.tx.Conn().PgConn().ExecParams(ctx, s.fetch, nil, nil, nil, binaryFormat).Read()
	s.rows = result.Rows
	return result.Err
}

// part returns the part of the next row.
func (s *stream) part() (part int64, more bool) {
	if len(s.rows) == 0 {
		return 0, false
	}
	return readInt(s.rows[0][len(s.rows[0])-1]), true
}

// nextPart returns the first part that one of the streams has rows of.
func nextPart(a, b *stream) (part int64, more bool) {
	ofA, moreA := a.part()
	ofB, moreB := b.part()
	switch {
	case !moreB:
		return ofA, moreA
	case !moreA:
		return ofB, true
	}
	return min(ofA, ofB), true
}

// readPart keeps the rows of a part, if they are next, and returns how many they are. It calls grown after every piece,
// whose error ends it; the next call goes on.
func (s *stream) readPart(ctx context.Context, part int64, grown func() error) (n int, err error) {
	for {
		next, more := s.part()
		if !more || next != part {
			return n, nil
		}
		s.keep(s.rows[0])
		n++
		if s.rows = s.rows[1:]; len(s.rows) > 0 {
			continue
		}
		if err := cmp.Or(s.read(ctx), grown()); err != nil {
			return n, err
		}
	}
}
