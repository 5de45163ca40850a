package edit

import (
	"slices"

	"github.com/svc-dev/svc/manifest/shape"
)

// Apply applies a step whole. When one of its operations is refused, nothing has changed.
func (d *Document) Apply(step Step) (*Applied, *Refusal) {
	applied := &Applied{Step: Step{Name: step.Name, Operations: make([]Operation, 0, len(step.Operations))}}
	for _, operation := range step.Operations {
		done, refusal := d.applyOne(operation)
		if refusal != nil {
			d.undo(applied.Inverse)
			return nil, refusal
		}
		applied.Step.Operations = append(applied.Step.Operations, done.operation)
		applied.Inverse = append(slices.Clone(done.inverse), applied.Inverse...)
		applied.Removed = append(applied.Removed, done.removed...)
	}
	if applied.Inverse == nil {
		applied.Inverse = []Operation{}
	}
	applied.Removed = slices.DeleteFunc(applied.Removed, d.Has)
	return applied, nil
}

// undo applies the inverse of what was applied, which can't be refused.
func (d *Document) undo(inverse []Operation) {
	for _, operation := range inverse {
		if _, refusal := d.applyOne(operation); refusal != nil {
			panic("edit: an inverse was refused: " + refusal.Error())
		}
	}
}

// done is one operation as it was applied.
type done struct {
	operation Operation
	inverse   []Operation
	removed   []string
}

func (d *Document) applyOne(o Operation) (done, *Refusal) {
	switch o.Op {
	case Set, Unset:
		return d.set(o)
	case Insert:
		return d.insert(o)
	case Move:
		return d.move(o)
	case Remove:
		return d.remove(o)
	case Rename:
		return d.rename(o)
	}
	return done{}, &Refusal{BadShape, o.Node}
}

// stamped are the members of the flow that the server writes.
var stamped = []string{"flowId", "schemaVersion", "version"}

func (d *Document) set(o Operation) (done, *Refusal) {
	n := d.nodes[o.Node]
	if n == nil {
		return done{}, &Refusal{NodeRemoved, o.Node}
	}
	if code := d.checkPath(n, o); code != "" {
		return done{}, &Refusal{code, o.Node}
	}
	holder, last := n.object, len(o.Path)-1
	var made []string
	for i, member := range o.Path[:last] {
		inner, there := holder[member]
		if !there {
			if o.Op == Unset {
				return done{operation: o}, nil
			}
			if made == nil {
				made = slices.Clone(o.Path[:i+1])
			}
			inner = map[string]any{}
			holder[member] = inner
		}
		object, ok := inner.(map[string]any)
		if !ok {
			return done{}, &Refusal{BadShape, o.Node}
		}
		holder = object
	}
	member := o.Path[last]
	old, there := holder[member]
	if o.Op == Unset {
		if !there {
			return done{operation: o}, nil
		}
		delete(holder, member)
		return done{o, []Operation{{Op: Set, Node: o.Node, Path: o.Path, Value: old}}, nil}, nil
	}
	o.Value = clone(o.Value)
	holder[member] = clone(o.Value)
	switch {
	case made != nil:
		return done{o, []Operation{{Op: Unset, Node: o.Node, Path: made}}, nil}, nil
	case !there:
		return done{o, []Operation{{Op: Unset, Node: o.Node, Path: o.Path}}, nil}, nil
	}
	return done{o, []Operation{{Op: Set, Node: o.Node, Path: o.Path, Value: old}}, nil}, nil
}

// checkPath refuses the paths that are no property: a node's id and kind, its slots, and what the server writes. A path
// that leads to a slot, or around one, is a property while no node is in it: that is how a list comes and goes.
func (d *Document) checkPath(n *node, o Operation) Code {
	if len(o.Path) == 0 {
		return BadShape
	}
	if len(o.Path) > MaxValueDepth {
		return OverLimit
	}
	for _, name := range o.Path {
		if code := checkName(name); code != "" {
			return code
		}
	}
	if code := checkValue(o.Value, MaxValueDepth-len(o.Path)); code != "" {
		return code
	}
	if n.id == FlowNode {
		if slices.Contains(stamped, o.Path[0]) {
			return BadShape
		}
	} else if o.Path[0] == d.keyOf(n) || o.Path[0] == "kind" && isLayer(n.kind) {
		return BadShape
	}
	for _, slot := range slotsOf(n.kind) {
		if !slotAllows(n.object, slot, o) {
			return BadShape
		}
	}
	return ""
}

// keyOf returns the member that holds a node's id.
func (d *Document) keyOf(n *node) string { return slotsOf(d.nodes[n.parent].kind)[n.slot].Key }

