package manifest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// The least contrast of WCAG 2 at level AA. Text is large from 24 px on, bold
// text from 18.66 px on (18 and 14 points).
const (
	leastContrast      = 4.5
	leastLargeContrast = 3.0
	largeText          = 24.0
	largeBoldText      = 18.66
	bold               = 700.0
	baseFontSize       = 16.0
)

// screenColors are what a screen without a fill is painted with.
var screenColors = map[palette]rgba{"light": white, "dark": {10.0 / 255, 10.0 / 255, 10.0 / 255, 1}}

// buttonColors are the backgrounds of button variants that were given none.
var buttonColors = map[string]json.RawMessage{
	"primary":     json.RawMessage(`{"light":"#0a0a0a","dark":"#fafafa"}`),
	"destructive": json.RawMessage(`{"light":"#dc2626","dark":"#ef4444"}`),
}

// contrasts reads texts with what is behind them. It remembers colors: those of
// a layer are asked for by every text inside it.
type contrasts struct {
	*Manifest
	colors map[palette]map[string]seenColor // by their JSON
	// floating tells of layers whether they or layers inside them float, and floatingIn of parents how many of their
	// children that is true of; the parent of the roots of regions is nil, of each screen.
	floating   map[*placedLayer]bool
	floatingIn map[around]int
}

// around is what layers are beside each other in: a layer, or the regions of a screen.
type around struct {
	screen *Screen
	parent *placedLayer
}

func newContrasts(m *Manifest) contrasts {
	c := contrasts{
		m, map[palette]map[string]seenColor{"light": {}, "dark": {}}, map[*placedLayer]bool{}, map[around]int{},
	}
	for _, layers := range m.layersOf {
		for _, p := range slices.Backward(layers) { // what is inside a layer before the layer
			if c.floating[p] || p.floats() {
				c.floating[p] = true
				c.floatingIn[around{p.screen, p.parent}]++
				if p.parent != nil {
					c.floating[p.parent] = true
				}
			}
		}
	}
	return c
}

// floatsBeside reports whether a layer floats that is inside a sibling of p, or is one. It may stand behind p, wherever
// on the screen p is.
func (c contrasts) floatsBeside(p *placedLayer) bool {
	count := c.floatingIn[around{p.screen, p.parent}]
	if c.floating[p] {
		count--
	}
	return count > 0
}

// seenColor is what a color of the document shows.
type seenColor struct {
	rgba
	given bool // there is one
	known bool // it can be told
}

func (c contrasts) color(raw json.RawMessage, shown palette) seenColor {
	seen, found := c.colors[shown][string(raw)]
	if !found {
		text := c.resolveColor(raw, shown)
		seen.given = text != ""
		seen.rgba, seen.known = parseColor(text)
		c.colors[shown][string(raw)] = seen
	}
	return seen
}

// gateContrast warns of texts that are hard to read: by the colors that a phone
// shows before any animation. Where a picture or a layer that floats is behind
// a text, nothing is said; of a gradient, the color that is worst counts. Texts that only the dark screen of
// dark mode hides are one finding: their screen has no color of its own.
func gateContrast(m *Manifest, r *report) {
	c := newContrasts(m)
	for i, screen := range m.Screens {
		hidden := 0
		for _, p := range m.layersOf[screen] {
			if p.Kind == KindText && p.hasColor() && p.Text != nil && hasLetters(p.Text.Default) &&
				c.check(p, r) {
				hidden++
			}
		}
		if hidden > 0 {
			texts := "one of its texts is"
			if hidden > 1 {
				texts = fmt.Sprintf("%d of its texts are", hidden)
			}
			r.warn(
				at("/screens", i, "containerStyle", "backgroundFill"), "screen.dark_text",
				"The screen turns black in dark mode, where %s hard to read.", texts,
			)
		}
	}
}

// hasLetters reports whether a text has more than signs, which may be pictures.
func hasLetters(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
}

// reading is how well a text can be read.
type reading struct {
	contrast, needed float64
	known            bool // the colors can be told
	onScreen         bool // nothing but a screen without a fill is behind it
}

