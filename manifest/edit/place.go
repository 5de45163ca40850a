package edit

import (
	"slices"
	"strings"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/shape"
)

// place puts an object into a slot, next to the anchor that stands there: after, else before, else last. It returns the
// neighbors that the object got, and the topmost member that it had to make (nil when the slot was there).
func (d *Document) place(
	parent *node, name string, object map[string]any, after, before *string,
) (left, right *string, made []string) {
	slot := slotsOf(parent.kind)[name]
	last := len(slot.Path) - 1
	holder := parent.object
	for i, member := range slot.Path[:last] {
		inner, ok := holder[member].(map[string]any)
		if !ok {
			inner = map[string]any{}
			holder[member] = inner
			if made == nil {
				made = slices.Clone(slot.Path[:i+1])
			}
		}
		holder = inner
	}
	member := slot.Path[last]
	if !slot.List {
		holder[member] = object
		return nil, nil, made
	}
	if _, ok := holder[member]; !ok && made == nil {
		made = slices.Clone(slot.Path)
	}
	list, _ := holder[member].([]any)
	at := len(list)
	if i := d.indexIn(list, parent, name, after); i >= 0 {
		at = i + 1
	} else if i := d.indexIn(list, parent, name, before); i >= 0 {
		at = i
	}
	list = slices.Insert(list, at, any(object))
	holder[member] = list
	left, right = d.neighbors(list, at, parent, name)
	return left, right, made
}

// indexIn finds an anchor in a slot's list; −1 when it does not stand there.
func (d *Document) indexIn(list []any, parent *node, name string, anchor *string) int {
	if anchor == nil {
		return -1
	}
	slot := slotsOf(parent.kind)[name]
	return slices.IndexFunc(list, func(v any) bool { return idOf(v.(map[string]any), parent.id, name, slot) == *anchor })
}

func (d *Document) neighbors(list []any, at int, parent *node, name string) (left, right *string) {
	slot := slotsOf(parent.kind)[name]
	id := func(i int) *string {
		if i < 0 || i >= len(list) {
			return nil
		}
		id := idOf(list[i].(map[string]any), parent.id, name, slot)
		return &id
	}
	return id(at - 1), id(at + 1)
}

// take takes a node out of its slot and returns the neighbors that it had.
func (d *Document) take(n *node) (left, right *string) {
	parent := d.nodes[n.parent]
	slot := slotsOf(parent.kind)[n.slot]
	last := len(slot.Path) - 1
	inner, _ := find(parent.object, slot.Path[:last])
	holder := inner.(map[string]any)
	if !slot.List {
		delete(holder, slot.Path[last])
		return nil, nil
	}
	list := holder[slot.Path[last]].([]any)
	at := d.indexIn(list, parent, n.slot, &n.id)
	left, right = d.neighbors(list, at, parent, n.slot)
	holder[slot.Path[last]] = slices.Delete(list, at, at+1)
	return left, right
}

// checkPlace says why a node of a kind may not stand in a slot; "" when it may. Kinds that only a valid manifest would
// refuse are let in: that is a problem to show, not a conflict.
func (d *Document) checkPlace(parent *node, name, holds string, moving *node) Code {
	slot := slotsOf(parent.kind)[name]
	if slot == nil || slot.Holds != holds {
		return BadSlot
	}
	if !slot.List {
		stays := moving != nil && moving.parent == parent.id && moving.slot == name
		if _, taken := find(parent.object, slot.Path); taken && !stays {
			return BadSlot
		}
	}
	return ""
}

// holdsOf returns what a slot must hold for a node to stand in it.
func holdsOf(n *node) string {
	if isLayer(n.kind) {
		return "layer"
	}
	return n.kind
}

// layerDepth counts the layers around a place inside parent.
func (d *Document) layerDepth(parent *node) int {
	depth := 0
	for n := parent; n != nil && isLayer(n.kind); n = d.nodes[n.parent] {
		depth++
	}
	return depth
}

// height counts the levels of layers of an object that is one.
func height(object map[string]any, kind string) int {
	deepest := 0
	for _, name := range slotNames(kind) {
		slot := slotsOf(kind)[name]
		if slot.Holds != "layer" {
			continue
		}
		for _, v := range nodesIn(object, slot) {
			child := v.(map[string]any)
			deepest = max(deepest, height(child, kindOf(child, slot)))
		}
	}
	if isLayer(kind) {
		deepest++
	}
	return deepest
}

// inside reports whether a node is, or stands inside, another.
func (d *Document) inside(id, other string) bool {
	for n := d.nodes[id]; n != nil; n = d.nodes[n.parent] {
		if n.id == other {
			return true
		}
	}
	return false
}

// checkSubtree checks that a subtree's nodes have ids that no other node has, and that its slots hold nodes. It counts
// the layers and screens.
func (d *Document) checkSubtree(
	object map[string]any, parent, name string, slot *shape.Slot, seen map[string]bool, layers, screens *int,
) (string, Code) {
	id, code := d.checkNew(object, parent, name, slot, seen)
	if code != "" {
		return id, code
	}
	kind := kindOf(object, slot)
	switch {
	case kind == "screen":
		*screens++
	case isLayer(kind):
		*layers++
	}
	for _, inner := range slotNames(kind) {
		slot := slotsOf(kind)[inner]
		if !slotIsSound(object, slot) {
			return id, BadShape
		}
		for _, v := range nodesIn(object, slot) {
			child, ok := v.(map[string]any)
			if !ok {
				return id, BadShape
			}
			if at, code := d.checkSubtree(child, id, inner, slot, seen, layers, screens); code != "" {
				return at, code
			}
		}
	}
	return id, ""
}

func (d *Document) checkNew(
	object map[string]any, parent, name string, slot *shape.Slot, seen map[string]bool,
) (string, Code) {
	key, _ := object[slot.Key].(string)
	id := idOf(object, parent, name, slot)
	if key == "" || len(key) > maxID || id == key && strings.Contains(key, "/") {
		return parent, BadShape
	}
	if d.nodes[id] != nil || seen[id] {
		return id, Exists
	}
	seen[id] = true
	return id, ""
}

// slotIsSound reports whether a slot's value, if any, is a list or an object as it must be.
func slotIsSound(object map[string]any, slot *shape.Slot) bool {
	v := any(object)
	for i, member := range slot.Path {
		inner, ok := v.(map[string]any)
		if !ok {
			return false
		}
		if v, ok = inner[member]; !ok {
			return true
		}
		if i == len(slot.Path)-1 && slot.List {
			_, ok := v.([]any)
			return ok
		}
	}
	_, ok := v.(map[string]any)
	return ok
}

// Limits of a document, those of a manifest.
const (
	maxScreens = manifest.MaxScreens
	maxLayers  = manifest.MaxLayers
	maxDepth   = manifest.MaxDepth
)
