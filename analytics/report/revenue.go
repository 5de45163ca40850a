package report

import (
	"sort"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/frame"
)

// attributed is an originating purchase of the range and the session it belongs to, noRef when
// its visitor has no session in the range.
type attributed struct {
	frame.CodedPurchase
	session ref
}

// purchasesIn are the ledger rows of the range that the scope's provider allows.
func (s *Selection) purchasesIn() []frame.CodedPurchase {
	all := s.view.Purchases
	lo := sort.Search(len(all), func(i int) bool { return all[i].At >= s.window.start })
	hi := lo + sort.Search(len(all)-lo, func(i int) bool { return all[lo+i].At >= s.window.end })
	provider, limited := analytics.ParseProvider(s.scope.RevenueProvider)
	if !limited {
		return all[lo:hi]
	}
	var out []frame.CodedPurchase
	for _, p := range all[lo:hi] {
		if p.Provider == provider {
			out = append(out, p)
		}
	}
	return out
}

// purchases are the originating purchases that count in the selection (analytics.md §2, revenue):
// each belongs to its visitor's last session of the range that started at or before it, else to
// their earliest session in the range, and counts when that session qualifies; without a session
// it counts when no session filter is set.
func (s *Selection) purchases() []attributed {
	s.revenueOnce.Do(func() {
		for _, p := range s.purchasesIn() {
			if p.Kind != frame.Originating {
				continue
			}
			r := s.sessionOf(p)
			if r == noRef {
				if !s.filter.active {
					s.revenue = append(s.revenue, attributed{p, noRef})
				}
				continue
			}
			if !s.filter.active || s.filter.passes(&s.window.parts[r.part], r.row) {
				s.revenue = append(s.revenue, attributed{p, r})
			}
		}
	})
	return s.revenue
}

func (s *Selection) sessionOf(p frame.CodedPurchase) ref {
	last, earliest := noRef, noRef
	for _, r := range s.window.of(p.Visitor) {
		if earliest == noRef || s.startsBefore(r, earliest) {
			earliest = r
		}
		if s.start(r) <= p.At && (last == noRef || s.startsBefore(last, r)) {
			last = r
		}
	}
	if last != noRef {
		return last
	}
	return earliest
}

func (s *Selection) start(r ref) int64 { return s.window.parts[r.part].Start(r.row) }

// startsBefore orders sessions by start, then by key.
func (s *Selection) startsBefore(a, b ref) bool {
	if x, y := s.start(a), s.start(b); x != y {
		return x < y
	}
	x, y := &s.window.parts[a.part].Key[a.row], &s.window.parts[b.part].Key[b.row]
	return string(x[:]) < string(y[:])
}
