// Package typescript writes the TypeScript types of a flow: its answers, options, steps, events and attributes.
package typescript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/svc-dev/svc/manifest"
)

// Source says where a manifest comes from, for the head of the file.
type Source struct {
	Flow string // the flow's name; its letters and digits begin the names of all types
	From string // "version 3", "the draft"
}

// Write returns a TypeScript module with the types of a flow:
//
//	FlowAnswers    what onFlowCompleted says of each field, by field key;
//	               a field that no screen of the run asked for is absent
//	FlowStepId     ids of its screens
//	FlowEvent      names of the events that a run of it can send
//	FlowAttribute  keys of the attributes that its decisions read
//
// where Flow is the flow's name. The module imports nothing. The order is that of the document, so that an
// unchanged flow gives the same bytes.
func Write(m *manifest.Manifest, source Source) []byte {
	w := &writer{layers: map[string]*manifest.Layer{}, name: typeName(source.Flow)}
	for _, layer := range m.Layers() {
		w.layers[layer.ID] = layer
	}
	w.line(
		"// Types of the flow %s, written from %s. Made by `svc types`; a change here is lost.", quote(source.Flow),
		source.From,
	)
	w.answers(m)
	w.union("StepId", "Screens, in the order of the editor.", stepIDs(m))
	w.union("Event", "What a run can send; `onEvent` of the provider sees them.", literals(events(m)))
	w.union("Attribute", "Attributes that decisions of the flow read; `attributes` of the provider's config sets them.",
		literals(m.SDKAttributeKeys))
	w.line("")
	w.line("interface Skipped {\n  bypassed: true;\n  via: 'skip' | 'go_to_screen';\n}")
	return w.out.Bytes()
}

type writer struct {
	out    bytes.Buffer
	name   string
	layers map[string]*manifest.Layer
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.out, format+"\n", args...) }

// literal is one member of a union with what people know it by.
type literal struct{ value, comment string }

func literals(values []string) (all []literal) {
	for _, value := range values {
		all = append(all, literal{value: value})
	}
	return all
}

// union writes a type of string literals; of none it is never.
func (w *writer) union(suffix, comment string, members []literal) {
	w.line("")
	w.line("/** %s */", comment)
	if len(members) == 0 {
		w.line("export type %s%s = never;", w.name, suffix)
		return
	}
	w.line("export type %s%s =%s;", w.name, suffix, unionOf(members, "  "))
}

// unionOf writes the members below each other, with comments where they have any.
func unionOf(members []literal, indent string) string {
	var text strings.Builder
	for _, m := range members {
		if m.comment != "" {
			fmt.Fprintf(&text, "\n%s/** %s */", indent, comment(m.comment))
		}
		fmt.Fprintf(&text, "\n%s| %s", indent, quote(m.value))
	}
	return text.String()
}

func (w *writer) answers(m *manifest.Manifest) {
	w.line("")
	w.line("/** Answers by field. What a run did not ask is absent; what was skipped says so. */")
	w.line("export interface %sAnswers {", w.name)
	declared := map[string]bool{}
	for _, field := range m.Fields() {
		if declared[field.Key] {
			continue // branches that exclude each other may share a key; the first declares it
		}
		declared[field.Key] = true
		layer := w.layers[field.LayerID]
		if name := fieldName(m, field, layer); name != "" {
			w.line("  /** %s */", comment(name))
		}
		w.line("  %s?: %s | Skipped;", quote(field.Key), w.answerType(field, layer))
	}
	w.line("}")
}

// fieldName returns what the editor calls the layer, and where it is.
func fieldName(m *manifest.Manifest, field manifest.FieldInfo, layer *manifest.Layer) string {
	names := []string{layer.Name}
	if screen := m.Screen(field.ScreenID); screen != nil {
		names = append(names, screen.Name)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.TrimSpace(name) == "" })
	return strings.Join(names, ", on ")
}

// answerType returns the form in which onFlowCompleted gives the answer (wire.md §6.2).
func (w *writer) answerType(field manifest.FieldInfo, layer *manifest.Layer) string {
	classified := func(value string) string {
		classification := "safe"
		if field.Sensitive {
			classification = "sensitive"
		}
		return "{ " + value + "; classification: '" + classification + "' }"
	}
	switch field.Answer {
	case manifest.AnswerOption:
		return "(" + unionOf(w.options(layer), "    ") + "\n  )"
	case manifest.AnswerOptions:
		return "(" + unionOf(w.options(layer), "    ") + "\n  )[]"
	case manifest.AnswerNumber:
		return "number"
	case manifest.AnswerBoolean:
		return "boolean"
	case manifest.AnswerString:
		if field.Kind != manifest.KindWheelPicker {
			return classified("value: string")
		}
		if options := w.options(layer); len(options) > 0 {
			return "(" + unionOf(options, "    ") + "\n  )"
		}
		return "string"
	case manifest.AnswerDate:
		return classified("value: string")
	case manifest.AnswerPhone:
		return classified("value: string; countryCode: string; nationalNumber: string")
	case manifest.AnswerAddress:
		return classified(
			"value: { line1: string; line2?: string; city: string; region?: string; postalCode: string; country: string }",
		)
	case manifest.AnswerPermission:
		return "'granted' | 'denied' | 'blocked'"
	}
	return "unknown"
}

