package figures

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics"
)

// Reader computes the figures of one scope. It may be used by several goroutines.
type Reader struct {
	ledgers *Ledgers
	scope   Scope // resolved
	now     time.Time
}

// Scope returns the scope.
func (r *Reader) Scope() Scope { return r.scope }

// Totals is money of the ledger. Amounts are micro-dollars; those whose dollars are not known are in none of them. An
// amount of more than 64 bits is math.MaxInt64 or math.MinInt64.
type Totals struct {
	Gross, Refunds, Chargebacks int64 // charges, and what was taken back of any, positive
	New                         int64 // part of Gross: first payments of subscriptions, and what is bought once
	Tax, Commission             int64 // part of Net, where it is known
	Transactions, Refunded      int64 // charges, and those of them that a refund took back
	Customers                   int64 // who paid
	TaxUnknown                  int64 // rows that count without their tax
	CommissionUnknown           int64
	Unconverted                 int64 // rows whose dollars are not known
	WithoutPersonRows           int64
	WithoutPerson               int64 // part of Net
}

// Net is what was paid less what was taken back.
func (t *Totals) Net() int64 { return difference(t.Gross, t.Refunds, t.Chargebacks) }

// Renewal is the part of Gross that is not New: later payments of subscriptions.
func (t *Totals) Renewal() int64 { return difference(t.Gross, t.New) }

// Proceeds is the part of Net that is neither tax nor commission, as far as these are known.
func (t *Totals) Proceeds() int64 {
	return difference(t.Gross, t.Refunds, t.Chargebacks, t.Tax, t.Commission)
}

// RefundRate is Refunded ÷ Transactions, nil without any.
func (t *Totals) RefundRate() *float64 { return ratio(t.Refunded, t.Transactions) }

func ratio(n, d int64) *float64 {
	if d == 0 {
		return nil
	}
	r := float64(n) / float64(d)
	return &r
}

// Point is the money of a bucket.
type Point struct {
	Bucket time.Time // the true start, also when the range clips it
	Totals Totals
}

// maxRows is how many values of a dimension a breakdown may have.
const maxRows = 20_000

// Totals returns the money of the range.
func (r *Reader) Totals(ctx context.Context) (*Totals, error) {
	tallies, err := r.count(ctx, nil)
	if err != nil {
		return nil, err
	}
	totals := tallies[0].totals()
	return &totals, nil
}

// Series returns the money of every bucket of the range.
func (r *Reader) Series(ctx context.Context, grain analytics.Grain) ([]Point, error) {
	bounds, err := analytics.Buckets(grain, r.scope.Start, r.scope.End, r.scope.Location)
	if err != nil {
		return nil, err
	}
	points := make([]Point, len(bounds)-1)
	for i := range points {
		points[i].Bucket = bounds[i]
	}
	if len(points) == 0 {
		return points, nil
	}
	tallies, err := r.count(ctx, bounds)
	if err != nil {
		return nil, err
	}
	for i, t := range tallies[1:len(bounds)] {
		points[i].Totals = t.totals()
	}
	return points, nil
}

// count adds up the rows of the scope, by bucket.
func (r *Reader) count(ctx context.Context, bounds []time.Time) ([]tally, error) {
	return gather(ctx, r, "", func(of *replica) []tally {
		return of.count(&r.scope, of.group(""), bounds)
	}, func(sum, portion []tally) []tally { return addEach(sum, portion, (*tally).plus) })
}

// addEach adds each of some values to that at the same place of others.
func addEach[T any](sum, portion []T, add func(to, more *T)) []T {
	for i := range portion {
		add(&sum[i], &portion[i])
	}
	return sum
}

// tally adds up money.
type tally struct {
	Totals                                                           // its counts
	gross, refunds, chargebacks, new, tax, commission, withoutPerson sum
	payer                                                            int // who paid last, from 1
}

// add adds a row that counts.
func (t *tally) add(r *replica, e *entry, is *traits, payer int) {
	switch is.kind {
	case originatingEntry, renewalEntry:
		t.gross.add(e.amount)
		if is.kind == originatingEntry {
			t.new.add(e.amount)
		}
		if r.isPaid(e) {
			t.Transactions++
			if e.isRefunded {
				t.Refunded++
			}
			if t.payer != payer {
				t.payer = payer
				t.Customers++
			}
		}
	case refundEntry, refundReversal:
		t.refunds.subtract(e.amount)
	case chargebackEntry:
		t.chargebacks.subtract(e.amount)
	}
	if e.amount != 0 {
		if is.taxUnknown {
			t.TaxUnknown++
		}
		if is.commissionUnknown {
			t.CommissionUnknown++
		}
		t.tax.add(share(e.amount, int64(is.tax), million))
		t.commission.add(share(e.amount, int64(is.commission), million))
	}
	if is.unconverted {
		t.Unconverted++
	}
	if e.customer >= nobody {
		t.WithoutPersonRows++
		t.withoutPerson.add(e.amount)
	}
}

