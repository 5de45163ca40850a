package manifest

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// palette is the half of a themed color that shows: light or dark.
type palette string

var palettes = []palette{"light", "dark"}

func (p palette) other() palette {
	if p == "light" {
		return "dark"
	}
	return "light"
}

// rgba is a color with its parts from 0 to 1.
type rgba struct{ r, g, b, a float64 }

var (
	white = rgba{1, 1, 1, 1}
	black = rgba{0, 0, 0, 1}
)

// resolveColor returns what a ThemedColor shows in a palette, as the SDKs do
// (manifest.md §3.3): a missing side falls back to the other, $name is looked
// up in the theme. It is "" for none.
func (m *Manifest) resolveColor(raw json.RawMessage, p palette) string {
	var plain string
	if len(raw) == 0 {
		return ""
	}
	if json.Unmarshal(raw, &plain) != nil {
		var sides map[palette]string
		if json.Unmarshal(raw, &sides) != nil {
			return ""
		}
		plain = sides[p]
		if plain == "" {
			plain = sides[p.other()]
		}
	}
	if name, ok := strings.CutPrefix(plain, "$"); ok {
		if named, ok := m.Theme[name].(string); ok {
			return named
		}
	}
	return plain
}

var (
	hexColor  = regexp.MustCompile(`(?i)^#([\da-f]{3}|[\da-f]{6}|[\da-f]{8})$`)
	callColor = regexp.MustCompile(
		`(?i)^rgba?\(\s*([\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)(?:[\s,/]+([\d.]+)(%)?)?\s*\)$`)
	namedColors = map[string]rgba{"white": white, "black": black, "transparent": {}}
)

// parseColor reads the notations that the SDKs understand, and three names.
func parseColor(text string) (rgba, bool) {
	text = strings.TrimSpace(text)
	if named, ok := namedColors[strings.ToLower(text)]; ok {
		return named, true
	}
	if hex := hexColor.FindStringSubmatch(text); hex != nil {
		digits := hex[1]
		if len(digits) == 3 {
			digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
		}
		if len(digits) == 6 {
			digits += "ff"
		}
		n, err := strconv.ParseUint(digits, 16, 32)
		part := func(shift int) float64 { return float64(n>>shift&0xff) / 0xff }
		return rgba{part(24), part(16), part(8), part(0)}, err == nil
	}
	call := callColor.FindStringSubmatch(text)
	if call == nil {
		return rgba{}, false
	}
	alpha := "1"
	if call[4] != "" {
		alpha = call[4]
	}
	parts := [4]float64{}
	for i, text := range []string{call[1], call[2], call[3], alpha} {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return rgba{}, false
		}
		parts[i] = n
	}
	if call[5] != "" {
		parts[3] /= 100
	}
	return rgba{
		min(parts[0]/0xff, 1), min(parts[1]/0xff, 1), min(parts[2]/0xff, 1), min(parts[3], 1),
	}, true
}

// over returns the color that is seen where c is painted on an opaque one.
func (c rgba) over(below rgba) rgba {
	mix := func(top, bottom float64) float64 { return top*c.a + bottom*(1-c.a) }
	return rgba{mix(c.r, below.r), mix(c.g, below.g), mix(c.b, below.b), 1}
}

// luminance is the relative luminance of WCAG 2.
func (c rgba) luminance() float64 {
	linear := func(part float64) float64 {
		if part <= 0.04045 {
			return part / 12.92
		}
		return math.Pow((part+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.r) + 0.7152*linear(c.g) + 0.0722*linear(c.b)
}

// contrast is the contrast ratio of WCAG 2 of two opaque colors, from 1 to 21.
func contrast(one, other rgba) float64 {
	dark, light := one.luminance(), other.luminance()
	if dark > light {
		dark, light = light, dark
	}
	return (light + 0.05) / (dark + 0.05)
}