func (r reading) isHard() bool { return r.known && r.contrast < r.needed }

// check reports the worst of the ways in which a text is shown. It
// returns whether the text is hard to read for want of a screen's color only.
func (c contrasts) check(p *placedLayer, r *report) (hidden bool) {
	states := []bool{false}
	if p.option() != nil {
		states = append(states, true)
	}
	var worst reading
	where := ""
	for _, shown := range palettes {
		for _, selected := range states {
			found := c.read(p, shown, selected)
			switch {
			case !found.isHard():
			case shown == "dark" && found.onScreen:
				hidden = true
			case !worst.known || found.contrast < worst.contrast:
				worst, where = found, "in "+string(shown)+" mode"
				if selected {
					where += " when it is selected"
				}
			}
		}
	}
	if !worst.known {
		return hidden
	}
	// Cut, not rounded: 4.49 is not enough.
	r.warn(
		at(p.pointer, "style", "color"), "text.low_contrast", "The text has a contrast of %.1f to 1 %s; %.1f to 1 is needed.",
		math.Floor(worst.contrast*10)/10, where, worst.needed,
	)
	return false
}

// read compares a text with what is behind it.
func (c contrasts) read(p *placedLayer, shown palette, selected bool) reading {
	around := c.lookBehind(p, shown, selected)
	color := c.color(around.style.Color, shown)
	if !color.known || !around.known {
		return reading{}
	}
	return around.read(color.rgba)
}

// surroundings are what a text is read on.
type surroundings struct {
	behind       []rgba // every color that may be behind it
	known        bool   // they can be told
	onScreen     bool   // nothing but a screen without a fill is behind it
	style        Style
	size, weight float64
}

// read tells how well a text of a color can be read there.
func (s surroundings) read(color rgba) reading {
	whole, _ := s.style.splitOpacity()
	color.a *= whole
	needed := leastContrast
	if s.size >= largeText || s.size >= largeBoldText && s.weight >= bold {
		needed = leastLargeContrast
	}
	worst := math.Inf(1)
	for _, below := range s.behind {
		worst = min(worst, contrast(color.over(below), below))
	}
	return reading{worst, needed, color.a > 0, s.onScreen}
}

// lookBehind finds what a text is read on. testdata/behind.json has the rule by examples, for the editor too.
func (c contrasts) lookBehind(p *placedLayer, shown palette, selected bool) surroundings {
	behind, known := c.screenColor(p.screen, shown)
	s := surroundings{
		behind: behind, known: known, size: baseFontSize, weight: 400,
		onScreen: p.screen.ContainerStyle.BackgroundFill == nil,
	}
	option := p.option()
	chosen := false
	for _, layer := range p.path() {
		chosen = chosen || layer == option
		s.style = layer.shownStyle(selected && chosen)
		if s.style.FontSize != nil {
			s.size = *s.style.FontSize
		}
		if s.style.FontWeight != nil {
			s.weight = *s.style.FontWeight
		}
		whole, background := s.style.splitOpacity()
		if layer != p && whole < 1 {
			return surroundings{}
		}
		if layer.Position() == absolute || c.floatsBeside(layer) {
			s.known = false
		}
		if layer.hasFieldBox() {
			continue
		}
		painted := c.background(s.style.Background, shown)
		if !painted.given {
			painted = c.background(buttonColors[layer.variant()], shown)
		}
		if painted.given {
			s.paint(faded(painted.colors, background), painted.known)
		}
	}
	return s
}

// paint puts a background over what is behind.
func (s *surroundings) paint(colors []rgba, known bool) {
	isSeen := func(c rgba) bool { return c.a > 0 }
	letsThrough := func(c rgba) bool { return c.a < 1 }
	s.onScreen = s.onScreen && known && !slices.ContainsFunc(colors, isSeen)
	switch {
	case !known:
		s.known = false
	case !slices.ContainsFunc(colors, letsThrough):
		s.behind, s.known = colors, true
	default:
		s.behind = overAll(colors, s.behind)
	}
}