// slotAllows reports whether setting a path leaves a slot alone, or empty as it was.
func slotAllows(object map[string]any, slot *shape.Slot, o Operation) bool {
	common := min(len(o.Path), len(slot.Path))
	if !slices.Equal(o.Path[:common], slot.Path[:common]) {
		return true
	}
	if len(o.Path) > len(slot.Path) || len(nodesIn(object, slot)) > 0 {
		return false
	}
	if o.Op == Unset {
		return true
	}
	v, there := find(o.Value, slot.Path[common:])
	if !there {
		// What stands around the slot must be an object, or the slot could never be.
		_, isObject := o.Value.(map[string]any)
		return isObject && slotIsSound(map[string]any{slot.Path[0]: nest(o.Value, slot.Path[1:common])}, slot)
	}
	list, ok := v.([]any)
	return ok && slot.List && len(list) == 0
}

// nest wraps a value in objects.
func nest(v any, path []string) any {
	for i := len(path) - 1; i >= 0; i-- {
		v = map[string]any{path[i]: v}
	}
	return v
}

func (d *Document) insert(o Operation) (done, *Refusal) {
	parent := d.nodes[o.Parent]
	if parent == nil {
		return done{}, &Refusal{NodeRemoved, o.Parent}
	}
	slot := slotsOf(parent.kind)[o.Slot]
	if slot == nil || o.Subtree == nil {
		return done{}, &Refusal{BadSlot, o.Parent}
	}
	if code := d.checkPlace(parent, o.Slot, slot.Holds, nil); code != "" {
		return done{}, &Refusal{code, o.Parent}
	}
	if code := checkValue(o.Subtree, maxNesting); code != "" {
		return done{}, &Refusal{code, o.Parent}
	}
	layers, screens := 0, 0
	if id, code := d.checkSubtree(o.Subtree, o.Parent, o.Slot, slot, map[string]bool{}, &layers, &screens); code != "" {
		return done{}, &Refusal{code, id}
	}
	kind := kindOf(o.Subtree, slot)
	if d.layers+layers > maxLayers || d.screens+screens > maxScreens ||
		d.layerDepth(parent)+height(o.Subtree, kind) > maxDepth {
		return done{}, &Refusal{OverLimit, o.Parent}
	}
	o.Subtree = clone(o.Subtree).(map[string]any)
	object := clone(o.Subtree).(map[string]any)
	id := idOf(object, o.Parent, o.Slot, slot)
	left, right, made := d.place(parent, o.Slot, object, o.After, o.Before)
	d.add(&node{id, kind, object, o.Parent, o.Slot})
	o.After, o.Before = left, right
	inverse := []Operation{{Op: Remove, Node: id}}
	if made != nil {
		inverse = append(inverse, Operation{Op: Unset, Node: o.Parent, Path: made})
	}
	return done{o, inverse, nil}, nil
}

// maxNesting bounds a subtree: layers and groups as deep as they may be, at two levels each, with room for a screen.
const maxNesting = 2*maxDepth + MaxValueDepth

func (d *Document) move(o Operation) (done, *Refusal) {
	n, parent := d.nodes[o.Node], d.nodes[o.Parent]
	switch {
	case n == nil:
		return done{}, &Refusal{NodeRemoved, o.Node}
	case parent == nil:
		return done{}, &Refusal{NodeRemoved, o.Parent}
	case d.isFixed(n):
		return done{}, &Refusal{BadSlot, o.Node}
	case d.inside(o.Parent, o.Node):
		return done{}, &Refusal{Cycle, o.Node}
	}
	if code := d.checkPlace(parent, o.Slot, holdsOf(n), n); code != "" {
		return done{}, &Refusal{code, o.Parent}
	}
	if isItem(n.kind) && (n.parent != o.Parent || n.slot != o.Slot) {
		return done{}, &Refusal{BadSlot, o.Parent} // its id would be another one
	}
	if isLayer(n.kind) && d.layerDepth(parent)+height(n.object, n.kind) > maxDepth {
		return done{}, &Refusal{OverLimit, o.Node}
	}
	back := Operation{Op: Move, Node: n.id, Parent: n.parent, Slot: n.slot}
	back.After, back.Before = d.take(n)
	left, right, made := d.place(parent, o.Slot, n.object, o.After, o.Before)
	n.parent, n.slot = o.Parent, o.Slot
	o.After, o.Before = left, right
	inverse := []Operation{back}
	if made != nil {
		inverse = append(inverse, Operation{Op: Unset, Node: o.Parent, Path: made})
	}
	return done{o, inverse, nil}, nil
}

func (d *Document) remove(o Operation) (done, *Refusal) {
	n := d.nodes[o.Node]
	if n == nil {
		return done{}, &Refusal{NodeRemoved, o.Node}
	}
	if d.isFixed(n) {
		return done{}, &Refusal{BadSlot, o.Node}
	}
	back := Operation{Op: Insert, Parent: n.parent, Slot: n.slot, Subtree: n.object}
	back.After, back.Before = d.take(n)
	return done{o, []Operation{back}, d.forget(n, nil)}, nil
}

// isFixed reports whether a node can't leave its place: the flow, and the body of a screen.
func (d *Document) isFixed(n *node) bool { return n.id == FlowNode || n.slot == "body" }

func isItem(kind string) bool {
	k := shape.Read().Kinds[kind]
	return k != nil && k.Is == "item"
}
