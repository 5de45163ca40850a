package edit

import (
	"regexp"
	"slices"
	"strings"

	"github.com/svc-dev/svc/manifest/shape"
)

// Reference is a member that names a node.
type Reference struct {
	Node string   // whose member it is
	Path []string // of the member, inside the node; the elements of a list have no path of their own
}

// References lists what names a node, in the order of the document.
func (d *Document) References(id string) []Reference {
	var out []Reference
	d.eachNode(d.nodes[FlowNode], func(n *node) {
		eachProperty(n, func(path []string, v any) {
			if !isReference(path) {
				return
			}
			list, _ := v.([]any)
			if v == id || slices.Contains(list, any(id)) {
				out = append(out, Reference{n.id, slices.Clone(path)})
			}
		})
	})
	return out
}

func isReference(path []string) bool {
	member := path[len(path)-1]
	if member == "default" {
		return len(path) > 1 && path[len(path)-2] == "next"
	}
	return member == "entryScreenId" || slices.Contains(shape.Read().References, member)
}

func (d *Document) eachNode(n *node, fn func(*node)) {
	fn(n)
	d.eachChild(n, func(child *node) { d.eachNode(child, fn) })
}

// eachProperty calls fn with every member of a node and of the objects in it, slots left out. An element of a list
// has the path of the list.
func eachProperty(n *node, fn func(path []string, v any)) {
	var walk func(path []string, v any)
	walk = func(path []string, v any) {
		for _, slot := range slotsOf(n.kind) {
			if slices.Equal(path, slot.Path) {
				return
			}
		}
		if len(path) > 0 {
			fn(path, v)
		}
		switch v := v.(type) {
		case map[string]any:
			for _, name := range sortedNames(v) {
				walk(append(slices.Clone(path), name), v[name])
			}
		case []any:
			for _, element := range v {
				if object, ok := element.(map[string]any); ok {
					for _, name := range sortedNames(object) {
						walk(append(slices.Clone(path), name), object[name])
					}
				}
			}
		}
	}
	walk(nil, n.object)
}

func sortedNames(object map[string]any) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// rename gives a field, an option or an attribute another key, wherever it is declared or used. The new key must be
// free, so that the inverse finds exactly what was renamed.
func (d *Document) rename(o Operation) (done, *Refusal) {
	at := o.Owner
	if at == "" {
		at = FlowNode
	}
	if d.nodes[at] == nil {
		return done{}, &Refusal{NodeRemoved, at}
	}
	for _, key := range []string{o.From, o.To} { // both, or the inverse would be refused
		if key == "" || len(key) > 128 || checkText(key) != "" || o.Key == FieldKey && strings.HasPrefix(key, "permission:") {
			return done{}, &Refusal{BadShape, at}
		}
	}
	uses := d.usesIn(d.flow, d.nodes[at].object, o)
	if uses == nil {
		return done{}, &Refusal{BadShape, at}
	}
	var from, to, inText int
	uses(func(key string, text bool) string {
		switch key {
		case o.From:
			from++
			if text {
				inText++
			}
		case o.To:
			to++
		}
		return key
	})
	switch {
	case to > 0 || o.From == o.To:
		return done{}, &Refusal{Exists, at}
	case from == 0:
		return done{}, &Refusal{NodeRemoved, at}
	case inText > 0 && !fieldPattern.MatchString(o.To):
		return done{}, &Refusal{BadShape, at}
	}
	owner := d.nodes[at]
	var items []*node
	if o.Key == OptionKey {
		d.eachChild(owner, func(n *node) {
			if isOption(n.kind) && n.id == owner.id+"/"+n.slot+"/"+o.From {
				items = append(items, d.nodes[n.id])
			}
		})
	}
	uses(func(key string, _ bool) string {
		if key == o.From {
			return o.To
		}
		return key
	})
	for _, n := range items {
		delete(d.nodes, n.id)
		n.id = owner.id + "/" + n.slot + "/" + o.To
		d.nodes[n.id] = n
	}
	back := o
	back.From, back.To = o.To, o.From
	return done{o, []Operation{back}, nil}, nil
}

func isOption(kind string) bool { return kind == "option" || kind == "wheelOption" }

