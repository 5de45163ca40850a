package manifest

import "cmp"

// inks are colors for texts, the preferred first. One of the last two can be
// read on any color.
var inks = []string{"#111827", "#f9fafb", "#000000", "#ffffff"}

// Ink is a color with which a text or icon can be read in light and dark mode.
type Ink struct {
	Color    any // a ThemedColor (manifest.md §3.3): a string, or one for each mode
	Selected any // that of the chosen option that the layer is in; nil where it is the same
}

// ChooseInk returns an ink for a layer. Where what is behind the layer can't be
// told, the ink is the one of the other mode, else dark.
func (m *Manifest) ChooseInk(layer string) Ink {
	p := m.layersByID[layer]
	if p == nil {
		return Ink{Color: inks[0]}
	}
	c := newContrasts(m)
	color := c.chooseInk(p, false)
	ink := Ink{Color: color.themed()}
	if p.option() == nil {
		return ink
	}
	if selected := c.chooseInk(p, true); selected != color {
		ink.Selected = selected.themed()
	}
	return ink
}

// inkOfModes is an ink for each mode.
type inkOfModes struct{ light, dark string }

func (i inkOfModes) themed() any {
	if i.light == i.dark {
		return i.light
	}
	return map[string]any{"light": i.light, "dark": i.dark}
}

func (c contrasts) chooseInk(p *placedLayer, selected bool) inkOfModes {
	light := inkOn(c.lookBehind(p, "light", selected))
	dark := inkOn(c.lookBehind(p, "dark", selected))
	return inkOfModes{cmp.Or(light, dark, inks[0]), cmp.Or(dark, light, inks[0])}
}

// inkOn returns the first ink that can be read, "" where that can't be told.
func inkOn(s surroundings) string {
	if !s.known {
		return ""
	}
	best, most := "", 0.0
	for _, ink := range inks {
		color, _ := parseColor(ink)
		found := s.read(color)
		if !found.isHard() {
			return ink
		}
		if found.contrast > most {
			best, most = ink, found.contrast
		}
	}
	return best
}
