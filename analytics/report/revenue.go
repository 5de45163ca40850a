package report

import (
	"cmp"
	"slices"
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

// purchasesIn returns the ledger rows of the window.
func (w *window) purchasesIn() []frame.CodedPurchase {
	all := w.view.Purchases
	lo := sort.Search(len(all), func(i int) bool { return all[i].At >= w.start })
	hi := lo + sort.Search(len(all)-lo, func(i int) bool { return all[lo+i].At >= w.end })
	return all[lo:hi]
}

// allowed tells whether the scope's provider allows a purchase.
func (s *Selection) allowed(p *frame.CodedPurchase) bool {
	provider, limited := analytics.ParseProvider(s.scope.RevenueProvider)
	return !limited || p.Provider == provider
}

// attributed returns the originating purchases of the window with their sessions (analytics.md §2,
// revenue): each belongs to its visitor's last session of the range that started at or before it,
// else to their earliest session in the range. Filters play no part in it, so one window finds them
// once for all its scopes.
func (w *window) attributed() []attributed {
	w.revenueOnce.Do(func() {
		for _, p := range w.purchasesIn() {
			if p.Kind == frame.Originating {
				w.revenue = append(w.revenue, attributed{p, noRef})
			}
		}
		byVisitor := make([]uint32, len(w.revenue))
		for i := range byVisitor {
			byVisitor[i] = uint32(i)
		}
		slices.SortFunc(byVisitor, func(i, j uint32) int { return cmp.Compare(w.revenue[i].Visitor, w.revenue[j].Visitor) })
		seeker := w.seeker()
		for _, i := range byVisitor {
			w.revenue[i].session = seeker.sessionOf(w.revenue[i].Visitor, w.revenue[i].At)
		}
	})
	return w.revenue
}

// purchases returns the originating purchases that count in the selection: those whose session
// qualifies, and those without a session when no session filter is set.
func (s *Selection) purchases() []attributed {
	if !s.filter.active && s.scope.RevenueProvider == "" {
		return s.window.attributed()
	}
	s.revenueOnce.Do(func() {
		for _, p := range s.window.attributed() {
			switch r := p.session; {
			case !s.allowed(&p.CodedPurchase):
			case !s.filter.active, r != noRef && s.qualifies(r):
				s.revenue = append(s.revenue, p)
			}
		}
	})
	return s.revenue
}

// sessionOf returns the session of the window that what a visitor did at a time belongs to.
func (w *seeker) sessionOf(visitor uint32, at int64) ref {
	last, earliest := noRef, noRef
	for _, r := range w.of(visitor) {
		if earliest == noRef || w.startsBefore(r, earliest) {
			earliest = r
		}
		if w.startOf(r) <= at && (last == noRef || w.startsBefore(last, r)) {
			last = r
		}
	}
	if last != noRef {
		return last
	}
	return earliest
}

func (w *windowRows) startOf(r ref) int64 { return w.parts[r.part].Start(r.row) }

// startsBefore orders sessions by start, then by key.
func (w *windowRows) startsBefore(a, b ref) bool {
	if x, y := w.startOf(a), w.startOf(b); x != y {
		return x < y
	}
	x, y := &w.parts[a.part].Keys()[a.row], &w.parts[b.part].Keys()[b.row]
	return string(x[:]) < string(y[:])
}
