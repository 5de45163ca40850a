package manifest

import "slices"

// refine checks what schema.json cannot say (manifest.md §11).
func refine(m *Manifest, r *report) {
	refineLimits(m, r)
	if len(r.problems) > 0 {
		return
	}
	if len(m.Locales) > 0 && !slices.Contains(m.Locales, m.DefaultLocale) {
		r.fail("/locales", "locale.default_missing", "locales must contain the default locale %s.", m.DefaultLocale)
	}
	refineGraph(m, r)
	refineExpressions(m, r)
	refineIDs(m, r)
	for i, screen := range m.Screens {
		refineInputs(m, screen, r)
		refineClips(m, screen, at("/screens", i), r)
	}
	for _, p := range m.layers {
		refinePosition(p, r)
		refineNesting(p, r)
		refineKind(m, p, r)
	}
}

func refineLimits(m *Manifest, r *report) {
	if len(m.layers) > MaxLayers {
		r.fail("/screens", "limits.layers", "Has %d layers, at most %d are allowed.", len(m.layers), MaxLayers)
	}
	for _, p := range m.layers {
		if p.depth == MaxDepth+1 {
			r.fail(p.pointer, "limits.depth", "Layers may be nested %d deep, this one is deeper.", MaxDepth)
		}
	}
	for _, e := range m.expressions() {
		if deep := e.tooDeep(e.pointer, 1); deep != "" {
			r.fail(deep, "limits.depth", "Groups of conditions may be nested %d deep, this one is deeper.", MaxDepth)
		}
	}
}

// refineIDs checks that layer ids and field keys are unique.
func refineIDs(m *Manifest, r *report) {
	ids, keys := map[string]*placedLayer{}, map[string]*placedLayer{}
	for _, p := range m.layers {
		if first, ok := ids[p.ID]; ok {
			r.fail(at(p.pointer, "id"), "layer.duplicate_id", "The id %s is used at %s already.", p.ID, first.pointer)
		} else {
			ids[p.ID] = p
		}
		if !p.Kind.HasField() {
			continue
		}
		if first, ok := keys[p.FieldKey]; ok {
			r.fail(
				at(p.pointer, "fieldKey"), "field.duplicate_key", "The field key %s is used at %s already.", clip(p.FieldKey),
				first.pointer,
			)
		} else {
			keys[p.FieldKey] = p
		}
	}
}

// refineInputs checks that at most one input is shown at a time: the sum over
// children, the largest of the branches of a conditional.
func refineInputs(m *Manifest, screen *Screen, r *report) {
	var shown []*placedLayer
	for _, p := range m.layersOf[screen] {
		if p.parent == nil {
			shown = append(shown, p.inputs()...)
		}
	}
	for _, extra := range shown[min(1, len(shown)):] {
		r.fail(
			extra.pointer, "layer.multiple_inputs", "Screen %s shows more than one input at a time: %s and %s.", screen.ID,
			shown[0].ID, extra.ID,
		)
	}
}

// inputs lists the inputs of the path through conditionals that has the most.
func (p *placedLayer) inputs() []*placedLayer {
	var out []*placedLayer
	if p.Kind.IsInput() {
		out = append(out, p)
	}
	for _, child := range p.children {
		found := child.inputs()
		if p.Kind != KindConditional {
			out = append(out, found...)
		} else if len(found) > len(out) {
			out = found
		}
	}
	return out
}

// refinePosition checks that nothing is absolute where the layout needs it in
// the flow (manifest.md §11.3). Breakpoints count for every kind; the format's
// first validator overlooked them for some.
func refinePosition(p *placedLayer, r *report) {
	code, where := "", ""
	switch {
	case p.parent == nil:
		code, where = "layer.absolute_region_root", "the root of a region"
	case p.within(Kind.isChoice):
		code, where = "layer.absolute_in_choice", "a choice option"
	default:
		return
	}
	check := func(style *Style, tokens ...any) {
		if style != nil && style.Position != "" {
			r.fail(at(at(p.pointer, tokens...), "position"), code, "Absolute position is not allowed on %s.", where)
		}
	}
	check(p.Style, "style")
	check(p.SelectedStyle, "selectedStyle")
	for _, name := range breakpoints {
		check(p.StyleBreakpoints[name], "styleBreakpoints", name)
		check(p.SelectedStyleBreakpoints[name], "selectedStyleBreakpoints", name)
	}
}

// onlyUnder holds the kinds that stand directly under one other kind only
// (manifest.md §11.4).
var onlyUnder = map[Kind]Kind{
	KindOauthProvider:       KindOauthLogin,
	KindEmailPasswordField:  KindEmailPasswordAuth,
	KindEmailPasswordSubmit: KindEmailPasswordAuth,
	KindNumberStepperButton: KindNumberStepper,
	KindNumberStepperValue:  KindNumberStepper,
}

func refineNesting(p *placedLayer, r *report) {
	want, ok := onlyUnder[p.Kind]
	if ok && (p.parent == nil || p.parent.Kind != want) {
		r.fail(
			at(p.pointer, "kind"), "layer.misplaced", "A layer of kind %s must stand directly in one of kind %s.", p.Kind, want,
		)
	}
}
