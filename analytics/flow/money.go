package flow

import (
	"slices"
	"sort"

	"github.com/svc-dev/svc/analytics/frame"
)

// runMoney is what the ledger says of a run.
type runMoney struct {
	firsts, trials, gross, net int64
	charges                    []charge
}

// charge is a ledger row that belongs to a run, and what of it was paid back.
type charge struct {
	frame.CodedPurchase
	refunded int64 // not positive
}

func (c *charge) first() bool { return c.Kind == frame.Originating }
func (c *charge) trial() bool { return c.Kind == frame.Originating && c.AmountMicros == 0 }

// payRuns finds the runs that the ledger's charges belong to (flow-analytics.md §5): of the runs of the same person
// that started at or before the charge, less than the purchase window before, the latest that presented a surface,
// else the latest. Refunds go with their charge: of the charges of the person by the same provider at or before the
// refund, the latest of its amount, else the latest.
func (w *window) payRuns() {
	w.money = map[ref]*runMoney{}
	all := w.view.Purchases
	from := sort.Search(len(all), func(i int) bool { return all[i].At >= w.span.start })
	to := sort.Search(len(all), func(i int) bool { return all[i].At >= w.span.end+w.span.purchase })
	if from == to {
		return
	}
	payers := w.runsOfPayers(all[from:to])
	owner := map[int]ref{} // by charge
	for i := from; i < to; i++ {
		if all[i].Kind == frame.Refund {
			continue
		}
		if r, ok := w.ownerOf(&all[i], payers); ok {
			owner[i] = r
		}
	}
	refunded := w.refunds(all[from:], all, owner)
	for _, i := range sortedKeys(owner) {
		r, c := owner[i], charge{all[i], refunded[i]}
		m := w.money[r]
		if m == nil {
			m = &runMoney{}
			w.money[r] = m
			w.parts[r.part].paid[r.row>>6] |= 1 << (r.row & 63)
		}
		if c.first() {
			m.firsts++
		}
		if c.trial() {
			m.trials++
		}
		m.gross += c.AmountMicros
		m.net += c.AmountMicros + c.refunded
		m.charges = append(m.charges, c)
	}
}

func sortedKeys[V any](m map[int]V) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// runsOfPayers returns the runs of the people who paid, by shard.
func (w *window) runsOfPayers(purchases []frame.CodedPurchase) []*runs {
	f := &filter{
		start: w.span.start - w.span.purchase, end: w.span.end + w.span.purchase,
		people: true, only: make([]uint64, (w.view.Visitors.Len()+63)/64),
	}
	for i := range purchases {
		visitor := purchases[i].Visitor
		f.only[visitor>>6] |= 1 << (visitor & 63)
	}
	shards := make([]*runs, len(w.shards))
	frame.Parallel(len(shards), func(i int) { shards[i] = f.selectFrom(w, w.shards[i]) })
	return shards
}

// ownerOf returns the run that a charge belongs to.
func (w *window) ownerOf(c *frame.CodedPurchase, payers []*runs) (owner ref, found bool) {
	shard := sort.Search(len(w.shards)-1, func(i int) bool { return w.shards[i].to > c.Visitor })
	rs := payers[shard]
	withSurface := false
	for i, to := rs.of(c.Visitor); i < to; i++ { // by start
		if rs.start[i] > c.At || c.At >= rs.start[i]+w.span.purchase {
			continue
		}
		surface := rs.marks[i]&presented != 0
		if surface || !withSurface {
			owner, found, withSurface = rs.refs[i], true, surface
		}
	}
	return owner, found
}

// refunds returns what of each charge with an owner was paid back. Refunds of charges since the window began are among
// those since then.
func (w *window) refunds(since, all []frame.CodedPurchase, owner map[int]ref) map[int]int64 {
	type account struct {
		visitor  uint32
		provider frame.Provider
	}
	charges := map[account][]int{} // of those with refunds, by time
	for _, p := range since {
		if p.Kind == frame.Refund {
			charges[account{p.Visitor, p.Provider}] = nil
		}
	}
	refunded := map[int]int64{}
	if len(charges) == 0 {
		return refunded
	}
	for i := range all {
		key := account{all[i].Visitor, all[i].Provider}
		if list, known := charges[key]; known && all[i].Kind != frame.Refund {
			charges[key] = append(list, i)
		}
	}
	for i := range since {
		if p := &since[i]; p.Kind == frame.Refund {
			of, ok := w.chargeOf(p, charges[account{p.Visitor, p.Provider}])
			if _, owned := owner[of]; ok && owned {
				refunded[of] += p.AmountMicros
			}
		}
	}
	return refunded
}

// chargeOf returns the charge among those of an account that a refund pays back; of several of one moment that of the
// first product.
func (w *window) chargeOf(refund *frame.CodedPurchase, account []int) (of int, found bool) {
	all, products := w.view.Purchases, w.view.Products
	same := false // the charge found is of the refund's amount
	for _, i := range slices.Backward(account) {
		c := &all[i]
		amount := c.AmountMicros == -refund.AmountMicros
		switch {
		case c.At > refund.At:
			continue
		case found && all[of].At > c.At && same:
			return of, true
		case !found, amount && !same,
			amount == same && all[of].At == c.At && products[c.Product] < products[all[of].Product]:
			of, found, same = i, true, amount
		}
	}
	return of, found
}
