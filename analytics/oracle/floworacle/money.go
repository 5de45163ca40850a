package floworacle

import (
	"cmp"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/frame"
)

// charge is a ledger row of a run and what of it was paid back.
type charge struct {
	frame.Purchase
	refunded int64
}

// charges finds the runs that the rows of the ledger belong to.
func (o *Oracle) charges(window time.Duration) map[*flowRun][]charge {
	ledger := slices.Clone(o.world.Purchases)
	slices.SortStableFunc(ledger, func(a, b frame.Purchase) int { return cmp.Compare(a.At, b.At) })
	refunded := map[int]int64{}
	for _, refund := range ledger {
		if refund.Kind != frame.Refund {
			continue
		}
		of, same := -1, false
		for i, c := range ledger {
			if c.Kind == frame.Refund || c.Visitor != refund.Visitor || c.Provider != refund.Provider || c.At > refund.At {
				continue
			}
			amount := c.AmountMicros == -refund.AmountMicros
			better := of < 0 || amount && !same
			if !better && amount == same {
				better = c.At > ledger[of].At || c.At == ledger[of].At && c.Product < ledger[of].Product
			}
			if better {
				of, same = i, amount
			}
		}
		if of >= 0 {
			refunded[of] += refund.AmountMicros
		}
	}
	money := map[*flowRun][]charge{}
	for i, c := range ledger {
		if c.Kind == frame.Refund {
			continue
		}
		var owner *flowRun
		for _, r := range o.runs {
			if r.person != c.Visitor || r.start > c.At || c.At >= r.start+window.Milliseconds() {
				continue
			}
			if owner == nil || r.has("surface_presented") || !owner.has("surface_presented") {
				owner = r
			}
		}
		if owner != nil {
			money[owner] = append(money[owner], charge{c, refunded[i]})
		}
	}
	return money
}

func (s *Selection) net(r *flowRun) (net int64) {
	for _, c := range s.money[r] {
		net += c.AmountMicros + c.refunded
	}
	return net
}

func (s *Selection) buys(r *flowRun) bool {
	return slices.ContainsFunc(s.money[r], func(c charge) bool { return c.Kind == frame.Originating })
}

func (s *Selection) moneyOf(runs []*flowRun) flow.Money {
	m := flow.Money{Purchases: people(runs, s.buys)}
	for _, r := range runs {
		for _, c := range s.money[r] {
			if c.Kind == frame.Originating && c.AmountMicros == 0 {
				m.Trials++
			}
			m.Gross += c.AmountMicros
			m.Revenue += c.AmountMicros + c.refunded
		}
	}
	return m
}
