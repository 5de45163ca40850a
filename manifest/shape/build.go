package shape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type object = map[string]any

// itemKinds names the list items that have a key: by the definition of the item, or by the path of the list where the
// schema gives the item no name.
var itemKinds = map[string]string{
	"OptionBinding": "option", "ConditionalCase": "conditionalCase", "DecisionCase": "decisionCase",
	"AnimationClip": "clip", "RestingMotionEntry": "motion", "WheelOption": "wheelOption",
	"builderMeta.layout.nodes": "position",
}

// steps are the nodes of the graph, by their definition.
var steps = map[string]string{"Screen": "screen", "DecisionNode": "decision", "ExternalSurfaceNode": "surface"}

// Build makes shape.json from the manifest's JSON Schema. It fails for a list of keyed objects that has no name in
// itemKinds: nobody could address its items.
func Build(schema []byte) ([]byte, error) {
	var root object
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	b := &builder{defs: root["$defs"].(object), kinds: map[string]*Kind{}, references: map[string]bool{}}
	b.kinds["flow"] = b.describe(root, "flow", "")
	for def, kind := range steps {
		b.kinds[kind] = b.describe(b.defs[def].(object), kind, "id")
	}
	for _, branch := range b.defs["Layer"].(object)["oneOf"].([]any) {
		b.layer(refName(branch))
	}
	if b.err != nil {
		return nil, b.err
	}
	types := maps.Clone(b.defs)
	for name := range types {
		if b.isNode(name) || strings.HasSuffix(name, "Layer") || name == "LayerBase" {
			delete(types, name)
		}
	}
	b.findReferences(root, "")
	out := object{"kinds": b.kinds, "types": types, "references": slices.Sorted(maps.Keys(b.references))}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(out); err != nil {
		return nil, fmt.Errorf("write the shape: %w", err)
	}
	return text.Bytes(), nil
}

type builder struct {
	defs       object
	kinds      map[string]*Kind
	references map[string]bool
	err        error
}

func refName(schema any) string {
	ref, _ := schema.(object)["$ref"].(string)
	return strings.TrimPrefix(ref, "#/$defs/")
}

func (b *builder) isNode(def string) bool { return steps[def] != "" || itemKinds[def] != "" }

// layer describes one kind of layer; a definition with variants becomes one kind.
func (b *builder) layer(def string) {
	schema := b.defs[def].(object)
	branches, varied := schema["oneOf"].([]any)
	if !varied {
		b.kinds[constant(schema, "kind")] = b.describe(schema, "layer", "id")
		return
	}
	by := schema["discriminator"].(object)["propertyName"].(string)
	whole := &Kind{Is: "layer", VariantBy: by, Variants: map[string]*Kind{}, Slots: map[string]*Slot{}}
	for _, branch := range branches {
		variant := b.defs[refName(branch)].(object)
		one := b.describe(variant, "layer", "id")
		for name, slot := range one.Slots {
			slot.Required = false // not in all variants
			whole.Slots[name] = slot
		}
		whole.Variants[constant(variant, by)] = one
		b.kinds[constant(variant, "kind")] = whole
	}
}

func constant(schema object, member string) string {
	return schema["properties"].(object)[member].(object)["const"].(string)
}

// describe collects the members of an object schema, those of its allOf included.
func (b *builder) describe(schema object, is, key string) *Kind {
	kind := &Kind{Is: is, Slots: map[string]*Slot{}, Properties: map[string]json.RawMessage{}}
	b.collect(kind, schema, nil, key)
	slices.Sort(kind.Required)
	return kind
}

func (b *builder) collect(kind *Kind, schema object, path []string, key string) {
	for _, base := range list(schema["allOf"]) {
		b.collect(kind, b.defs[refName(base)].(object), path, key)
	}
	required := map[string]bool{}
	for _, name := range list(schema["required"]) {
		required[name.(string)] = true
	}
	properties, _ := schema["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		here := append(slices.Clone(path), name)
		switch {
		case len(path) == 0 && (name == key || name == "kind" && kind.Is == "layer"):
		case b.slot(kind, properties[name].(object), here, required[name]):
		case len(path) == 0:
			raw, err := json.Marshal(properties[name])
			if err != nil {
				b.err = err
			}
			kind.Properties[name] = raw
			if required[name] {
				kind.Required = append(kind.Required, name)
			}
		}
	}
}

