package studio

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/studio/bundle"
)

// PartKind is what a flow names without having it.
type PartKind string

// The three kinds.
const (
	FilePart     PartKind = "file"
	FontPart     PartKind = "font"
	GradientPart PartKind = "gradient"
)

// MissingPart is something that a flow names and its app does not have.
type MissingPart struct {
	Kind PartKind
	Name string // the id of a file or of a gradient whose name is not known
}

// familyOf finds a font by its name, as platforms do: letters' case does not count.
func (b *Branding) familyOf(name string) *FontFamily {
	i := slices.IndexFunc(b.FontFamilies, func(family FontFamily) bool { return strings.EqualFold(family.Name, name) })
	if i < 0 {
		return nil
	}
	return &b.FontFamilies[i]
}

// namedFonts returns the fonts of a brand that a flow names. The others that it names are of the system.
func namedFonts(brand *Branding, names *bundle.Names) []FontFamily {
	var named []FontFamily
	for _, family := range brand.FontFamilies {
		if slices.ContainsFunc(names.Fonts, func(name string) bool { return strings.EqualFold(name, family.Name) }) {
			named = append(named, family)
		}
	}
	return named
}

// namedGradients returns the gradients of a brand that a flow names.
func namedGradients(brand *Branding, names *bundle.Names) []bundle.Gradient {
	named := []bundle.Gradient{}
	for _, preset := range brand.GradientPresets {
		if slices.Contains(names.Gradients, preset.ID) {
			named = append(named, bundle.Gradient{ID: preset.ID, Name: preset.Name})
		}
	}
	return named
}

// matchGradients finds in a brand what stands there for the gradients that a flow names: the same one, or the one of
// the same name. It returns the ids that change, and what the brand lacks.
func matchGradients(
	brand *Branding, wanted []uuid.UUID, known []bundle.Gradient,
) (ids map[uuid.UUID]uuid.UUID, missing []MissingPart) {
	ids = map[uuid.UUID]uuid.UUID{}
	for _, id := range wanted {
		name := id.String()
		for _, gradient := range known {
			if gradient.ID == id {
				name = gradient.Name
			}
		}
		same := slices.IndexFunc(brand.GradientPresets, func(preset GradientPreset) bool { return preset.ID == id })
		if same < 0 {
			same = slices.IndexFunc(brand.GradientPresets, func(preset GradientPreset) bool {
				return strings.EqualFold(preset.Name, name)
			})
		}
		if same < 0 {
			missing = append(missing, MissingPart{GradientPart, name})
			continue
		}
		ids[id] = brand.GradientPresets[same].ID
	}
	return ids, missing
}
