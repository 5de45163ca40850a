package manifest

import (
	"net/url"
	"slices"
	"strings"
)

// refineGraph checks ids and targets (manifest.md §11.1).
func refineGraph(m *Manifest, r *report) {
	unique := func(id, pointer string) {
		if first := m.nodes[id]; first != pointer {
			r.fail(at(pointer, "id"), "graph.duplicate_id", "The id %s is used at %s already.", id, first)
		}
	}
	for i, screen := range m.Screens {
		unique(screen.ID, at("/screens", i))
	}
	for i, decision := range m.Decisions {
		unique(decision.ID, at("/decisionNodes", i))
	}
	hosts := map[string]bool{}
	for i, surface := range m.Surfaces {
		pointer := at("/externalSurfaceNodes", i)
		unique(surface.ID, pointer)
		refineSurface(surface, pointer, hosts, r)
	}
	if _, ok := m.nodes[m.EntryID]; !ok && m.EntryID != "" {
		r.fail("/entryScreenId", "graph.unknown_entry", "The entry %q is no screen, decision or surface.", clip(m.EntryID))
	}
	for _, e := range m.edges() {
		if !e.background {
			checkTarget(m, e, r)
		}
	}
	refineDecisionCycles(m, r)
}

func checkTarget(m *Manifest, e edge, r *report) {
	switch _, ok := m.nodes[e.to]; {
	case e.to == "" || ok:
	case e.screenOnly:
		r.fail(e.pointer, "graph.unknown_target", "There is no screen %s.", e.to)
	default:
		r.fail(e.pointer, "graph.unknown_target", "There is no screen, decision or surface %s.", e.to)
	}
}

// refineSurface checks that host keys are unique and that a payment link is
// one of the provider's.
func refineSurface(s *Surface, pointer string, hosts map[string]bool, r *report) {
	switch s.Config.Provider {
	case Headless:
		key, place := s.Config.HostKey, at(pointer, "config", "hostKey")
		if key == "" {
			key, place = s.ID, at(pointer, "id")
		}
		if hosts[key] {
			r.fail(place, "surface.duplicate_host_key", "Another headless surface has the host key %s.", key)
		}
		hosts[key] = true
	case Stripe:
		if link := s.Config.PaymentLinkURL; link != "" && !IsPaymentLink(link) {
			r.fail(
				at(pointer, "config", "paymentLinkUrl"), "surface.payment_link",
				"The payment link must be an https: address on stripe.com.",
			)
		}
	}
}

// IsPaymentLink tells whether a link is an https: address on stripe.com (manifest.md §9.2).
func IsPaymentLink(link string) bool {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "https" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return host == "stripe.com" || strings.HasSuffix(host, ".stripe.com")
}

// refineDecisionCycles rejects a way from a decision back to itself that
// passes no screen and no surface: a run would never come to rest in it. The
// edge that closes the circle is named.
func refineDecisionCycles(m *Manifest, r *report) {
	next := map[string][]edge{}
	decisions := map[string]bool{}
	for _, d := range m.Decisions {
		decisions[d.ID] = true
	}
	for _, e := range m.edges() {
		if decisions[e.from] && decisions[e.to] {
			next[e.from] = append(next[e.from], e)
		}
	}
	const open, done = 1, 2
	state := map[string]int{}
	var walk func(id string)
	walk = func(id string) {
		state[id] = open
		for _, e := range next[id] {
			switch state[e.to] {
			case open:
				r.fail(
					e.pointer, "decision.cycle", "The decisions %s and %s lead to each other with no screen between them.", e.from,
					e.to,
				)
			case 0:
				walk(e.to)
			}
		}
		state[id] = done
	}
	for _, d := range m.Decisions {
		if state[d.ID] == 0 {
			walk(d.ID)
		}
	}
}

// refineExpressions checks that conditions read only what there is
// (manifest.md §11.1, and §11.5 for conditional layers).
func refineExpressions(m *Manifest, r *report) {
	declared := m.declarations()
	for _, e := range m.expressions() {
		e.variables(e.pointer, func(v *Variable, pointer string) {
			switch v.Kind {
			case "sdk":
				if !reservedAttributes[v.Key] && !slices.Contains(m.SDKAttributeKeys, v.Key) {
					r.fail(
						at(pointer, "key"), "expression.unlisted_attribute", "The attribute %q is not listed in sdkAttributeKeys.",
						clip(v.Key),
					)
				}
			case "field":
				layers := declared[v.FieldKey]
				if len(layers) == 0 {
					r.fail(
						at(pointer, "fieldKey"), "expression.unknown_field", "No input, checkbox or permission button has the field %q.",
						clip(v.FieldKey),
					)
				} else if e.layer != nil && !isPermissionField(v.FieldKey) && askedTooLate(e.layer, layers[0]) {
					r.fail(
						at(pointer, "fieldKey"), "conditional.field_not_answered",
						"The field %q is asked for on this screen, not before it.", clip(v.FieldKey),
					)
				}
			}
		})
	}
}

// askedTooLate reports whether field stands on the screen of the conditional
// at or after it.
func askedTooLate(conditional, field *placedLayer) bool {
	return field.screen == conditional.screen && field.order >= conditional.order
}
