package edit

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// randomizer makes operations, sensible and not, for a document.
type randomizer struct {
	*rand.Rand
	made int
}

func (r *randomizer) pick(list []string) string { return list[r.IntN(len(list))] }

func (r *randomizer) anyNode(d *Document) string {
	if r.IntN(12) == 0 {
		return "lyr_missing"
	}
	return r.pick(slices.Sorted(maps.Keys(d.nodes)))
}

func (r *randomizer) anchor(d *Document) *string {
	if r.IntN(3) == 0 {
		return nil
	}
	id := r.anyNode(d)
	return &id
}

func (r *randomizer) value() any {
	values := []any{nil, true, 0.0, 8.0, -1.5, 1e21, 1e-7, "", "scr_1", "Hi {{goal}} \u2028<&>", "é\U0001F600\b\x7f",
		[]any{}, []any{1.0, map[string]any{"b": 2.0, "a": nil}}, map[string]any{}, map[string]any{"t": 4.0, "l": 2.0},
		map[string]any{"layout": map[string]any{"nodes": []any{}}}, map[string]any{"__proto__": 1.0}, "nul\x00",
		map[string]any{"default": "Hello {{ goal.id | default: you }}", "translations": map[string]any{"de": "{{goal}}"}}}
	return values[r.IntN(len(values))]
}

func (r *randomizer) path(d *Document, id string) []string {
	n := d.nodes[id]
	pool := []string{"style", "padding", "t", "name", "text", "id", "kind", "regions", "children", "default", "__proto__",
		"builderMeta", "layout", "nodes", "canvas", "branching", "next", "fieldKey", "version", "optionId", "\U0001F600", "\uE000"}
	if n != nil && r.IntN(2) == 0 {
		pool = slices.Sorted(maps.Keys(n.object))
	}
	path := []string{}
	for range 1 + r.IntN(3) {
		path = append(path, r.pick(pool))
		if r.IntN(2) == 0 {
			pool = []string{"padding", "layout", "nodes", "t", "default", "translations", "de"}
		}
	}
	return path[:len(path)-r.IntN(2)*r.IntN(2)]
}

func (r *randomizer) id(prefix string) string {
	r.made++
	return fmt.Sprintf("%snew_%d", prefix, r.made)
}

func (r *randomizer) layer(depth int) map[string]any {
	kinds := []string{"stack", "text", "single_choice", "unknown_kind", "button", "carousel"}
	kind := r.pick(kinds)
	out := map[string]any{"id": r.id("lyr_"), "kind": kind, "zIndex": 0.0}
	switch kind {
	case "text":
		out["text"] = map[string]any{"default": "New {{goal}}"}
		if r.IntN(2) == 0 {
			out["restingMotions"] = []any{map[string]any{"id": "m1", "preset": "pulse"}}
		}
	case "single_choice":
		out["fieldKey"] = r.pick([]string{"goal", "age", "plan"})
		out["optionBindings"] = []any{map[string]any{"optionId": "a/b", "rootLayerId": "lyr_x"}}
	case "carousel":
		out["slides"] = []any{}
	default:
		children := []any{}
		for range r.IntN(3) {
			if depth > 0 {
				children = append(children, r.layer(depth-1))
			}
		}
		out["children"] = children
	}
	return out
}

func (r *randomizer) subtree(d *Document, holds string) map[string]any {
	if r.IntN(15) == 0 {
		return map[string]any{"id": r.anyNode(d), "kind": "stack", "children": []any{}}
	}
	if r.IntN(20) == 0 {
		return map[string]any{"id": r.id("lyr_"), "kind": "stack", "children": "none"}
	}
	switch holds {
	case "layer":
		return r.layer(2)
	case "screen":
		return map[string]any{"id": r.id("scr_"), "name": "S", "next": map[string]any{"default": nil},
			"regions": map[string]any{"body": r.layer(1)}}
	case "decision":
		return map[string]any{"id": r.id("dec_"), "cases": []any{map[string]any{"id": "c1", "next": nil}}, "elseNext": nil}
	case "surface":
		return map[string]any{"id": r.id("surf_"), "outcomes": map[string]any{}, "fallback": nil}
	case "option", "wheelOption":
		return map[string]any{"optionId": r.id("opt "), "rootLayerId": "lyr_1"}
	}
	return map[string]any{"id": r.id("it_"), "x": 1.0}
}

// parentAndSlot picks a place; mostly one that exists.
func (r *randomizer) parentAndSlot(d *Document) (string, string, string) {
	for {
		id := r.anyNode(d)
		n := d.nodes[id]
		if n == nil || r.IntN(20) == 0 {
			return id, "children", "layer"
		}
		if names := slotNames(n.kind); len(names) > 0 {
			name := r.pick(names)
			return id, name, slotsOf(n.kind)[name].Holds
		}
	}
}

func (r *randomizer) operation(d *Document) Operation {
	switch r.IntN(10) {
	case 0, 1, 2:
		id := r.anyNode(d)
		return Operation{Op: Set, Node: id, Path: r.path(d, id), Value: r.value()}
	case 3:
		id := r.anyNode(d)
		return Operation{Op: Unset, Node: id, Path: r.path(d, id)}
	case 4, 5:
		parent, slot, holds := r.parentAndSlot(d)
		return Operation{Op: Insert, Parent: parent, Slot: slot, After: r.anchor(d), Before: r.anchor(d),
			Subtree: r.subtree(d, holds)}
	case 6, 7:
		node := r.anyNode(d)
		parent, slot, _ := r.parentAndSlot(d)
		if n := d.nodes[node]; n != nil && n.parent != "" && r.IntN(2) == 0 {
			parent, slot = n.parent, n.slot
		}
		return Operation{Op: Move, Node: node, Parent: parent, Slot: slot, After: r.anchor(d), Before: r.anchor(d)}
	case 8:
		return Operation{Op: Remove, Node: r.anyNode(d)}
	}
	names := []string{"goal", "age", "plan", "objective", "a/b", "option_1", "opt new_3", "Not A Key", ""}
	key := r.pick([]string{FieldKey, OptionKey, AttributeKey})
	o := Operation{Op: Rename, Key: key, From: r.pick(names), To: r.pick(names)}
	if o.Key == OptionKey {
		o.Owner = r.anyNode(d)
		for _, id := range slices.Sorted(maps.Keys(d.nodes)) {
			n := d.nodes[id]
			if isOption(n.kind) && r.IntN(2) == 0 {
				o.Owner, o.From = n.parent, n.object["optionId"].(string)
				break
			}
		}
	}
	if o.Key == AttributeKey {
		o.From = r.pick([]string{"country", "plan_name"})
	}
	return o
}

func (r *randomizer) step(d *Document) Step {
	step := Step{Name: "random", Operations: []Operation{}}
	for range 1 + r.IntN(3) {
		step.Operations = append(step.Operations, r.operation(d))
	}
	return step
}
