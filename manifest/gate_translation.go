package manifest

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// gateTranslations warns of texts that a language of the flow lacks: of one text, of several on a screen, or of all
// there are. Users see the default language there. sdk/vectors/translations.json holds it to the editor, which says the
// same while somebody edits.
func gateTranslations(m *Manifest, r *report) {
	others := otherLocales(m)
	doc, err := m.document()
	if err != nil || len(others) == 0 {
		return
	}
	type lack struct {
		screen string // pointer
		texts  []string
	}
	lacks, all := map[string][]lack{}, 0
	for i, screen := range objects(doc["screens"]) {
		of := map[string][]string{}
		place := at("/screens", i)
		eachText(screen, place, func(pointer string, text map[string]any) {
			if written, _ := text["default"].(string); !hasWords(written) {
				return
			}
			all++
			translations, _ := text["translations"].(map[string]any)
			for _, locale := range others {
				if said, _ := translations[locale].(string); said == "" {
					of[locale] = append(of[locale], pointer)
				}
			}
		})
		for locale, texts := range of {
			lacks[locale] = append(lacks[locale], lack{place, texts})
		}
	}
	for _, locale := range others {
		missing, name := 0, languageName(locale)
		for _, on := range lacks[locale] {
			missing += len(on.texts)
		}
		if missing == all && len(lacks[locale]) > 1 {
			r.warn("/locales", "flow.untranslated", "No text of the flow is translated into %s: %d are missing.", name, missing)
			continue
		}
		for _, on := range lacks[locale] {
			if len(on.texts) == 1 {
				r.warn(on.texts[0], "text.untranslated", "The text is not translated into %s.", name)
				continue
			}
			r.warn(on.screen, "screen.untranslated", "%d texts on the screen are not translated into %s.", len(on.texts), name)
		}
	}
}

// placeholder is a template but for the default that it shows.
var placeholder = regexp.MustCompile(`(?i)\{\{[^|}]*(\|\s*default\s*:)?`)

// hasWords tells whether there is something to translate in a text: numbers, pictures and answers are alike everywhere.
func hasWords(text string) bool {
	return strings.ContainsFunc(placeholder.ReplaceAllString(text, ""), unicode.IsLetter)
}

// otherLocales returns the languages of a manifest besides the default one, each once.
func otherLocales(m *Manifest) (others []string) {
	seen := map[string]bool{m.DefaultLocale: true}
	for _, locale := range m.Locales {
		if !seen[locale] {
			seen[locale] = true
			others = append(others, locale)
		}
	}
	return others
}

// eachText calls use with the texts of a screen. Where a way leads, which is written alike, is none.
func eachText(v any, pointer string, use func(pointer string, text map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		if isText(v) {
			use(pointer, v)
			return
		}
		for name, member := range v {
			if name != "next" {
				eachText(member, at(pointer, name), use)
			}
		}
	case []any:
		for i, element := range v {
			if object, ok := element.(map[string]any); ok && object["id"] != nil {
				eachText(object, at(pointer, i), use)
			}
		}
	}
}

// languageName names a language in English; what is no known language by itself.
func languageName(locale string) string {
	tag, err := language.Parse(locale)
	if err != nil {
		return clip(locale)
	}
	if name := display.English.Tags().Name(tag); name != "" {
		return name
	}
	return clip(locale)
}