// screenColor returns the colors of a screen; known is false when it shows a
// picture or a gradient of the branding.
func (c contrasts) screenColor(screen *Screen, shown palette) (colors []rgba, known bool) {
	base := []rgba{screenColors[shown]}
	fill := screen.ContainerStyle.BackgroundFill
	if fill == nil {
		return base, true
	}
	if fill.Kind != "color" {
		return base, false
	}
	seen := c.background(fill.Color, shown)
	if !seen.given {
		return base, true
	}
	colors = seen.colors
	if fill.Opacity != nil {
		colors = faded(colors, *fill.Opacity)
	}
	// What is behind a screen that lets light through is the app's.
	letsThrough := slices.ContainsFunc(colors, func(color rgba) bool { return color.a < 1 })
	return colors, seen.known && !letsThrough
}

// path returns a layer with those around it, the outermost first.
func (p *placedLayer) path() []*placedLayer {
	var out []*placedLayer
	for at := p; at != nil; at = at.parent {
		out = append(out, at)
	}
	slices.Reverse(out)
	return out
}

// option returns the innermost option of a choice that a layer is in, or nil.
func (p *placedLayer) option() *placedLayer {
	for at := p; at.parent != nil; at = at.parent {
		if at.parent.Kind.isChoice() {
			return at
		}
	}
	return nil
}

const absolute = "absolute"

// Position is where the layer stands: "" in its place among the others.
func (p *placedLayer) Position() string {
	if p.Style == nil {
		return ""
	}
	return p.Style.Position
}

// floats reports whether a layer paints over or below others.
func (p *placedLayer) floats() bool {
	if p.Position() != absolute {
		return false
	}
	return slices.ContainsFunc(p.subtree(), func(one *placedLayer) bool {
		return one.Kind == KindImage || one.Kind.isMedia() || one.Style != nil && len(one.Style.Background) > 0
	})
}

// subtree returns a layer with all inside it.
func (p *placedLayer) subtree() []*placedLayer {
	out := []*placedLayer{p}
	for _, child := range p.children {
		out = append(out, child.subtree()...)
	}
	return out
}

// hasFieldBox reports whether the layer's background dresses the field that it
// draws, not what is around its children (manifest.md §8.4).
func (p *placedLayer) hasFieldBox() bool {
	switch p.Kind {
	case KindTextInput, KindDateTimeInput, KindPhoneInput, KindAddressInput, KindEmailPasswordField:
		return true
	}
	return false
}

// variant is how a button looks that has no background of its own.
func (p *placedLayer) variant() string {
	switch p.Kind {
	case KindButton, KindBackButton:
		return p.Variant
	}
	return p.ButtonVariant
}

// shownStyle is the layer's style on a phone, with what a chosen option changes.
func (p *placedLayer) shownStyle(selected bool) Style {
	style := Style{}
	if p.Style != nil {
		style = *p.Style
	}
	patch := p.SelectedStyle
	if !selected || patch == nil {
		return style
	}
	if len(patch.Color) > 0 {
		style.Color = patch.Color
	}
	if len(patch.Background) > 0 {
		style.Background = patch.Background
	}
	for _, member := range []struct{ to, from **float64 }{
		{&style.Opacity, &patch.Opacity}, {&style.BackgroundOpacity, &patch.BackgroundOpacity},
		{&style.FontSize, &patch.FontSize}, {&style.FontWeight, &patch.FontWeight},
	} {
		if *member.from != nil {
			*member.to = *member.from
		}
	}
	return style
}

// splitOpacity returns the opacity of the whole and that of the background
// (manifest.md §3.3): beside a background, opacity is an old form of the latter.
func (s *Style) splitOpacity() (whole, background float64) {
	or := func(value *float64, other float64) float64 {
		if value != nil {
			return *value
		}
		return other
	}
	switch {
	case s.BackgroundOpacity != nil:
		return or(s.Opacity, 1), *s.BackgroundOpacity
	case len(s.Background) > 0:
		return 1, or(s.Opacity, 1)
	}
	return or(s.Opacity, 1), 1
}
