package manifest

import "regexp"

// price is an amount with the sign of a currency before or behind it.
var price = regexp.MustCompile(`[$€£¥₹₩₽]\s?\d+(?:[.,]\d+)*|\b\d+(?:[.,]\d+)*\s?[$€£¥₹₩₽]`)

// gatePrices warns of prices that are written as text on a screen that leads to
// a purchase: the store charges each person in their own currency, and changes
// prices without a new version. A template with such a default is fine.
func gatePrices(m *Manifest, r *report) {
	for _, screen := range m.Screens {
		if !m.sells(screen) {
			continue
		}
		for _, p := range m.layersOf[screen] {
			if p.Kind == KindText && p.Text != nil && price.MatchString(templateToken.ReplaceAllString(p.Text.Default, "")) {
				r.warn(at(p.pointer, "text"), "text.fixed_price", "The text holds a price of its own, whatever the store charges.")
			}
		}
	}
}

// sells reports whether a screen leads to a purchase, with decisions alone
// between the two.
func (m *Manifest) sells(screen *Screen) bool {
	stores := map[string]bool{}
	for _, surface := range m.Surfaces {
		switch surface.Config.Provider {
		case RevenueCat, Superwall, Stripe:
			stores[surface.ID] = true
		}
	}
	if len(stores) == 0 {
		return false
	}
	ways := map[string][]string{}
	for _, e := range m.edges() {
		if e.to != "" && !e.idle {
			ways[e.from] = append(ways[e.from], e.to)
		}
	}
	seen := map[string]bool{}
	var leads func(id string) bool
	leads = func(id string) bool {
		for _, to := range ways[id] {
			if stores[to] {
				return true
			}
			if m.isDecision(to) && !seen[to] {
				seen[to] = true
				if leads(to) {
					return true
				}
			}
		}
		return false
	}
	return leads(screen.ID)
}
