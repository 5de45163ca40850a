package demo

import (
	"strings"
	"time"

	"github.com/svc-dev/svc/revenue/fold"
)

// Purchase is a subscription that somebody bought, with what becomes of it.
type Purchase struct {
	Provider fold.Provider
	// ID is what the provider's ids are made of: equal ones name one purchase.
	ID        string
	AppUserID string // empty where the attempt says who it is
	Store     string // where it was bought, in lower case
	Attempt   string // the checkout attempt; empty without one
	ProductID string
	Country   string // ISO 3166-1; empty when the provider does not say
	At        time.Time
	Trial     bool // begins with a free week
	// Payments is how many are made before the subscription ends; 0 is a trial that nobody paid for.
	Payments int
	// RefundAfter is how long after the first payment that is given back, which ends the subscription; 0 keeps it.
	RefundAfter time.Duration
	Test        bool // money of a sandbox
}

// endless is the number of payments of a subscription that nobody cancels.
const endless = 1 << 10

const freeWeek = 7 * 24 * time.Hour

// moment is something that happens to a subscription.
type moment struct {
	kind       momentKind
	at         time.Time
	payment    int // which one, 0 for the first; -1 during a trial
	start, end time.Time
	micros     int64 // paid, or given back: positive
}

type momentKind int

const (
	trialBegins momentKind = iota
	isPaid
	isRefunded
	isCancelled // it is not to be renewed
	isOver
)

// moments returns what happens to a subscription up to a time, in its order.
func (p Purchase) moments(until time.Time) (list []moment) {
	price := prices[p.ProductID]
	add := func(m moment) bool {
		if m.at.After(until) {
			return false
		}
		list = append(list, m)
		return true
	}
	end := func(from moment) { // is said some days before
		from.kind, from.micros = isCancelled, 0
		from.at = from.start.Add(from.end.Sub(from.start) * 2 / 3).Truncate(time.Second)
		if add(from) {
			from.kind, from.at = isOver, from.end
			add(from)
		}
	}
	start := p.At
	if p.Trial {
		m := moment{kind: trialBegins, at: start, payment: -1, start: start, end: start.Add(freeWeek)}
		if !add(m) {
			return list
		}
		if p.Payments == 0 {
			end(m)
			return list
		}
		start = m.end
	}
	for n := range p.Payments {
		m := moment{kind: isPaid, at: p.renewal(start, n), payment: n, micros: price}
		m.start, m.end = m.at, p.renewal(start, n+1)
		if !add(m) {
			return list
		}
		switch {
		case p.RefundAfter > 0:
			m.kind, m.at = isRefunded, m.at.Add(p.RefundAfter)
			if add(m) {
				m.kind = isOver
				add(m)
			}
			return list
		case n == p.Payments-1:
			end(m)
		}
	}
	return list
}

// renewal returns when the n-th period begins of what was first paid at a time.
func (p Purchase) renewal(first time.Time, n int) time.Time {
	if p.ProductID == "tendril-month" {
		return first.AddDate(0, n, 0)
	}
	return first.AddDate(n, 0, 0)
}

// token is the purchase's id as providers write theirs.
func (p Purchase) token() string { return strings.ReplaceAll(p.ID, "-", "") }
