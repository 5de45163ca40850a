package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// TouchSize is the least width and height in pixels that fingers hit well.
const TouchSize = 44

// gateAccess warns of what some people can't see or hit.
func gateAccess(m *Manifest, r *report) {
	named := namedByWords(m)
	for _, p := range m.layers {
		if p.Kind == KindImage && p.Media != nil && p.Alt == nil && !named[p.pressed()] {
			r.warn(at(p.pointer, "alt"), "image.no_description", "The image has no description.")
		}
		if p.isPressed() {
			checkTouchSize(p, r)
		}
	}
}

// namedByWords finds what is pressed and has words in it: a picture there
// decorates these. Each layer is looked at once, however many pictures there are.
func namedByWords(m *Manifest) map[*placedLayer]bool {
	named := map[*placedLayer]bool{}
	for _, p := range m.layers {
		if p.Text == nil || strings.TrimSpace(p.Text.Default) == "" {
			continue
		}
		for up := p; up != nil; up = up.parent {
			if up.isPressed() {
				named[up] = true
			}
		}
	}
	return named
}

// pressed returns the innermost layer around a layer that people tap, or nil.
func (p *placedLayer) pressed() *placedLayer {
	for up := p.parent; up != nil; up = up.parent {
		if up.isPressed() {
			return up
		}
	}
	return nil
}

// isPressed reports whether people tap a layer. A checkbox takes taps around it.
func (p *placedLayer) isPressed() bool {
	switch p.Kind {
	case KindBackButton, KindHyperlink, KindOauthProvider, KindEmailPasswordSubmit, KindNumberStepperButton:
		return true
	case KindButton:
		return p.Action != nil && p.Action.Kind != "none"
	}
	return p.parent != nil && p.parent.Kind.isChoice() && slices.ContainsFunc(
		p.parent.Bindings, func(one OptionBinding) bool { return one.RootLayerID == p.ID },
	)
}

// checkTouchSize looks at sizes that the document fixes: the others follow from
// what is inside.
func checkTouchSize(p *placedLayer, r *report) {
	if p.Style == nil {
		return
	}
	width, fixedWidth := fixedSize(p.Style.Width, p.Style.MinWidth, p.Style.MaxWidth)
	height, fixedHeight := fixedSize(p.Style.Height, p.Style.MinHeight, p.Style.MaxHeight)
	narrow, low := fixedWidth && width < TouchSize, fixedHeight && height < TouchSize
	size := ""
	switch {
	case narrow && low:
		size = fmt.Sprintf("%g × %g px", width, height)
	case narrow:
		size = fmt.Sprintf("%g px wide", width)
	case low:
		size = fmt.Sprintf("%g px high", height)
	default:
		return
	}
	name := "height"
	if narrow {
		name = "width"
	}
	r.warn(
		at(p.pointer, "style", name), "touch.too_small", "The touch target is %s; fingers need %d px.", size, TouchSize,
	)
}

// fixedSize returns the size that a layer has whatever is in it and around it.
func fixedSize(size Scalar, least, most *float64) (float64, bool) {
	n, fixed := size.Number()
	switch {
	case fixed && most != nil:
		n = min(n, *most)
	case most != nil:
		n, fixed = *most, true
	}
	if least != nil {
		n = max(n, *least)
	}
	return n, fixed
}
