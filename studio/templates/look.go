package templates

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Recolored returns a drawing with the colors of a brand for those of the template. Files without them, and
// animations, stay as they are.
func (t *Template) Recolored(file File, look Look) ([]byte, error) {
	raw, err := t.Manifest()
	if err != nil {
		return nil, err
	}
	var document struct {
		Theme struct{ Primary, Accent string }
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, err
	}
	content := file.Content
	for from, to := range map[string]string{document.Theme.Primary: look.Primary, document.Theme.Accent: look.Accent} {
		if from != "" && to != "" {
			content = bytes.ReplaceAll(content, []byte(from), []byte(to))
		}
	}
	return content, nil
}

// Opaque writes #RGB and #RRGGBBAA as #rrggbb. It returns "" for what is no such color, and for one that lets
// something through: a brand's half transparent color is for other things than buttons.
func Opaque(color string) string {
	digits, found := strings.CutPrefix(strings.ToLower(strings.TrimSpace(color)), "#")
	switch {
	case !found:
		return ""
	case len(digits) == 3:
		digits = strings.Repeat(digits[:1], 2) + strings.Repeat(digits[1:2], 2) + strings.Repeat(digits[2:], 2)
	case len(digits) == 8 && digits[6:] == "ff":
		digits = digits[:6]
	}
	if _, err := strconv.ParseUint(digits, 16, 32); err != nil || len(digits) != 6 {
		return ""
	}
	return "#" + digits
}

// readableOn returns black or white, whichever has the greater contrast with an opaque color. That is 4.58 to 1 at
// least, and 4.5 is what text needs.
func readableOn(color string) string {
	n, err := strconv.ParseUint(strings.TrimPrefix(color, "#"), 16, 32)
	if err != nil {
		return "#ffffff"
	}
	part := func(shift int) float64 {
		c := float64(n>>shift&0xff) / 0xff
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	luminance := 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
	if 1.05/(luminance+0.05) >= (luminance+0.05)/0.05 {
		return "#ffffff"
	}
	return "#000000"
}
