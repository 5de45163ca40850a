package edit

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
)

// Between returns the step that makes one document of another, so that a whole draft that somebody saved, pushed or
// brought back is an edit among those of others. The members that the server writes are left as they are. It reports
// false when operations can't say the difference, such as another body of a screen under the same id; then the draft is
// replaced. It changes neither document.
func Between(before, after *Document) (steps []Step, ok bool) {
	b := between{working: index(clone(before.flow).(map[string]any)), before: before, after: after}
	if !b.removeGone() || !b.arrange(after.nodes[FlowNode]) || !b.removeRest() || !b.compareNodes() {
		return nil, false
	}
	if !sameDraft(b.working, after) {
		return nil, false
	}
	if len(b.operations) == 0 {
		return []Step{}, true
	}
	return []Step{{Operations: b.operations}}, true
}

// sameDraft compares two documents but for what the server writes.
func sameDraft(a, b *Document) bool {
	bare := func(d *Document) []byte {
		flow := maps.Clone(d.flow)
		for _, member := range stamped {
			delete(flow, member)
		}
		text, err := (&Document{flow: flow}).Canonical()
		if err != nil {
			return nil
		}
		return text
	}
	return bytes.Equal(bare(a), bare(b))
}

type between struct {
	working       *Document
	before, after *Document
	operations    []Operation
	kept          map[string]bool
}

func (b *between) do(o Operation) bool {
	done, refusal := b.working.applyOne(o)
	if refusal != nil {
		return false
	}
	b.operations = append(b.operations, done.operation)
	return true
}

// findKept lists the nodes that stay themselves: in both documents, of one kind, and not inside one that does not.
func (b *between) findKept() {
	b.kept = map[string]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		other := b.after.nodes[n.id]
		if other == nil {
			// What stood inside of a removed node may live on elsewhere.
			b.before.eachChild(n, walk)
			return
		}
		if other.kind != n.kind || n.kind == "" && n.object["kind"] != other.object["kind"] {
			return
		}
		b.kept[n.id] = true
		b.before.eachChild(n, walk)
	}
	walk(b.before.nodes[FlowNode])
}

// removeGone removes the nodes that are not kept and hold none that is.
func (b *between) removeGone() bool {
	b.findKept()
	return b.removeWhere(func(n *node) bool { return !b.holdsKept(n) })
}

// removeRest removes the nodes that are not kept, after what they held has moved out.
func (b *between) removeRest() bool {
	return b.removeWhere(func(n *node) bool { return b.after.nodes[n.id] == nil })
}

func (b *between) removeWhere(ok func(*node) bool) bool {
	var removed []string
	var walk func(n *node)
	walk = func(n *node) {
		if !b.kept[n.id] && ok(n) {
			removed = append(removed, n.id)
			return
		}
		b.working.eachChild(n, walk)
	}
	walk(b.working.nodes[FlowNode])
	for _, id := range removed {
		if !b.do(Operation{Op: Remove, Node: id}) {
			return false
		}
	}
	return true
}

func (b *between) holdsKept(n *node) bool {
	found := b.kept[n.id]
	b.working.eachChild(n, func(child *node) { found = found || b.holdsKept(child) })
	return found
}

// arrange puts the nodes inside a node into their places, parents first.
func (b *between) arrange(n *node) bool {
	good := true
	for _, name := range slotNames(n.kind) {
		var last *string
		for _, v := range nodesIn(n.object, slotsOf(n.kind)[name]) {
			object := v.(map[string]any)
			id := idOf(object, n.id, name, slotsOf(n.kind)[name])
			good = good && b.settle(b.after.nodes[id], last)
			last = &id
		}
	}
	b.after.eachChild(n, func(child *node) { good = good && b.arrange(b.after.nodes[child.id]) })
	return good
}

