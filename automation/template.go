package automation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A template is a JSON value in whose texts {{event.plan}}, {{person.email}},
// {{attributes.tier}} and {{answers.goal}} stand for values. A text that is nothing but one of them
// becomes the value with its type, null when it is not known.

// maxTemplateDepth bounds how deep a template is nested.
const maxTemplateDepth = 10

// part is a piece of a text: letters as they are, or a value.
type part struct {
	text     string
	operand  *Operand
	fallback string // where the value is not known, in an email
}

// template checks a template and returns it with its texts taken apart.
func (r *reader) template(pointer string, value any) any { return r.templateAt(pointer, value, 1) }

func (r *reader) templateAt(pointer string, value any, depth int) any {
	if depth > maxTemplateDepth {
		r.report(pointer, "length", "is nested deeper than %d", maxTemplateDepth)
		return nil
	}
	switch v := value.(type) {
	case string:
		parts, err := r.parseTemplate(v)
		if err != nil {
			r.report(pointer, "template", "%s", err)
		}
		return parts
	case []any:
		list := make([]any, len(v))
		for i, entry := range v {
			list[i] = r.templateAt(fmt.Sprintf("%s/%d", pointer, i), entry, depth+1)
		}
		return list
	case map[string]any:
		members := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			members[name] = r.templateAt(pointer+"/"+escape(name), v[name], depth+1)
		}
		return members
	}
	return value
}

func (r *reader) parseTemplate(text string) ([]part, error) {
	var parts []part
	for text != "" {
		before, rest, found := strings.Cut(text, "{{")
		if before != "" {
			parts = append(parts, part{text: before})
		}
		if !found {
			break
		}
		name, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return nil, fmt.Errorf("{{ is not closed by }}")
		}
		value, fallback := name, ""
		if r.fallbacks {
			value, fallback, _ = strings.Cut(name, "|")
		}
		of, property, dotted := strings.Cut(strings.TrimSpace(value), ".")
		if !dotted || property == "" || !slices.Contains(r.sources(), of) {
			return nil, fmt.Errorf("{{%s}} must be %s and a name", name, strings.Join(r.sources(), "., ")+".")
		}
		if _, known := personFields[property]; of == ofPerson && !known {
			return nil, fmt.Errorf("{{%s}}: people have no such field", name)
		}
		r.ask(of)
		parts = append(parts, part{operand: &Operand{of, property}, fallback: strings.TrimSpace(fallback)})
		text = after
	}
	return parts, nil
}

// filling fills a template in. It stops where the values come to more bytes than left: a template may name a long value
// thousands of times.
type filling struct {
	facts *Facts
	left  int
}

// render fills a template in; false when that would take more than so many bytes.
func render(template any, f *Facts, most int) (filled any, ok bool) {
	w := filling{f, most}
	filled = w.render(template)
	return filled, w.left >= 0
}

func (w *filling) render(template any) any {
	if w.left < 0 {
		return nil
	}
	switch v := template.(type) {
	case []part:
		if len(v) == 1 && v[0].operand != nil {
			value := w.facts.look(*v[0].operand)
			w.left -= len(asText(value))
			return value
		}
		var text strings.Builder
		for _, p := range v {
			piece := p.text
			if p.operand != nil {
				piece = asText(w.facts.look(*p.operand))
			}
			if w.left -= len(piece); w.left < 0 {
				return nil
			}
			text.WriteString(piece)
		}
		return text.String()
	case []any:
		list := make([]any, len(v))
		for i, entry := range v {
			list[i] = w.render(entry)
		}
		return list
	case map[string]any:
		members := map[string]any{}
		for name, entry := range v {
			members[name] = w.render(entry)
		}
		return members
	}
	return template
}

// asText writes a value inside a text: nothing for null, JSON for what is no text.
func asText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, _ := json.Marshal(value) // came from JSON
	return string(text)
}