// plus adds what other customers come to.
func (t *tally) plus(more *tally) {
	t.Transactions += more.Transactions
	t.Refunded += more.Refunded
	t.Customers += more.Customers
	t.TaxUnknown += more.TaxUnknown
	t.CommissionUnknown += more.CommissionUnknown
	t.Unconverted += more.Unconverted
	t.WithoutPersonRows += more.WithoutPersonRows
	t.gross.plus(more.gross)
	t.refunds.plus(more.refunds)
	t.chargebacks.plus(more.chargebacks)
	t.new.plus(more.new)
	t.tax.plus(more.tax)
	t.commission.plus(more.commission)
	t.withoutPerson.plus(more.withoutPerson)
}

const million = 1_000_000

// totals returns what was added up. An amount beyond 64 bits is the end of their range.
func (t *tally) totals() Totals {
	out := t.Totals
	out.Gross, out.Refunds, out.Chargebacks = t.gross.int64(), t.refunds.int64(), t.chargebacks.int64()
	out.New, out.Tax, out.Commission = t.new.int64(), t.tax.int64(), t.commission.int64()
	out.WithoutPerson = t.withoutPerson.int64()
	return out
}

// count adds up the rows of a scope, by bucket and group: that of the range before the first bound is 0.
func (r *replica) count(scope *Scope, by *grouping, bounds []time.Time) []tally {
	line, n := newTimeline(bounds), len(by.names)
	tallies := make([]tally, (len(bounds)+1)*n)
	start, end, chosen := scope.Start.UnixMicro(), scope.End.UnixMicro(), r.chosen(scope.Filters)
	for c := range r.byCustomer.len() {
		for _, row := range r.byCustomer.of(c) {
			e := &r.entries[row]
			at := e.at
			if scope.Basis == ByCharge {
				at = e.charged
			}
			if at < start || at >= end || !chosen.keeps(e.traits, e.subject) {
				continue
			}
			is := &r.traits.values[e.traits]
			if is.kind == trialEntry {
				continue
			}
			tallies[line.bucket(at)*n+by.of(e.traits, e.subject, e.customer)].add(r, e, is, c+1)
		}
	}
	return tallies
}

// Row is the figures of a value of a dimension.
type Row struct {
	Value         string
	Totals        Totals
	Subscriptions State
	Trials        Trials
}

// Breakdown returns the figures by the values of a dimension, those with the most gross first: money of the range,
// subscriptions at its end, and trials that began in it.
func (r *Reader) Breakdown(ctx context.Context, by Dimension) ([]Row, error) {
	if !slices.Contains(Dimensions, by) {
		return nil, analytics.Invalid("dimension", "unknown dimension %q", by)
	}
	groups, err := gather(ctx, r, by, func(of *replica) map[string]*group { return of.breakDown(r, by) }, addGroups)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, 0, len(groups))
	for name, g := range groups {
		row := Row{Value: name, Totals: g.money.totals(), Subscriptions: g.state.state(), Trials: g.trials}
		if row != (Row{Value: name}) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Totals.Gross, a.Totals.Gross), cmp.Compare(a.Value, b.Value))
	})
	return slices.Clip(rows[:min(len(rows), maxRows)]), nil
}

// group is what a row of a breakdown is made of.
type group struct {
	money  tally
	state  change // since the beginning
	trials Trials
}

// breakDown returns the groups of a dimension by their value.
func (r *replica) breakDown(of *Reader, by Dimension) map[string]*group {
	groups := r.group(by)
	money := r.count(&of.scope, groups, nil)
	// A state at the end needs no other bound than that.
	states := r.changes(&of.scope, groups, of.until([]time.Time{of.scope.End}))
	trials := r.countTrials(&of.scope, groups, of.now)
	found := make(map[string]*group, len(groups.names))
	for i, name := range groups.names {
		found[name] = &group{money[i], states[i], trials[i]}
	}
	return found
}

func addGroups(sum, portion map[string]*group) map[string]*group {
	for name, more := range portion {
		g := sum[name]
		if g == nil {
			sum[name] = more
			continue
		}
		g.money.plus(&more.money)
		g.state.plus(&more.state)
		g.trials.plus(&more.trials)
	}
	return sum
}
