package figures

import (
	"context"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/analytics"
)

//go:embed lifetime_people.sql
var lifetimePeopleSQL string

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
	if err := r.countPeople(ctx, values); err != nil {
		return nil, err
	}
	paid, err := gather(ctx, r, AcquisitionChannel, func(of *replica) []lifetimeDay {
		return of.lifetimes(&r.scope, r.now, days)
	}, func(sum, portion []lifetimeDay) []lifetimeDay { return addEach(sum, portion, (*lifetimeDay).plus) })
	if err != nil {
		return nil, err
	}
	var sofar lifetimeDay
	for day := range values {
		sofar.plus(&paid[day])
		values[day].Net, values[day].Paying = sofar.net.int64(), sofar.paying
	}
	return values, nil
}

// countPeople sets how many people were first seen in the range whose day is over.
func (r *Reader) countPeople(ctx context.Context, values []LifetimeValue) error {
	rows, err := r.ledgers.pool.Query(ctx, lifetimePeopleSQL, pgx.StrictNamedArgs{
		"environment": r.scope.EnvironmentID, "start": r.scope.Start, "end": r.scope.End, "now": r.now, "days": len(values),
	})
	if err != nil {
		return unavailable(err)
	}
	var over int
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&over, &n}, func() error {
		for day := range over {
			values[day].Customers += n
		}
		return nil
	}); err != nil {
		return unavailable(err)
	}
	return nil
}

const dayMicros = 86_400_000_000

// lifetimeDay is how what people paid, and how many did, changes on a day of their lives.
type lifetimeDay struct {
	net    sum
	paying int64
}

func (d *lifetimeDay) plus(more *lifetimeDay) {
	d.net.plus(more.net)
	d.paying += more.paying
}

// lifetimes returns what people paid, and how many did, of those whose day is over.
func (r *replica) lifetimes(scope *Scope, at time.Time, last int) []lifetimeDay {
	start, end, now, chosen := scope.Start.UnixMicro(), scope.End.UnixMicro(), at.UnixMicro(), r.chosen(scope.Filters)
	days := int64(last)
	changes := make([]lifetimeDay, days+1)
	for person := range r.touches {
		t := &r.touches[person]
		if !t.isKnown || t.seen < start || t.seen >= end || t.seen > now {
			continue
		}
		over, paid := min(days, (now-t.seen)/dayMicros), days // days that are over, and the first on which they paid
		for _, row := range r.byCustomer.of(person) {
			e := &r.entries[row]
			at := e.at
			if scope.Basis == ByCharge {
				at = e.charged
			}
			kind := r.traits.values[e.traits].kind
			day := max(0, at-t.seen) / dayMicros
			if kind == trialEntry || day >= days || !chosen.keeps(e.traits, e.subject) {
				continue
			}
			if day < over {
				changes[day].net.add(e.amount)
				changes[over].net.subtract(e.amount)
			}
			if kind.isCharge() && r.isPaid(e) {
				paid = min(paid, day)
			}
		}
		if paid < over {
			changes[paid].paying++
			changes[over].paying--
		}
	}
	return changes
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
	byLength, err := gather(ctx, r, "", func(of *replica) [][]RetainedPeriod {
		return of.retained(&r.scope, r.now)
	}, addRetained)
	if err != nil {
		return nil, err
	}
	found := []SubscriptionRetention{}
	for i, list := range byLength {
		if list != nil {
			found = append(found, SubscriptionRetention{lengthName(uint8(i)), list})
		}
	}
	return found, nil
}

// retained returns the periods of the subscriptions of a scope, by the place of their length.
func (r *replica) retained(scope *Scope, at time.Time) [][]RetainedPeriod {
	start, end, now, chosen := scope.Start.UnixMicro(), scope.End.UnixMicro(), at.UnixMicro(), r.chosen(scope.Filters)
	byLength := make([][]RetainedPeriod, len(PeriodLengths)+1)
	var paid []*period
	for subject := range r.bySubject.len() {
		paid = paid[:0]
		for _, row := range r.bySubject.of(subject) {
			p := &r.periods[row]
			if r.traits.values[p.traits].kind == paidPeriod && p.starts <= now && chosen.keeps(p.traits, p.subject) {
				paid = append(paid, p)
			}
		}
		for len(paid) > 0 {
			first := paid[0]
			product := r.traits.values[first.traits].product
			n, lastEnd, others := 0, first.ends, paid[:0]
			for _, p := range paid {
				if r.traits.values[p.traits].product != product {
					others = append(others, p)
					continue
				}
				if n == 0 || p.ends > lastEnd { // not a change within a period that is paid
					n++
				}
				lastEnd = max(lastEnd, p.ends)
			}
			paid = others
			if first.starts < start || first.starts >= end {
				continue
			}
			lastDue := n - 1
			if lastEnd <= now {
				lastDue = min(MaxRetentionPeriods, n+int((now-lastEnd)/max(1_000_000, first.whole)))
			}
			list := &byLength[r.traits.values[first.traits].length]
			for period := range min(MaxRetentionPeriods, lastDue) + 1 {
				if period == len(*list) {
					*list = append(*list, RetainedPeriod{Period: period})
				}
				(*list)[period].Due++
				if period < n {
					(*list)[period].Paid++
				}
			}
		}
	}
	return byLength
}

func addRetained(sum, portion [][]RetainedPeriod) [][]RetainedPeriod {
	for length, list := range portion {
		for i, more := range list {
			if i == len(sum[length]) {
				sum[length] = append(sum[length], more)
				continue
			}
			sum[length][i].Due += more.Due
			sum[length][i].Paid += more.Paid
		}
	}
	return sum
}