// options returns the option ids of a choice or a wheel with what is written on them.
func (w *writer) options(layer *manifest.Layer) (options []literal) {
	for _, binding := range layer.Bindings {
		options = append(options, literal{binding.OptionID, w.textOf(w.layers[binding.RootLayerID])})
	}
	if layer.Kind == manifest.KindWheelPicker && layer.Mode != "date" {
		for _, option := range layer.Options {
			options = append(options, literal{option.OptionID, option.Label.Default})
		}
	}
	return options
}

// textOf returns the first text in a layer.
func (w *writer) textOf(layer *manifest.Layer) string {
	if layer == nil {
		return ""
	}
	if layer.Text != nil && layer.Text.Default != "" {
		return layer.Text.Default
	}
	for _, child := range layer.Children {
		if text := w.textOf(child); text != "" {
			return text
		}
	}
	return ""
}

func stepIDs(m *manifest.Manifest) (steps []literal) {
	for _, screen := range m.Screens {
		steps = append(steps, literal{screen.ID, screen.Name})
	}
	return steps
}

// events returns the names that a run can send (wire.md §5.2), by what the flow has.
func events(m *manifest.Manifest) []string {
	has := map[string]bool{
		"flow_started": true, "step_viewed": len(m.Screens) > 0, "step_completed": len(m.Screens) > 0,
		"decision_evaluated": len(m.Decisions) > 0, "surface_presented": len(m.Surfaces) > 0,
		"surface_outcome":              len(m.Surfaces) > 0,
		"attribution_context_observed": true, "flow_completed": true, "flow_abandoned": true,
	}
	for _, surface := range m.Surfaces {
		if p := surface.Config.Provider; p == manifest.RevenueCat || p == manifest.Superwall {
			has["iap_purchase"] = true
		}
	}
	for _, layer := range m.Layers() {
		switch {
		case layer.Kind == manifest.KindSingleChoice, layer.Kind == manifest.KindMultipleChoice:
			has["choice_selected"] = true
		case layer.Kind == manifest.KindWheelPicker && layer.Mode != "date":
			has["choice_selected"] = true
		case layer.Kind.HasField():
			has["text_submitted"] = true
		case layer.Kind == manifest.KindHyperlink:
			has["external_link_opened"] = true
		}
		if layer.Action == nil {
			continue
		}
		switch layer.Action.Kind {
		case "skip":
			has["step_skipped"] = true
		case "request_os_permission":
			has["text_submitted"] = true
		case "request_app_review":
			has["text_submitted"], has["app_review_prompt_shown"], has["app_review_prompt_dismissed"] = true, true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(catalogue), func(name string) bool { return !has[name] })
}

// catalogue is the order of wire.md §5.2.
var catalogue = []string{
	"flow_started", "step_viewed", "step_completed", "step_skipped", "choice_selected", "text_submitted",
	"decision_evaluated",
	"surface_presented", "surface_outcome", "iap_purchase", "external_link_opened", "app_review_prompt_shown",
	"app_review_prompt_dismissed", "attribution_context_observed", "flow_completed", "flow_abandoned",
}

// typeName makes an identifier of a flow's name: its words, each with a capital. Letters and digits of any script stay,
// as TypeScript allows them.
func typeName(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var id strings.Builder
	for _, word := range words {
		letters := []rune(word)
		id.WriteRune(unicode.ToUpper(letters[0]))
		id.WriteString(string(letters[1:]))
	}
	if id.Len() == 0 || unicode.IsDigit([]rune(id.String())[0]) {
		return "Flow" + id.String()
	}
	return id.String()
}

// quote writes a string literal. JSON's escapes are TypeScript's.
func quote(text string) string {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string
	return strings.TrimSpace(quoted.String())
}

// comment returns the text on one line that does not end a comment.
func comment(text string) string {
	const longest = 100
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "*/", "* /")
	if letters := []rune(text); len(letters) > longest {
		text = string(letters[:longest]) + "…"
	}
	return text
}