// settle makes sure that a node stands behind another in its slot.
func (b *between) settle(n *node, left *string) bool {
	now := b.working.nodes[n.id]
	if now == nil {
		return b.do(Operation{Op: Insert, Parent: n.parent, Slot: n.slot, After: left, Before: b.first(n, left),
			Subtree: b.prune(n)})
	}
	if now.parent == n.parent && now.slot == n.slot && b.follows(now, left) {
		return true
	}
	return b.do(Operation{Op: Move, Node: n.id, Parent: n.parent, Slot: n.slot, After: left, Before: b.first(n, left)})
}

// first names the node that now is first in a slot, for one that is to stand before all.
func (b *between) first(n *node, left *string) *string {
	if left != nil {
		return nil
	}
	parent := b.working.nodes[n.parent]
	list := nodesIn(parent.object, slotsOf(parent.kind)[n.slot])
	if len(list) == 0 {
		return nil
	}
	id := idOf(list[0].(map[string]any), parent.id, n.slot, slotsOf(parent.kind)[n.slot])
	return &id
}

// follows reports whether a node stands behind another, nodes that are to go left out.
func (b *between) follows(n *node, left *string) bool {
	parent := b.working.nodes[n.parent]
	slot := slotsOf(parent.kind)[n.slot]
	var previous *string
	for _, v := range nodesIn(parent.object, slot) {
		id := idOf(v.(map[string]any), parent.id, n.slot, slot)
		if id == n.id {
			break
		}
		if there := b.after.nodes[id]; there != nil && there.parent == n.parent && there.slot == n.slot {
			previous = &id
		}
	}
	return reflect.DeepEqual(previous, left)
}

// prune returns a new node's subtree without the nodes that the draft has already: those move in afterwards.
func (b *between) prune(n *node) map[string]any {
	subtree := clone(n.object).(map[string]any)
	b.pruneSlots(subtree, n.kind, n.id)
	return subtree
}

func (b *between) pruneSlots(object map[string]any, kind, id string) {
	for _, name := range slotNames(kind) {
		slot := slotsOf(kind)[name]
		inner, _ := find(object, slot.Path[:len(slot.Path)-1])
		holder, _ := inner.(map[string]any)
		member := slot.Path[len(slot.Path)-1]
		var kept []any
		for _, v := range nodesIn(object, slot) {
			child := v.(map[string]any)
			inside := idOf(child, id, name, slot)
			if b.working.Has(inside) {
				continue
			}
			b.pruneSlots(child, kindOf(child, slot), inside)
			kept = append(kept, child)
		}
		if list, ok := holder[member].([]any); ok && slot.List {
			holder[member] = append(list[:0:0], kept...)
			if kept == nil {
				holder[member] = []any{}
			}
		} else if !slot.List && kept == nil {
			delete(holder, member)
		}
	}
}

// compareNodes sets the properties that differ.
func (b *between) compareNodes() bool {
	good := true
	b.after.eachNode(b.after.nodes[FlowNode], func(n *node) {
		now := b.working.nodes[n.id]
		if now == nil {
			good = false
			return
		}
		good = good && b.compare(n, nil, now.object, n.object)
	})
	return good
}

func (b *between) compare(n *node, path []string, now, want map[string]any) bool {
	names := sortedNames(want)
	for name := range now {
		if _, ok := want[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		here := append(slices.Clone(path), name)
		if n.id == FlowNode && len(path) == 0 && slices.Contains(stamped, name) {
			continue
		}
		old, had := now[name]
		value, has := want[name]
		if isNodes(n, here) && had && has {
			continue
		}
		oldObject, ok1 := old.(map[string]any)
		newObject, ok2 := value.(map[string]any)
		switch {
		case had && has && ok1 && ok2:
			if !b.compare(n, here, oldObject, newObject) {
				return false
			}
		case !has:
			if !b.do(Operation{Op: Unset, Node: n.id, Path: here}) {
				return false
			}
		case !had || !reflect.DeepEqual(old, value):
			if !b.do(Operation{Op: Set, Node: n.id, Path: here, Value: value}) {
				return false
			}
		}
	}
	return true
}

// isNodes reports whether a path leads to a slot.
func isNodes(n *node, path []string) bool {
	for _, slot := range slotsOf(n.kind) {
		if slices.Equal(slot.Path, path) {
			return true
		}
	}
	return false
}
