package flow

import (
	"cmp"
	"context"
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/manifest"
)

// surfaceTally is what happened at a surface of a provider.
type surfaceTally struct {
	presented, viewers, purchasers int64
	outcomes                       map[uint32]int64 // runs by number of the outcome
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
		n := a.size(ofSurfaces)
		t := &purchasesTally{make([]surfaceTally, n), map[productKey]ProductPurchases{}}
		f := s.newFollower()
		w := &surfaceWalker{tally: t, s: s, shown: make([]uint32, n), had: map[surfaceOutcomeID]uint32{}}
		byPath := make([]int64, len(f.paths))
		saw, bought := make([]uint32, n), make([]uint32, n) // person, and one, who did last
		for i, path := range rs.path {
			r, person := rs.refs[i], rs.visitor[i]+1
			if byPath[path]++; path == 0 {
				w.follow(f.happenings(path, r), 1)
			}
			if rs.marks[i]&presented != 0 {
				for _, code := range f.happenings(path, r) {
					if l := &a.letters[code]; l.kind == surfaceVisit && saw[l.of] != person {
						saw[l.of] = person
						t.surfaces[l.of].viewers++
					}
				}
			}
			if rs.marks[i]&paid == 0 {
				continue
			}
			money := s.window.money[r]
			for k := range money.charges {
				c := &money.charges[k]
				t.addCharge(c)
				surface := surfaceBefore(s.window.hits(r), c.At, a)
				if c.first() && surface != noNumber && bought[surface] != person {
					bought[surface] = person
					t.surfaces[surface].purchasers++
				}
			}
		}
		for path, n := range byPath {
			if path != 0 && n > 0 {
				w.follow(f.paths[path], n)
			}
		}
		return t
	}, addPurchases)
}

// surfaceOutcomeID is an outcome of a surface, both by number.
type surfaceOutcomeID struct{ surface, outcome uint32 }

// surfaceWalker follows paths through what surfaces presented and what became of it.
type surfaceWalker struct {
	s     *Selection
	tally *purchasesTally
	path  uint32                      // number of the present path, from 1
	shown []uint32                    // path that presented it last, by surface
	had   map[surfaceOutcomeID]uint32 // path that had it last
}

// follow counts n runs with the same happenings.
func (w *surfaceWalker) follow(codes []uint32, n int64) {
	w.path++
	for _, code := range codes {
		switch l := &w.s.window.letters.letters[code]; l.kind {
		case surfaceVisit:
			if w.shown[l.of] != w.path {
				w.shown[l.of] = w.path
				w.tally.surfaces[l.of].presented += n
			}
		case surfaceOutcome, purchaseClaim:
			// An iap_purchase follows the outcome that says the same; its value is a product.
			one := surfaceOutcomeID{l.of, l.had}
			if l.had == noNumber || w.had[one] == w.path {
				continue
			}
			w.had[one] = w.path
			to := &w.tally.surfaces[l.of]
			if to.outcomes == nil {
				to.outcomes = map[uint32]int64{}
			}
			to.outcomes[one.outcome] += n
		}
	}
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
	t, found, err := sumListed(ctx, s, graphs, (*Selection).countPurchases, addPurchases)
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
	for n := range t.surfaces {
		tally := &t.surfaces[n]
		if tally.presented == 0 && len(tally.outcomes) == 0 {
			continue
		}
		shown := found.letters.name(ofSurfaces, uint32(n))
		row := SurfacePurchases{
			Step: Step{ID: shown[0], Kind: manifest.StepSurface}, Provider: shown[1], Presented: tally.presented,
			Viewers: tally.viewers, Outcomes: []Outcome{}, Purchasers: tally.purchasers,
		}
		if step, known := names[shown[0]]; known {
			row.Step = step
		}
		for outcome, runs := range tally.outcomes {
			row.Outcomes = append(row.Outcomes, Outcome{found.letters.name(ofOutcomes, outcome)[0], runs})
		}
		slices.SortFunc(row.Outcomes, func(a, b Outcome) int {
			return cmp.Or(
				otherLast(a.Outcome, b.Outcome), cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Outcome, b.Outcome),
			)
		})
		out.Surfaces = append(out.Surfaces, row)
	}
	slices.SortFunc(out.Surfaces, func(a, b SurfacePurchases) int {
		return cmp.Or(
			otherLast(a.ID, b.ID), cmp.Compare(b.Presented, a.Presented), cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Provider, b.Provider),
		)
	})
	for key, row := range t.products {
		row.Product, row.Provider = found.view.Products[key.product], key.provider.String()
		out.Products = append(out.Products, row)
	}
	slices.SortFunc(out.Products, func(a, b ProductPurchases) int {
		return cmp.Or(
			cmp.Compare(b.Purchases, a.Purchases), cmp.Compare(a.Product, b.Product), cmp.Compare(a.Provider, b.Provider),
		)
	})
	return out, nil
}
