package edit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/svc-dev/svc/manifest/shape"
)

// slotNames lists the names of a kind's slots, sorted.
func slotNames(kind string) []string { return sortedSlots()[kind] }

var sortedSlots = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for name, kind := range shape.Read().Kinds {
		out[name] = slices.Sorted(maps.Keys(kind.Slots))
	}
	return out
})

// repairer makes every node of a flow addressable.
type repairer struct {
	used    map[string]bool // ids anywhere in the draft, so that a new one is none of them
	taken   map[string]bool // ids of the nodes so far
	repairs []Repair
}

// collect notes every id in a flow. Broken parts are left out: no node can be in them.
func (r *repairer) collect(object map[string]any, kind string) {
	for _, name := range slotNames(kind) {
		slot := slotsOf(kind)[name]
		for _, v := range nodesIn(object, slot) {
			if child, ok := v.(map[string]any); ok {
				if id, _ := child[slot.Key].(string); id != "" {
					r.used[id] = true
				}
				r.collect(child, kindOf(child, slot))
			}
		}
	}
}

func (r *repairer) repair(object map[string]any, kind, id string) {
	for _, name := range slotNames(kind) {
		slot := slotsOf(kind)[name]
		r.keepNodes(object, name, slot, id)
		for _, v := range nodesIn(object, slot) {
			child := v.(map[string]any)
			r.identify(child, id, name, slot)
			r.repair(child, kindOf(child, slot), idOf(child, id, name, slot))
		}
	}
}

// keepNodes drops what stands in a slot and is no node.
func (r *repairer) keepNodes(object map[string]any, name string, slot *shape.Slot, id string) {
	holder := any(object)
	last := len(slot.Path) - 1
	for _, member := range slot.Path[:last] {
		parent := holder.(map[string]any)
		inner, there := parent[member]
		if !there {
			return
		}
		if _, ok := inner.(map[string]any); !ok {
			delete(parent, member)
			r.repairs = append(r.repairs, Repair{Node: id, Slot: name})
			return
		}
		holder = inner
	}
	parent, member := holder.(map[string]any), slot.Path[last]
	v, there := parent[member]
	if !there {
		return
	}
	if !slot.List {
		if _, ok := v.(map[string]any); !ok {
			delete(parent, member)
			r.repairs = append(r.repairs, Repair{Node: id, Slot: name})
		}
		return
	}
	list, ok := v.([]any)
	if !ok {
		delete(parent, member)
		r.repairs = append(r.repairs, Repair{Node: id, Slot: name})
		return
	}
	kept := make([]any, 0, len(list))
	for _, element := range list {
		if _, ok := element.(map[string]any); ok {
			kept = append(kept, element)
		} else {
			r.repairs = append(r.repairs, Repair{Node: id, Slot: name})
		}
	}
	parent[member] = kept
}

// identify gives a node an id of its own.
func (r *repairer) identify(object map[string]any, parent, name string, slot *shape.Slot) {
	was, _ := object[slot.Key].(string)
	id := idOf(object, parent, name, slot)
	item := id != was
	if was != "" && len(was) <= maxID && !r.taken[id] && (item || !strings.Contains(was, "/")) {
		r.taken[id] = true
		return
	}
	for n := 1; ; n++ {
		key := fmt.Sprintf("%sfixed_%d", prefixes[slot.Holds], n)
		if r.used[key] {
			continue
		}
		r.used[key] = true
		object[slot.Key] = key
		break
	}
	id = idOf(object, parent, name, slot)
	r.taken[id] = true
	r.repairs = append(r.repairs, Repair{Node: id, Was: was})
}

// maxID is the length of the longest id in bytes; valid ones are shorter.
const maxID = 256

var prefixes = map[string]string{"layer": "lyr_", "screen": "scr_", "decision": "dec_", "surface": "surf_"}