// fieldPattern is what a template can name (runtime.md §4).
var fieldPattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// templateKey finds the keys in the templates of a text.
var templateKey = regexp.MustCompile(`(\{\{[ \t]*)([a-z][a-z0-9_]*)((?:\.id)?[ \t]*(?:\||\}\}))`)

// replace is asked for the key to write for each that is found; text tells a key in a template.
type replace func(key string, text bool) string

// usesIn returns a function that goes over all uses of the keys of one sort in a value; nil when there is no such sort.
// Own is the object of the node that declares the keys, as far as it is in the value; nil when it is not.
func (d *Document) usesIn(v any, own map[string]any, o Operation) func(replace) {
	switch o.Key {
	case FieldKey:
		return func(fn replace) { eachObject(v, func(object map[string]any) { fieldUses(object, fn) }) }
	case AttributeKey:
		return func(fn replace) {
			replaceAll(own, "sdkAttributeKeys", fn)
			eachObject(v, func(object map[string]any) {
				if object["kind"] == "sdk" {
					replaceOne(object, "key", fn)
				}
			})
		}
	case OptionKey:
		owner := d.nodes[o.Owner]
		if owner == nil {
			return nil
		}
		return func(fn replace) {
			declaredOptions(own, owner.kind, fn)
			if field, ok := owner.object["fieldKey"].(string); ok {
				eachObject(v, func(object map[string]any) { comparedOptions(object, field, fn) })
			}
		}
	}
	return nil
}

func fieldUses(object map[string]any, fn replace) {
	if object["kind"] != "email_password_auth" { // its key is a namespace
		replaceOne(object, "fieldKey", fn)
	}
	if _, ok := object["default"].(string); !ok {
		return
	}
	replaceTemplates(object, "default", fn)
	if translations, ok := object["translations"].(map[string]any); ok {
		for locale := range translations {
			replaceTemplates(translations, locale, fn)
		}
	}
}

// declaredOptions goes over the options that a layer of a kind declares.
func declaredOptions(layer map[string]any, kind string, fn replace) {
	for _, name := range slotNames(kind) {
		slot := slotsOf(kind)[name]
		if isOption(slot.Holds) {
			for _, v := range nodesIn(layer, slot) {
				replaceOne(v.(map[string]any), slot.Key, fn)
			}
		}
	}
	replaceOne(layer, "defaultOptionId", fn)
	if branching, ok := layer["branching"].(map[string]any); ok {
		conditions, _ := branching["conditions"].([]any)
		for _, condition := range conditions {
			if object, ok := condition.(map[string]any); ok {
				replaceOne(object, "choiceId", fn)
			}
		}
	}
}

// comparedOptions goes over the options that a condition compares the answer of a field with.
func comparedOptions(object map[string]any, field string, fn replace) {
	variable, _ := object["variable"].(map[string]any)
	predicate, _ := object["predicate"].(map[string]any)
	if variable["kind"] != "field" || variable["fieldKey"] != field {
		return
	}
	comparison, ok := predicate["pred"].(map[string]any)
	if !ok {
		return
	}
	replaceOne(comparison, "optionId", fn)
	replaceAll(comparison, "optionIds", fn)
	if op := comparison["op"]; predicate["type"] == "string" && (op == "eq" || op == "neq") {
		replaceOne(comparison, "value", fn)
	}
}

func replaceOne(object map[string]any, member string, fn replace) {
	if key, ok := object[member].(string); ok {
		object[member] = fn(key, false)
	}
}

func replaceAll(object map[string]any, member string, fn replace) {
	list, _ := object[member].([]any)
	for i, v := range list {
		if key, ok := v.(string); ok {
			list[i] = fn(key, false)
		}
	}
}

func replaceTemplates(object map[string]any, member string, fn replace) {
	text, ok := object[member].(string)
	if !ok || !strings.Contains(text, "{{") {
		return
	}
	object[member] = templateKey.ReplaceAllStringFunc(text, func(token string) string {
		parts := templateKey.FindStringSubmatch(token)
		return parts[1] + fn(parts[2], true) + parts[3]
	})
}

// eachObject calls fn with every object in a value.
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
