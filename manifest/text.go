package manifest

// Text is a text with its translations (manifest.md §2).
type Text struct {
	Default      string            `json:"default"`
	Translations map[string]string `json:"translations"`
}
