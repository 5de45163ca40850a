package manifest

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	templateToken = regexp.MustCompile(`\{\{(.*?)\}\}`)
	templateKey   = regexp.MustCompile(`^(custom\.)?([a-z][a-z0-9_]*)(\.id)?$`)
	templateValue = regexp.MustCompile(`(?i)^\s*default\s*:`)
)

// gateTemplates warns of tokens that will show nothing (runtime.md §4).
func gateTemplates(m *Manifest, r *report) {
	collected := newCollection(m)
	for _, p := range m.layers {
		for name, text := range map[string]*Text{"text": p.Text, "label": p.Label} {
			if text == nil {
				continue
			}
			gateTemplate(p, text.Default, at(p.pointer, name, "default"), collected, r)
			for _, locale := range slices.Sorted(maps.Keys(text.Translations)) {
				gateTemplate(p, text.Translations[locale], at(p.pointer, name, "translations", locale), collected, r)
			}
		}
	}
}

func gateTemplate(p *placedLayer, text, pointer string, collected *collection, r *report) {
	for _, token := range templateToken.FindAllStringSubmatch(text, -1) {
		name, value, piped := strings.Cut(token[1], "|")
		key := templateKey.FindStringSubmatch(strings.TrimSpace(name))
		if key == nil || piped && !templateValue.MatchString(value) || key[1] != "" && key[3] != "" {
			r.warn(pointer, "template.invalid_token", "%s is not understood and shows nothing.", clip(token[0]))
			continue
		}
		if key[1] != "" {
			continue // custom.key: only the host knows
		}
		field := key[2]
		layers := collected.declared[field]
		switch {
		case len(layers) == 0:
			r.warn(pointer, "template.unknown_field", "There is no field %s.", field)
			continue
		case layers[0].screen == p.screen:
			r.warn(
				pointer, "template.same_screen_field", "%s is asked for on this screen, so there is no answer to show yet.", field,
			)
		case !collected.before(field, p.screen.ID):
			r.warn(pointer, "template.field_not_on_every_path", "Some ways to this screen do not ask for %s.", field)
		}
		if key[3] != "" && !layers[0].Kind.isChoice() {
			r.warn(pointer, "template.id_on_non_choice", "Only a choice has an id; %s.id shows nothing.", field)
		}
	}
}
