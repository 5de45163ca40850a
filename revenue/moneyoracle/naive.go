package moneyoracle

import (
	"slices"
	"time"

	"github.com/svc-dev/svc/revenue/figures"
	"github.com/svc-dev/svc/revenue/fold"
)

var monthlyParts = map[int][2]int64{7: {4, 1}, 30: {1, 1}, 91: {1, 3}, 365: {1, 12}}

var lengthNames = map[int]string{7: "P1W", 30: "P1M", 91: "P3M", 365: "P1Y"}

const storeTax, storeCommission = 100_000, 150_000 // ppm

func within(t, from, to time.Time) bool { return !t.Before(from) && t.Before(to) }

// Totals returns the money of a scope.
func (w *World) Totals(scope figures.Scope, chosen Choice) (t figures.Totals) {
	customers := map[string]bool{}
	for _, s := range w.Subs {
		first := s.firstPaid()
		for _, p := range s.Spans {
			if p.cents == 0 || !chosen(s, p) {
				continue
			}
			row := func(cents int64) (micros int64) {
				if p.person == "" {
					t.WithoutPersonRows++
				}
				if p.isUnconverted {
					t.Unconverted++
					return 0
				}
				micros = cents * 10_000
				t.Tax += micros * storeTax / 1e6
				if s.Provider == fold.Stripe {
					t.CommissionUnknown++
				} else {
					t.Commission += micros * storeCommission / 1e6
				}
				if p.person == "" {
					t.WithoutPerson += micros
				}
				return micros
			}
			if within(p.start, scope.Start, scope.End) {
				micros := row(p.cents)
				t.Gross += micros
				t.Transactions++
				customers[s.customer(p)] = true
				if p == first {
					t.New += micros
				}
				if p.isRefunded {
					t.Refunded++
				}
			}
			for _, m := range p.moves {
				counts := m.at
				if scope.Basis == figures.ByCharge {
					counts = p.start
				}
				if !within(counts, scope.Start, scope.End) {
					continue
				}
				if micros := row(m.cents); m.chargeback {
					t.Chargebacks -= micros
				} else {
					t.Refunds -= micros
				}
			}
		}
	}
	t.Customers = int64(len(customers))
	return t
}

// firstPaid returns the period that was paid for first; nil for none.
func (s *Sub) firstPaid() *Span {
	for _, p := range s.Spans {
		if p.cents > 0 {
			return p
		}
	}
	return nil
}

// NewBySource returns the first money of subscriptions whose payer came from a source; "nowhere" is of those without a
// first touch, and of nobody.
func (w *World) NewBySource(scope figures.Scope, source string) int64 {
	return w.Totals(scope, func(_ *Sub, p *Span) bool {
		from, is := w.acquired[p.person]
		if !is {
			from.source = "nowhere"
		}
		return from.source == source
	}).New
}

// access is when a subscription has access by its n-th period.
func (s *Sub) access(n int) (from, to time.Time) {
	p := s.Spans[n]
	to = p.access
	if n+1 < len(s.Spans) && s.Spans[n+1].start.Before(to) {
		to = s.Spans[n+1].start
	}
	return p.start, to
}

// activeAt returns the period by which a subscription has access just before a time; nil for none.
func (s *Sub) activeAt(t time.Time) *Span {
	for n := range s.Spans {
		if from, to := s.access(n); from.Before(t) && !to.Before(t) {
			return s.Spans[n]
		}
	}
	return nil
}

func (s *Sub) monthly(p *Span) int64 {
	if p.isUnconverted {
		return 0
	}
	part := monthlyParts[s.days]
	return (2*p.plan*10_000*part[0] + part[1]) / (2 * part[1])
}

// State returns the subscriptions just before a time.
func (w *World) State(t time.Time, chosen Choice) (state figures.State) {
	for _, s := range w.Subs {
		p := s.activeAt(t)
		switch {
		case p == nil || !chosen(s, p):
		case p.trial:
			state.Trials++
		default:
			state.Active++
			if p.isUnconverted {
				state.Unconverted++
			}
			state.MRR += s.monthly(p)
		}
	}
	return state
}

