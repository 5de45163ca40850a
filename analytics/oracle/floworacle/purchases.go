package floworacle

import (
	"cmp"
	"slices"

	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/manifest"
)

// Purchases returns the purchases.
func (s *Selection) Purchases(graphs []flow.Graph) *flow.PurchasesReport {
	s = s.listedSurfaces(graphs)
	out := &flow.PurchasesReport{
		Surfaces: []flow.SurfacePurchases{}, Products: []flow.ProductPurchases{},
		Incomplete: s.incomplete(s.scope.End, s.longest()),
	}
	type surface struct{ step, provider string }
	presented, outcomes := map[surface][]*flowRun{}, map[surface]map[string]int64{}
	buyers := map[surface]map[string]bool{}
	type product struct{ product, provider string }
	products := map[product]flow.ProductPurchases{}
	for _, r := range s.runs {
		mine, had := map[surface]bool{}, map[string]bool{}
		for _, e := range r.events {
			key := surface{e.Step, e.Subject}
			switch {
			case e.Name == "surface_presented" && e.Step != "" && !mine[key]:
				mine[key] = true
				presented[key] = append(presented[key], r)
			case e.Name == "surface_outcome" && !had[e.Step+"\x00"+e.Subject+"\x00"+e.Value]:
				had[e.Step+"\x00"+e.Subject+"\x00"+e.Value] = true
				if outcomes[key] == nil {
					outcomes[key] = map[string]int64{}
				}
				outcomes[key][e.Value]++
			}
		}
		for _, c := range s.money[r] {
			row := products[product{c.Product, c.Provider.String()}]
			row.Product, row.Provider = c.Product, c.Provider.String()
			row.Gross += c.AmountMicros
			row.Revenue += c.AmountMicros + c.refunded
			if c.Kind == frame.Originating {
				row.Purchases++
				if c.AmountMicros == 0 {
					row.Trials++
				}
			}
			products[product{c.Product, c.Provider.String()}] = row
			if c.Kind != frame.Originating {
				continue
			}
			var at *surface
			for _, e := range r.events {
				if e.Name == "surface_presented" && e.Step != "" && (at == nil || e.At <= c.At) {
					at = &surface{e.Step, e.Subject}
				}
			}
			if at == nil {
				continue
			}
			if buyers[*at] == nil {
				buyers[*at] = map[string]bool{}
			}
			buyers[*at][r.person] = true
		}
	}
	for key := range outcomes {
		if presented[key] == nil {
			presented[key] = []*flowRun{}
		}
	}
	for key, runs := range presented {
		row := flow.SurfacePurchases{
			Step: flow.Step{ID: key.step, Kind: manifest.StepSurface}, Provider: key.provider, Presented: int64(len(runs)),
			Viewers: people(runs, all), Outcomes: []flow.Outcome{}, Purchasers: int64(len(buyers[key])),
		}
		for _, g := range slices.Backward(graphs) {
			for _, step := range g.Steps {
				if step.ID == key.step {
					row.Step = flow.Step(step)
				}
			}
		}
		for text, n := range outcomes[key] {
			row.Outcomes = append(row.Outcomes, flow.Outcome{Outcome: text, Runs: n})
		}
		slices.SortFunc(row.Outcomes, func(a, b flow.Outcome) int {
			return cmp.Or(
				cmp.Compare(last(a.Outcome), last(b.Outcome)), cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Outcome, b.Outcome),
			)
		})
		out.Surfaces = append(out.Surfaces, row)
	}
	slices.SortFunc(out.Surfaces, func(a, b flow.SurfacePurchases) int {
		return cmp.Or(
			cmp.Compare(last(a.ID), last(b.ID)), cmp.Compare(b.Presented, a.Presented), cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Provider, b.Provider),
		)
	})
	for _, row := range products {
		out.Products = append(out.Products, row)
	}
	slices.SortFunc(out.Products, func(a, b flow.ProductPurchases) int {
		return cmp.Or(
			cmp.Compare(b.Purchases, a.Purchases), cmp.Compare(a.Product, b.Product), cmp.Compare(a.Provider, b.Provider),
		)
	})
	return out
}
