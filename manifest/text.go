package manifest

import "strings"

// Text is a text with its translations (manifest.md §2).
type Text struct {
	Default      string            `json:"default"`
	Translations map[string]string `json:"translations"`
}

// Resolve returns the text for a locale: its own translation, else that of its
// language (xx for xx-YY), else the default. An empty translation counts as
// missing.
func (t Text) Resolve(locale string) string {
	if text := t.Translations[locale]; text != "" {
		return text
	}
	if language, _, ok := strings.Cut(locale, "-"); ok {
		if text := t.Translations[language]; text != "" {
			return text
		}
	}
	return t.Default
}