// Point returns the subscriptions of a bucket.
func (w *World) Point(from, to time.Time, chosen Choice) (out figures.SubscriptionPoint) {
	out.State, out.ActiveAtStart = w.State(to, chosen), w.State(from, chosen).Active
	type customer struct {
		before, after int64
		first         time.Time
	}
	customers := map[string]*customer{}
	of := func(s *Sub, p *Span) *customer {
		c := customers[s.customer(p)]
		if c == nil {
			c = &customer{}
			customers[s.customer(p)] = c
		}
		return c
	}
	for _, s := range w.Subs {
		expired := false
		for n, p := range s.Spans {
			if p.trial || !chosen(s, p) {
				continue
			}
			start, end := s.access(n)
			expired = expired || within(end, from, to)
			if c := of(s, p); start.Before(end) && s.monthly(p) > 0 && (c.first.IsZero() || start.Before(c.first)) {
				c.first = start
			}
		}
		if p := s.activeAt(from); p != nil && !p.trial && chosen(s, p) {
			of(s, p).before += s.monthly(p)
		}
		p := s.activeAt(to)
		if p != nil && !p.trial && chosen(s, p) {
			of(s, p).after += s.monthly(p)
		} else if expired {
			out.Churned++
		}
	}
	for _, c := range customers {
		switch change := c.after - c.before; {
		case c.before == 0 && change > 0 && !c.first.Before(from):
			out.Movement.New += change
		case c.before == 0 && change > 0:
			out.Movement.Reactivation += change
		case change > 0:
			out.Movement.Expansion += change
		case change < 0 && c.after > 0:
			out.Movement.Contraction -= change
		case change < 0:
			out.Movement.Churn -= change
		}
	}
	return out
}

// Trials returns what became of the trials of a scope.
func (w *World) Trials(scope figures.Scope, chosen Choice) (t figures.Trials) {
	for _, s := range w.Subs {
		if p := s.Spans[0]; p.trial && within(p.start, scope.Start, scope.End) && chosen(s, p) {
			t.Started++
			switch {
			case len(s.Spans) > 1:
				t.Converted++
			case s.autoRenew && p.end.After(w.Now):
				t.Pending++
			}
		}
	}
	return t
}

// Lifetime returns what people paid by day 0 to a last one.
func (w *World) Lifetime(scope figures.Scope, last int, chosen Choice) []figures.LifetimeValue {
	values := make([]figures.LifetimeValue, last+1)
	for day := range values {
		v := &values[day]
		v.Day = day
		for person, seen := range w.FirstSeen {
			end := seen.Add(time.Duration(day+1) * 24 * time.Hour)
			if !within(seen, scope.Start, scope.End) || end.After(w.Now) {
				continue
			}
			v.Customers++
			paid := false
			for _, s := range w.Subs {
				for _, p := range s.Spans {
					if p.person != person || p.cents == 0 || !chosen(s, p) {
						continue
					}
					micros := p.cents * 10_000
					if p.isUnconverted {
						micros = 0
					}
					if p.start.Before(end) {
						v.Net, paid = v.Net+micros, true
					}
					for _, m := range p.moves {
						counts := m.at
						if scope.Basis == figures.ByCharge {
							counts = p.start
						}
						if counts.Before(end) && micros != 0 {
							v.Net += m.cents * 10_000
						}
					}
				}
			}
			if paid {
				v.Paying++
			}
		}
	}
	return values
}

// Retention returns how long subscriptions were paid.
func (w *World) Retention(scope figures.Scope, chosen Choice) []figures.SubscriptionRetention {
	found := []figures.SubscriptionRetention{}
	for _, days := range []int{7, 30, 91, 365} {
		var list []figures.RetainedPeriod
		for _, s := range w.Subs {
			paid := slices.DeleteFunc(slices.Clone(s.Spans), func(p *Span) bool {
				return p.trial || p.changes || !chosen(s, p)
			})
			if s.days != days || len(paid) == 0 || !within(paid[0].start, scope.Start, scope.End) {
				continue
			}
			due := paid[len(paid)-1].end
			for period := 0; period < len(paid) || !due.After(w.Now); period++ {
				if period == len(list) {
					list = append(list, figures.RetainedPeriod{Period: period})
				}
				list[period].Due++
				if period < len(paid) {
					list[period].Paid++
				} else {
					due = due.AddDate(0, 0, days)
				}
			}
		}
		if list != nil {
			found = append(found, figures.SubscriptionRetention{PeriodLength: lengthNames[days], Periods: list})
		}
	}
	return found
}

// Values are what a period has of the dimensions.
var Values = map[figures.Dimension]func(s *Sub, p *Span) string{
	figures.Provider: func(s *Sub, _ *Span) string { return string(s.Provider) },
	figures.Store:    func(s *Sub, _ *Span) string { return s.store },
	figures.Product:  func(s *Sub, _ *Span) string { return s.product },
	figures.Country: func(s *Sub, p *Span) string {
		if p.trial && s.Provider == fold.Stripe {
			return "" // Stripe's subscriptions name none
		}
		return s.country
	},
	figures.PeriodLength: func(s *Sub, p *Span) string {
		if p.trial {
			return "P1W"
		}
		return lengthNames[s.days]
	},
	figures.AcquisitionChannel: func(_ *Sub, p *Span) string { return p.channel },
	figures.FlowVersion:        func(s *Sub, _ *Span) string { return s.version },
	figures.ExperimentArm:      func(s *Sub, _ *Span) string { return s.arm },
}

// Counts tells whether a period is a charge of a range.
func (p *Span) Counts(scope figures.Scope) bool {
	return p.cents > 0 && within(p.start, scope.Start, scope.End)
}
