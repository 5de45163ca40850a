package flow

import (
	"cmp"
	"context"
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/manifest"
)

// surfaceTally is what happened at a surface of a provider.
type surfaceTally struct {
	presented, viewers, purchasers int64
	outcomes                       map[int32]int64 // runs by id of the outcome
}

// productKey is a product of the ledger.
type productKey struct {
	product  uint32
	provider frame.Provider
}

// purchasesTally is the purchases of some runs.
type purchasesTally struct {
	surfaces []surfaceTally // by number
	products map[productKey]ProductPurchases
}

// countPurchases counts what was presented and bought.
func (s *Selection) countPurchases() *purchasesTally {
	return each(s, func(_ int, rs *runs) *purchasesTally {
		a := s.window.letters
		n := len(a.surfaces)
		t := &purchasesTally{make([]surfaceTally, n), map[productKey]ProductPurchases{}}
		shown := make([]uint32, n)                          // run that presented it last, from 1
		saw, bought := make([]uint32, n), make([]uint32, n) // person, and one, who did last
		type outcome struct {
			surface uint32
			id      int32
		}
		had := map[outcome]uint32{} // run that had it last
		number := uint32(0)         // of the run
		s.window.blocks(rs, func(x *reading) {
			number++
			person := x.visitor + 1
			for _, hit := range x.hits {
				l := a.of(hit)
				switch l.kind {
				case surfaceVisit:
					if shown[l.of] != number {
						shown[l.of] = number
						t.surfaces[l.of].presented++
					}
					if saw[l.of] != person {
						saw[l.of] = person
						t.surfaces[l.of].viewers++
					}
				case surfaceOutcome, purchaseClaim:
					// An iap_purchase follows the outcome that says the same; its value is a product.
					h := &s.view.Happenings[frame.HitName(hit)]
					one := outcome{l.of, h.Value}
					if h.Name != run.SurfaceOutcome || had[one] == number {
						continue
					}
					had[one] = number
					to := &t.surfaces[l.of]
					if to.outcomes == nil {
						to.outcomes = map[int32]int64{}
					}
					to.outcomes[one.id]++
				}
			}
			if rs.marks[x.at]&paid == 0 {
				return
			}
			for k := range s.window.money[x.ref].charges {
				c := &s.window.money[x.ref].charges[k]
				t.addCharge(c)
				surface := surfaceBefore(x.hits, c.At, a)
				if c.first() && surface != noNumber && bought[surface] != person {
					bought[surface] = person
					t.surfaces[surface].purchasers++
				}
			}
		})
		return t
	}, addPurchases)
}

// surfaceBefore returns the number of the surface that a run presented last up to an instant, else of its first;
// noNumber of a run without one.
func surfaceBefore(hits []int64, at int64, a *alphabet) uint32 {
	last := noNumber
	for _, hit := range hits {
		if l := a.of(hit); l.kind == surfaceVisit && (last == noNumber || frame.HitTime(hit) <= at) {
			last = l.of
		}
	}
	return last
}

func (t *purchasesTally) addCharge(c *charge) {
	key := productKey{c.Product, c.Provider}
	row := t.products[key]
	if c.first() {
		row.Purchases++
	}
	if c.trial() {
		row.Trials++
	}
	row.Gross += c.AmountMicros
	row.Revenue += c.AmountMicros + c.refunded
	t.products[key] = row
}

func addPurchases(total, more *purchasesTally) *purchasesTally {
	surfaces := extend(total.surfaces, more.surfaces)
	for i := range more.surfaces {
		to, from := &surfaces[i], &more.surfaces[i]
		to.presented, to.viewers = to.presented+from.presented, to.viewers+from.viewers
		to.purchasers += from.purchasers
		if to.outcomes == nil {
			to.outcomes = from.outcomes
			continue
		}
		for id, n := range from.outcomes {
			to.outcomes[id] += n
		}
	}
	for key, row := range more.products {
		sum := total.products[key]
		sum.Purchases, sum.Trials = sum.Purchases+row.Purchases, sum.Trials+row.Trials
		sum.Gross, sum.Revenue = sum.Gross+row.Gross, sum.Revenue+row.Revenue
		total.products[key] = sum
	}
	return &purchasesTally{surfaces, total.products}
}

// Purchases returns what surfaces presented, what devices reported of it and what the ledger says was bought. The
// graphs name the surfaces.
func (s *Selection) Purchases(ctx context.Context, graphs []Graph) (*PurchasesReport, error) {
	t, view, err := sum(ctx, s, (*Selection).countPurchases, addPurchases)
	if err != nil {
		return nil, err
	}
	names := map[string]Step{}
	for _, step := range blend(graphs, nil) {
		names[step.ID] = Step(step)
	}
	out := &PurchasesReport{
		Surfaces: []SurfacePurchases{}, Products: []ProductPurchases{},
		Incomplete: s.incomplete(s.scope.End, s.moneyWindow()),
	}
	letters := lettersOf(view)
	for n := range t.surfaces {
		tally := &t.surfaces[n]
		if tally.presented == 0 && len(tally.outcomes) == 0 {
			continue
		}
		_, id := view.FlowName(letters.surfaces[n][0])
		_, provider := view.FlowName(letters.surfaces[n][1])
		row := SurfacePurchases{
			Step: Step{ID: id, Kind: manifest.StepSurface}, Provider: provider, Presented: tally.presented,
			Viewers: tally.viewers, Outcomes: []Outcome{}, Purchasers: tally.purchasers,
		}
		if step, known := names[id]; known {
			row.Step = step
		}
		for id, runs := range tally.outcomes {
			_, text := view.FlowName(id)
			row.Outcomes = append(row.Outcomes, Outcome{text, runs})
		}
		slices.SortFunc(row.Outcomes, func(a, b Outcome) int {
			return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Outcome, b.Outcome))
		})
		out.Surfaces = append(out.Surfaces, row)
	}
	slices.SortFunc(out.Surfaces, func(a, b SurfacePurchases) int {
		return cmp.Or(
			cmp.Compare(b.Presented, a.Presented), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Provider, b.Provider),
		)
	})
	for key, row := range t.products {
		row.Product, row.Provider = view.Products[key.product], key.provider.String()
		out.Products = append(out.Products, row)
	}
	slices.SortFunc(out.Products, func(a, b ProductPurchases) int {
		return cmp.Or(
			cmp.Compare(b.Purchases, a.Purchases), cmp.Compare(a.Product, b.Product), cmp.Compare(a.Provider, b.Provider),
		)
	})
	return out, nil
}
