package manifest

// gateFillChain warns where a layer fills an ancestor that hugs its content:
// each would take its size from the other (manifest.md §12.2). The body has a
// size of its own; header and footer take their height from what is in them.
func gateFillChain(m *Manifest, r *report) {
	for _, p := range m.layers {
		if p.parent != nil {
			continue
		}
		walkFillChain(p, false, p.Layer != p.screen.Regions.Body, r)
	}
}

func walkFillChain(p *placedLayer, hugsWidth, hugsHeight bool, r *report) {
	style := p.Style
	if style == nil {
		style = &Style{}
	}
	hugsWidth = followAxis(p, "width", style.Width, hugsWidth, r)
	hugsHeight = followAxis(p, "height", style.Height, hugsHeight, r)
	for _, child := range p.children {
		walkFillChain(child, hugsWidth, hugsHeight, r)
	}
}

// followAxis tells whether the children of p have an ancestor that hugs on an
// axis, given whether p has.
func followAxis(p *placedLayer, axis string, size Scalar, hugs bool, r *report) bool {
	if _, fixed := size.Number(); fixed {
		return false
	}
	switch size.Text() {
	case "full", "fill":
		if hugs && p.parent != nil {
			r.warn(
				at(p.pointer, "style", axis), "layer.fill_in_hug",
				"The layer fills the %s of an ancestor that takes its %s from its content.", axis, axis,
			)
		}
	case "auto":
		return true
	}
	return hugs
}
