package figures

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics"
)

//go:embed totals.sql
var totalsSQL string

// Reader computes the figures of one scope. It may be used by several goroutines.
type Reader struct {
	pool  *pgxpool.Pool
	scope Scope
	now   time.Time
}

// NewReader makes a reader of a resolved scope at a time.
func NewReader(pool *pgxpool.Pool, scope Scope, now time.Time) *Reader {
	return &Reader{pool: pool, scope: scope, now: now}
}

// Scope returns the scope.
func (r *Reader) Scope() Scope { return r.scope }

// Totals is money of the ledger. Amounts are micro-dollars; those whose dollars are not known are in none of them.
type Totals struct {
	Gross, Refunds, Chargebacks int64 // charges, and what was taken back of any, positive
	New                         int64 // part of Gross: what customers paid first
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
func (t *Totals) Net() int64 { return t.Gross - t.Refunds - t.Chargebacks }

// Renewal is the part of Gross that is not New.
func (t *Totals) Renewal() int64 { return t.Gross - t.New }

// Proceeds is the part of Net that is neither tax nor commission, as far as these are known.
func (t *Totals) Proceeds() int64 { return t.Net() - t.Tax - t.Commission }

// RefundRate is Refunded ÷ Transactions, nil without any.
func (t *Totals) RefundRate() *float64 { return ratio(t.Refunded, t.Transactions) }

func ratio(n, d int64) *float64 {
	if d == 0 {
		return nil
	}
	r := float64(n) / float64(d)
	return &r
}

func (t *Totals) add(more Totals) {
	t.Gross, t.Refunds, t.Chargebacks = t.Gross+more.Gross, t.Refunds+more.Refunds, t.Chargebacks+more.Chargebacks
	t.New, t.Tax, t.Commission = t.New+more.New, t.Tax+more.Tax, t.Commission+more.Commission
	t.Transactions, t.Refunded = t.Transactions+more.Transactions, t.Refunded+more.Refunded
	t.Customers, t.Unconverted = t.Customers+more.Customers, t.Unconverted+more.Unconverted
	t.TaxUnknown, t.CommissionUnknown = t.TaxUnknown+more.TaxUnknown, t.CommissionUnknown+more.CommissionUnknown
	t.WithoutPersonRows += more.WithoutPersonRows
	t.WithoutPerson += more.WithoutPerson
}

// Point is the money of a bucket.
type Point struct {
	Bucket time.Time // the true start, also when the range clips it
	Totals Totals
}

// maxRows is how many sums a statement may answer: of buckets, or of values of a dimension.
const maxRows = 20_000

// at is SQL for when a row counts.
func (s *Scope) at() string {
	if s.Basis == ByCharge {
		return "coalesce(l.charged_at, l.occurred_at)"
	}
	return "l.occurred_at"
}

// Totals returns the money of the range.
func (r *Reader) Totals(ctx context.Context) (*Totals, error) {
	var total Totals
	err := r.sums(ctx, "", nil, func(_ int, _ string, t Totals) { total = t })
	return &total, err
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
	return points, r.sums(ctx, "", bounds, func(bucket int, _ string, t Totals) { points[bucket-1].Totals = t })
}

// sums calls each with the money of every bucket and value that has any.
func (r *Reader) sums(
	ctx context.Context, by Dimension, bounds []time.Time, each func(bucket int, value string, t Totals),
) error {
	q := newQuery(totalsSQL, pgx.StrictNamedArgs{
		"environment": r.scope.EnvironmentID, "start": r.scope.Start, "end": r.scope.End, "most": maxRows,
		"bounds": orNone(bounds),
	})
	q.part["at"] = r.scope.at()
	q.filter(r.scope.Filters)
	name, err := r.breakDown(ctx, q, by)
	if err != nil {
		return err
	}
	rows, err := r.pool.Query(ctx, q.sql(), q.args)
	if err != nil {
		return fmt.Errorf("sum the ledger: %w", err)
	}
	var bucket int
	var value string
	var t Totals
	_, err = pgx.ForEachRow(rows, []any{
		&bucket, &value, &t.Gross, &t.Refunds, &t.Chargebacks, &t.New, &t.Tax, &t.Commission, &t.TaxUnknown,
		&t.CommissionUnknown, &t.Transactions, &t.Refunded, &t.Customers, &t.Unconverted, &t.WithoutPersonRows,
		&t.WithoutPerson,
	}, func() error {
		each(bucket, name(value), t)
		return nil
	})
	if err != nil {
		return fmt.Errorf("sum the ledger: %w", err)
	}
	return nil
}

// orNone returns a bound that has everything before it when there are none: PostgreSQL refuses an empty list.
func orNone(bounds []time.Time) []time.Time {
	if len(bounds) == 0 {
		return []time.Time{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}
	}
	return bounds
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
	found := map[string]*Row{}
	of := func(value string) *Row {
		if found[value] == nil {
			found[value] = &Row{Value: value}
		}
		return found[value]
	}
	if err := r.sums(ctx, by, nil, func(_ int, value string, t Totals) { of(value).Totals.add(t) }); err != nil {
		return nil, err
	}
	// A state at the end needs no other bound than that.
	bounds := r.until([]time.Time{r.scope.End})
	if err := r.changes(ctx, by, bounds, func(bucket int, value string, c change) {
		if bucket == 0 {
			of(value).Subscriptions.add(c)
		}
	}); err != nil {
		return nil, err
	}
	if err := r.trials(ctx, by, func(value string, t Trials) { of(value).Trials.add(t) }); err != nil {
		return nil, err
	}
	rows := make([]Row, 0, len(found))
	for _, row := range found {
		if *row != (Row{Value: row.Value}) {
			rows = append(rows, *row)
		}
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Totals.Gross, a.Totals.Gross), cmp.Compare(a.Value, b.Value))
	})
	return rows, nil
}
