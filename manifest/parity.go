package manifest

import (
	"slices"
	"strings"
)

// Difference is what looks or works differently on some platforms. Differences
// that every layer of a kind has, and those that an app settles by installing an
// optional package, are none: sdk/parity.json has them.
type Difference struct {
	Code      string
	Kind      Kind     // "" for all
	Property  []string // the path of the member that it comes from
	Platforms []Platform
	Sentence  string // begins with “The layer”

	found        func(*placedLayer, PublishOptions) bool
	foundInTheme func(*Manifest, PublishOptions) bool // nil where the theme has nothing of it
}

// Permissions that the SDKs can ask for; on the web notifications alone.
const notifications = "notifications"

var phonePermissions = []string{notifications, "camera", "microphone", "photo_library", "contacts", "calendar"}

var differences = []Difference{
	{
		Code: "parity.lottie_fill", Kind: KindLottie, Property: []string{"style", "fit"}, Platforms: []Platform{Mobile},
		Sentence: "The layer is not distorted on iOS and Android: it fills its box and is cut off.",
		found: func(p *placedLayer, _ PublishOptions) bool {
			return p.anyStyle(func(style *Style) bool { return style.Fit == "fill" })
		},
	},
	{
		Code: "parity.radial_gradient", Property: []string{"style", "background"}, Platforms: []Platform{Mobile},
		Sentence: "The layer shows the first color of its radial gradient on iOS and Android, without the others.",
		found: func(p *placedLayer, options PublishOptions) bool {
			return p.anyStyle(func(style *Style) bool {
				return slices.ContainsFunc(options.RadialGradients, func(id string) bool {
					return strings.Contains(strings.ToLower(string(style.Background)), strings.ToLower(brandGradient+id))
				})
			})
		},
	},
	{
		Code: "parity.web_permission", Kind: KindButton, Property: []string{"action", "permissionKey"},
		Platforms: []Platform{Web},
		Sentence:  "The layer asks for a permission that counts as denied on the web.",
		found: func(p *placedLayer, _ PublishOptions) bool {
			return p.asksPermission() && p.Action.PermissionKey != notifications &&
				slices.Contains(phonePermissions, p.Action.PermissionKey)
		},
	},
	{
		Code: "parity.no_permission", Kind: KindButton, Property: []string{"action", "permissionKey"},
		Platforms: []Platform{Mobile, Web},
		Sentence:  "The layer asks for a permission that no SDK can ask for: it counts as denied everywhere.",
		found: func(p *placedLayer, _ PublishOptions) bool {
			return p.asksPermission() && !slices.Contains(phonePermissions, p.Action.PermissionKey)
		},
	},
	{
		Code: "parity.app_review", Kind: KindButton, Property: []string{"action", "kind"}, Platforms: []Platform{Web},
		Sentence: "The layer asks for no review on the web: it leads on at once.",
		found: func(p *placedLayer, _ PublishOptions) bool {
			return p.Action != nil && p.Action.Kind == "request_app_review"
		},
	},
	{
		Code: "parity.uploaded_font", Property: []string{"style", "fontFamily"}, Platforms: []Platform{Mobile},
		Sentence: "The layer shows the device's own font in apps of React Native without Expo, " +
			"unless they link the uploaded one.",
		found: func(p *placedLayer, options PublishOptions) bool {
			return p.anyStyle(func(style *Style) bool { return slices.Contains(options.UploadedFonts, style.FontFamily) })
		},
		foundInTheme: func(m *Manifest, options PublishOptions) bool {
			name, _ := m.Theme["fontFamily"].(string)
			return slices.Contains(options.UploadedFonts, name)
		},
	},
}

// Differences returns the table, in the order in which documents list it.
func Differences() []Difference { return slices.Clone(differences) }

// gateParity warns of what platforms show or do differently, once
// for each layer and entry.
func gateParity(m *Manifest, options PublishOptions, r *report) {
	for _, d := range differences {
		if d.foundInTheme != nil && d.foundInTheme(m, options) {
			r.warn(at("/theme", d.Property[1]), d.Code, "%s", d.Sentence)
		}
		for _, p := range m.layers {
			if (d.Kind == "" || d.Kind == p.Kind) && d.found(p, options) {
				r.warn(at(p.pointer, d.Property[0], d.Property[1]), d.Code, "%s", d.Sentence)
			}
		}
	}
}

// anyStyle reports whether a layer has a style, at any width and selected or
// not, that ok accepts.
func (p *placedLayer) anyStyle(ok func(*Style) bool) bool {
	for _, style := range []*Style{p.Style, p.SelectedStyle} {
		if style != nil && ok(style) {
			return true
		}
	}
	for _, widths := range []map[string]*Style{p.StyleBreakpoints, p.SelectedStyleBreakpoints} {
		for _, style := range widths {
			if style != nil && ok(style) {
				return true
			}
		}
	}
	return false
}
