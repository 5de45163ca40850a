package figures

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics"
)

var (
	//go:embed lifetime_people.sql
	lifetimePeopleSQL string
	//go:embed lifetime_money.sql
	lifetimeMoneySQL string
	//go:embed retention.sql
	retentionSQL string
)

// MaxLifetimeDays is how far a lifetime value may look.
const MaxLifetimeDays = 366

// LifetimeValue is what the people first seen in the range paid up to a day of their lives, less what was taken back,
// of those whose day is over.
type LifetimeValue struct {
	Day       int // from 0: it ends 24 hours times Day + 1 after the first touch
	Customers int64
	Paying    int64 // who paid by then
	Net       int64 // micro-dollars
}

// PerCustomer is Net ÷ Customers in micro-dollars, nil without any.
func (v *LifetimeValue) PerCustomer() *float64 { return ratio(v.Net, v.Customers) }

// PerPayingCustomer is Net ÷ Paying in micro-dollars, nil without any.
func (v *LifetimeValue) PerPayingCustomer() *float64 { return ratio(v.Net, v.Paying) }

// LifetimeValue returns the values of day 0 to a last day.
func (r *Reader) LifetimeValue(ctx context.Context, last int) ([]LifetimeValue, error) {
	if last < 0 || last > MaxLifetimeDays {
		return nil, analytics.Invalid("days", "must be between 0 and %d", MaxLifetimeDays)
	}
	days := last + 1
	values := make([]LifetimeValue, days)
	for day := range values {
		values[day].Day = day
	}
	q := newQuery(lifetimePeopleSQL, pgx.StrictNamedArgs{
		"environment": r.scope.EnvironmentID, "start": r.scope.Start, "end": r.scope.End, "now": r.now, "days": days,
	})
	rows, err := r.pool.Query(ctx, q.sql(), q.args)
	if err != nil {
		return nil, fmt.Errorf("count people by their days: %w", err)
	}
	var over, day int
	var n, net int64
	if _, err := pgx.ForEachRow(rows, []any{&over, &n}, func() error {
		for day := range over {
			values[day].Customers += n
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("count people by their days: %w", err)
	}
	q.text = lifetimeMoneySQL
	q.part["at"] = r.scope.at()
	q.filter(r.scope.Filters)
	if rows, err = r.pool.Query(ctx, q.sql(), q.args); err != nil {
		return nil, fmt.Errorf("sum money by days of people: %w", err)
	}
	if _, err := pgx.ForEachRow(rows, []any{&over, &day, &net, &n}, func() error {
		for d := day; d < over; d++ {
			values[d].Net, values[d].Paying = values[d].Net+net, values[d].Paying+n
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("sum money by days of people: %w", err)
	}
	return values, nil
}

// MaxRetentionPeriods is how many periods after the first the retention of subscriptions looks at.
const MaxRetentionPeriods = 60

// SubscriptionRetention is how long subscriptions of a length of period were paid.
type SubscriptionRetention struct {
	PeriodLength string
	Periods      []RetainedPeriod
}

// RetainedPeriod is a period of subscriptions, from 0, the first that was paid.
type RetainedPeriod struct {
	Period int
	Due    int64 // subscriptions that could have paid it by now
	Paid   int64 // that paid it
}

// Rate is Paid ÷ Due.
func (p *RetainedPeriod) Rate() *float64 { return ratio(p.Paid, p.Due) }

// Retention returns how long the subscriptions were paid whose first payment is in the range, the shortest periods
// first.
func (r *Reader) Retention(ctx context.Context) ([]SubscriptionRetention, error) {
	q := newQuery(retentionSQL, pgx.StrictNamedArgs{
		"environment": r.scope.EnvironmentID, "start": r.scope.Start, "end": r.scope.End, "now": r.now,
		"most": MaxRetentionPeriods,
	})
	q.filter(r.scope.Filters)
	rows, err := r.pool.Query(ctx, q.sql(), q.args)
	if err != nil {
		return nil, fmt.Errorf("count the periods of subscriptions: %w", err)
	}
	byLength := map[string][]RetainedPeriod{}
	var length string
	var paid, lastDue int
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&length, &paid, &lastDue, &n}, func() error {
		list := byLength[length]
		for period := range lastDue + 1 {
			if period == len(list) {
				list = append(list, RetainedPeriod{Period: period})
			}
			list[period].Due += n
			if period < paid {
				list[period].Paid += n
			}
		}
		byLength[length] = list
		return nil
	}); err != nil {
		return nil, fmt.Errorf("count the periods of subscriptions: %w", err)
	}
	found := []SubscriptionRetention{}
	for _, length := range slices.Concat(PeriodLengths, []string{""}) {
		if list := byLength[length]; list != nil {
			found = append(found, SubscriptionRetention{length, list})
		}
	}
	return found, nil
}