// slot adds a slot when the member at path is one, or holds some.
func (b *builder) slot(kind *Kind, schema object, path []string, required bool) bool {
	name := path[len(path)-1]
	if items, ok := schema["items"].(object); ok {
		holds, key, kinds := b.holds(items, strings.Join(path, "."))
		if holds == "" {
			return false
		}
		least, _ := schema["minItems"].(float64)
		if len(path) > 1 {
			name = path[len(path)-2] // builderMeta.layout.nodes is the slot layout
		}
		kind.Slots[name] = &Slot{
			Path: path, List: true, Holds: holds, Key: key, Kinds: kinds, Required: required, Min: int(least),
		}
		return true
	}
	if strings.HasSuffix(refName(schema), "Layer") {
		kinds := b.layerKinds(refName(schema))
		kind.Slots[name] = &Slot{Path: path, Holds: "layer", Key: "id", Kinds: kinds, Required: required}
		return true
	}
	target := schema
	if ref := refName(schema); ref == "BuilderMeta" {
		target = b.defs[ref].(object)
	}
	properties, ok := target["properties"].(object)
	if !ok {
		return false
	}
	found, all := false, true
	needed := list(target["required"])
	for _, member := range slices.Sorted(maps.Keys(properties)) {
		below := append(slices.Clone(path), member)
		is := b.slot(kind, properties[member].(object), below, slices.Contains(needed, any(member)))
		found, all = found || is, all && is
	}
	// An object of nothing but slots, such as regions, is no property itself.
	return found && all
}

// holds tells what the elements of an array are; "" when they have no key and the array is set as a whole.
func (b *builder) holds(items object, path string) (holds, key string, kinds []string) {
	def := refName(items)
	if step := steps[def]; step != "" {
		return step, "id", nil
	}
	if strings.HasSuffix(def, "Layer") {
		return "layer", "id", b.layerKinds(def)
	}
	if branches := list(items["oneOf"]); branches != nil {
		for _, branch := range branches {
			kinds = append(kinds, b.layerKinds(refName(branch))...)
		}
		return "layer", "id", kinds
	}
	schema := items
	if def != "" {
		schema = b.defs[def].(object)
	}
	for _, key := range []string{"id", "optionId"} {
		if !slices.Contains(list(schema["required"]), any(key)) {
			continue
		}
		name := itemKinds[def]
		if name == "" {
			name = itemKinds[path]
		}
		if name == "" {
			b.err = fmt.Errorf("the items of %s have a key but no name", path)
		}
		if b.kinds[name] == nil {
			b.kinds[name] = b.describe(schema, "item", key)
		}
		return name, key, nil
	}
	return "", "", nil
}

// layerKinds lists the kinds that a definition allows; nil means all.
func (b *builder) layerKinds(def string) []string {
	if def == "Layer" {
		return nil
	}
	schema := b.defs[def].(object)
	if branches := list(schema["oneOf"]); branches != nil {
		return b.layerKinds(refName(branches[0]))
	}
	return []string{constant(schema, "kind")}
}

// findReferences notes the members whose schema is a target or a reference to a node.
func (b *builder) findReferences(v any, member string) {
	switch v := v.(type) {
	case object:
		switch refName(v) {
		case "NodeTarget", "FlowTarget", "ScreenTarget", "EntryTarget", "PermissionTarget",
			"LayerReference", "ChildReference":
			b.references[member] = true
		}
		if properties, ok := v["properties"].(object); ok {
			for name, sub := range properties {
				b.findReferences(sub, name)
			}
		}
		for name, sub := range v {
			switch name {
			case "properties":
			case "items", "allOf", "oneOf":
				b.findReferences(sub, member)
			default:
				b.findReferences(sub, "")
			}
		}
	case []any:
		for _, sub := range v {
			b.findReferences(sub, member)
		}
	}
}

func list(v any) []any {
	out, _ := v.([]any)
	return out
}
