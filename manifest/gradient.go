package manifest

import (
	"encoding/json"
	"regexp"
	"strings"
)

var (
	isLinear   = regexp.MustCompile(`(?i)^linear-gradient\(`)
	linear     = regexp.MustCompile(`(?is)^linear-gradient\(\s*-?[\d.]+deg\s*,(.*)\)$`)
	linearStop = regexp.MustCompile(`(?i)^(#[\da-f]{3,8}|rgba?\([^)]*\))\s+-?[\d.]+%$`)
	firstHex   = regexp.MustCompile(`(?i)#[\da-f]{3,8}\b`)
	stopEnd    = regexp.MustCompile(`\([^)]*\)|,`)
)

// unreadableGradient stands for a gradient that can't be read and names no color, as in the SDKs.
const unreadableGradient = "#808080"

// betweenStops is into how many steps the way from a stop to the next is cut: where a gradient leads from darker to
// lighter than a text, the worst is between them.
const betweenStops = 8

// mostBehind is how many colors behind a text are told apart: gradients over gradients have the product of theirs.
const mostBehind = 400

// seenBackground is what a background of the document shows.
type seenBackground struct {
	colors []rgba
	given  bool // there is one
	known  bool // all of its colors can be told
}

// background returns the colors of a background; those of the app's branding are not in the document.
func (c contrasts) background(raw json.RawMessage, shown palette) seenBackground {
	text := strings.TrimSpace(c.resolveColor(raw, shown))
	if !isLinear.MatchString(text) {
		color := c.color(raw, shown)
		return seenBackground{[]rgba{color.rgba}, color.given, color.known}
	}
	colors, known := gradientColors(text)
	return seenBackground{colors, true, known}
}

// gradientColors returns the colors of a linear gradient, those between its stops too.
func gradientColors(text string) (colors []rgba, known bool) {
	stops := gradientStops(text)
	if stops == nil {
		hex := firstHex.FindString(text)
		if hex == "" {
			hex = unreadableGradient
		}
		color, known := parseColor(hex)
		return []rgba{color}, known
	}
	last, known := parseColor(stops[0])
	for _, stop := range stops[1:] {
		next, read := parseColor(stop)
		known = known && read
		for step := range betweenStops {
			colors = append(colors, last.toward(next, float64(step)/betweenStops))
		}
		last = next
	}
	return append(colors, last), known
}

// gradientStops returns the texts of a gradient's colors, nil for what the SDKs take for no gradient.
func gradientStops(text string) []string {
	match := linear.FindStringSubmatch(text)
	if match == nil {
		return nil
	}
	// A comma inside of parentheses is no end of a stop.
	parts := stopEnd.ReplaceAllStringFunc(match[1], func(found string) string {
		if found == "," {
			return "\n"
		}
		return strings.ReplaceAll(found, "\n", " ")
	})
	var out []string
	for part := range strings.SplitSeq(parts, "\n") {
		stop := linearStop.FindStringSubmatch(strings.TrimSpace(part))
		if stop == nil {
			return nil
		}
		out = append(out, stop[1])
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// toward returns the color at a share of the way to another.
func (c rgba) toward(next rgba, share float64) rgba {
	mix := func(from, to float64) float64 { return from + (to-from)*share }
	return rgba{mix(c.r, next.r), mix(c.g, next.g), mix(c.b, next.b), mix(c.a, next.a)}
}

// faded returns the colors with their alpha multiplied.
func faded(colors []rgba, opacity float64) []rgba {
	out := make([]rgba, len(colors))
	for i, color := range colors {
		color.a *= opacity
		out[i] = color
	}
	return out
}

// overAll returns the colors that may be seen where any of some is painted on any of those below.
func overAll(colors, below []rgba) []rgba {
	var all []rgba
	for _, color := range colors {
		for _, one := range below {
			all = append(all, color.over(one))
		}
	}
	nth := (len(all) + mostBehind - 1) / mostBehind
	var out []rgba
	for i, color := range all {
		if i%nth == 0 || i == len(all)-1 {
			out = append(out, color)
		}
	}
	return out
}
