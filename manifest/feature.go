package manifest

import (
	"encoding/json"
	"fmt"
)

// HasAnimations reports whether any screen has an animation clip (wire.md §3.6).
func (m *Manifest) HasAnimations() bool {
	for _, screen := range m.Screens {
		if len(screen.Animations) > 0 {
			return true
		}
	}
	return false
}

// HasTranslations reports whether the manifest speaks more than one language
// (wire.md §3.6).
func (m *Manifest) HasTranslations() bool {
	if len(m.Locales) > 1 {
		return true
	}
	found := false
	if doc, err := m.document(); err == nil {
		eachObject(doc, func(object map[string]any) {
			translations, _ := object["translations"].(map[string]any)
			found = found || isText(object) && len(translations) > 0
		})
	}
	return found
}

// UsesIntegrations reports whether a provider shows any surface (wire.md §3.6).
func (m *Manifest) UsesIntegrations() bool {
	for _, surface := range m.Surfaces {
		if surface.Config.Provider != Unspecified {
			return true
		}
	}
	return false
}

// MediaAssetIDs lists the media assets that the manifest refers to, each once,
// in document order.
func (m *Manifest) MediaAssetIDs() []string {
	ids := []string{}
	seen := map[string]bool{}
	for _, screen := range m.Screens {
		for _, id := range m.mediaOf(screen) {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// WithoutAnimations returns a copy without clips: what a plan without
// animations is served (wire.md §3.6).
func (m *Manifest) WithoutAnimations() (*Manifest, error) {
	return m.edit(cutAnimations)
}

// WithoutMotion returns a copy without clips and without resting motion.
func (m *Manifest) WithoutMotion() (*Manifest, error) {
	return m.edit(func(doc map[string]any) {
		cutAnimations(doc)
		eachObject(doc["screens"], func(object map[string]any) {
			if _, layer := object["kind"]; layer {
				delete(object, "restingMotion")
				delete(object, "restingMotions")
			}
		})
	})
}

// DefaultLocaleOnly returns a copy without translations.
func (m *Manifest) DefaultLocaleOnly() (*Manifest, error) {
	return m.edit(func(doc map[string]any) {
		eachObject(doc, func(object map[string]any) {
			if isText(object) {
				delete(object, "translations")
			}
		})
		doc["locales"] = []any{m.DefaultLocale}
	})
}

func cutAnimations(doc map[string]any) {
	for _, screen := range objects(doc["screens"]) {
		delete(screen, "animations")
		delete(screen, "stagger")
	}
}

func isText(object map[string]any) bool {
	_, ok := object["default"].(string)
	return ok
}

// document decodes the canonical form anew, so that the caller may change it.
func (m *Manifest) document() (map[string]any, error) {
	var doc map[string]any
	if err := json.Unmarshal(m.canonical, &doc); err != nil {
		return nil, fmt.Errorf("decode manifest: %w", err)
	}
	return doc, nil
}

func (m *Manifest) edit(change func(doc map[string]any)) (*Manifest, error) {
	doc, err := m.document()
	if err != nil {
		return nil, err
	}
	change(doc)
	return fromDocument(doc)
}

// eachObject calls fn with every object at or below v.
func eachObject(v any, fn func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		fn(v)
		for _, value := range v {
			eachObject(value, fn)
		}
	case []any:
		for _, value := range v {
			eachObject(value, fn)
		}
	}
}
