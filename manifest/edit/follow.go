package edit

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Follow gives the keys in steps the names that they have after renames which their author did not know of, so that a
// condition that was written offline is about the field that was meant. The document is the one after the renames.
func (d *Document) Follow(steps []Step, renames []Operation) []Step {
	if len(renames) == 0 {
		return steps
	}
	renames = slices.Clone(renames)
	// Fields first: options are found by the key that their field has now.
	slices.SortStableFunc(renames, func(a, b Operation) int {
		return cmp.Compare(min(1, len(a.Owner)), min(1, len(b.Owner)))
	})
	out := make([]Step, len(steps))
	for i, step := range steps {
		out[i] = Step{step.Name, slices.Clone(step.Operations)}
		for j := range out[i].Operations {
			for _, rename := range renames {
				d.followOne(&out[i].Operations[j], rename)
			}
		}
	}
	return out
}

func (d *Document) followOne(o *Operation, rename Operation) {
	if o.Op == Rename {
		if o.Key == rename.Key && o.Owner == rename.Owner && o.From == rename.From {
			o.From = rename.To
		}
		return
	}
	write := func(key string, _ bool) string {
		if key == rename.From {
			return rename.To
		}
		return key
	}
	owner := cmp.Or(rename.Owner, FlowNode)
	if rename.Key == OptionKey {
		d.followItems(o, rename)
	}
	var own map[string]any
	switch o.Op {
	case Set:
		whole := d.around(o)
		if o.Node == owner {
			own = whole
		}
		if uses := d.usesIn(whole, own, rename); uses != nil {
			uses(write)
		}
		o.Value, _ = find(whole, o.Path)
	case Insert:
		o.Subtree = clone(o.Subtree).(map[string]any)
		if o.Parent == owner {
			own = d.inSlot(o)
		}
		if uses := d.usesIn(o.Subtree, own, rename); uses != nil {
			uses(write)
		}
	}
}

// around returns a copy of the node that an operation sets a property of, with the property and without its slots: what
// a key means depends on what stands beside it.
func (d *Document) around(o *Operation) map[string]any {
	whole := map[string]any{}
	if n := d.nodes[o.Node]; n != nil && len(o.Path) > 0 {
		whole = maps.Clone(n.object)
		for _, slot := range slotsOf(n.kind) {
			if slot.Path[0] != o.Path[0] {
				delete(whole, slot.Path[0])
			}
		}
		whole = clone(whole).(map[string]any)
	}
	holder := whole
	for i, member := range o.Path {
		if i == len(o.Path)-1 {
			holder[member] = clone(o.Value)
			break
		}
		inner, ok := holder[member].(map[string]any)
		if !ok {
			inner = map[string]any{}
			holder[member] = inner
		}
		holder = inner
	}
	return whole
}

// inSlot returns an object of nothing but the subtree that an operation inserts, in its slot.
func (d *Document) inSlot(o *Operation) map[string]any {
	parent := d.nodes[o.Parent]
	slot := slotsOf(parent.kind)[o.Slot]
	if slot == nil || !slot.List {
		return nil
	}
	return nest([]any{o.Subtree}, slot.Path).(map[string]any)
}

// followItems renames the options in the ids that an operation names.
func (d *Document) followItems(o *Operation, rename Operation) {
	owner := d.nodes[rename.Owner]
	if owner == nil {
		return
	}
	rewrite := func(id string) string {
		for _, name := range slotNames(owner.kind) {
			item := owner.id + "/" + name + "/" + rename.From
			if isOption(slotsOf(owner.kind)[name].Holds) && (id == item || strings.HasPrefix(id, item+"/")) {
				return owner.id + "/" + name + "/" + rename.To + id[len(item):]
			}
		}
		return id
	}
	o.Node, o.Parent = rewrite(o.Node), rewrite(o.Parent)
	for _, anchor := range []**string{&o.After, &o.Before} {
		if *anchor != nil {
			id := rewrite(**anchor)
			*anchor = &id
		}
	}
}
