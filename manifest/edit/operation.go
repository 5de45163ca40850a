// Package edit changes a draft by operations: the one language in which the editor, the terminal and programs change a
// flow. Nodes are addressed by id, never by index, so that an operation means the same after what others did. The
// package does no I/O; dashboard/src/editor/document is its twin, and testdata/vectors.json holds both to the same
// bytes.
package edit

import (
	"encoding/json"
	"fmt"
)

// FlowNode is the id of the document itself as a node.
const FlowNode = "flow"

// Op is what an operation does.
type Op string

// The operations.
const (
	Set    Op = "set"
	Unset  Op = "unset"
	Insert Op = "insert"
	Move   Op = "move"
	Remove Op = "remove"
	Rename Op = "rename"
)

// What a rename renames.
const (
	FieldKey     = "field"
	OptionKey    = "option"
	AttributeKey = "attribute"
)

// Operation changes one node, or one key everywhere. The fields that Op does not use are zero.
type Operation struct {
	Op   Op
	Node string // all but insert and rename

	Path  []string // set, unset: of members, inside the node
	Value any      // set

	Parent, Slot  string         // insert, move
	After, Before *string        // insert, move: the neighbors to be; the first that stands in the slot counts
	Subtree       map[string]any // insert

	Key, Owner, From, To string // rename; Owner is the layer whose option it is
}

// Step is a named change that is applied whole or not at all, such as an option: it is a child and a binding.
type Step struct {
	Name       string      `json:"name"`
	Operations []Operation `json:"operations"`
}

// Applied is a step as it was applied: its anchors are the neighbors that were found. Inverse undoes it.
type Applied struct {
	Step    Step        `json:"step"`
	Inverse []Operation `json:"inverse"`
	// Removed are the ids of the nodes that are not there any more.
	Removed []string `json:"-"`
}

// Code is why a step was refused.
type Code string

// The codes.
const (
	NodeRemoved Code = "node_removed" // no such node, or no such key to rename
	Cycle       Code = "cycle"        // a move into the node itself
	Exists      Code = "exists"       // the id or the key is in use
	BadSlot     Code = "slot"         // the parent has no such slot, or it does not take or give up the node
	BadShape    Code = "shape"        // the path or the value is not one that the node can have
	OverLimit   Code = "limit"        // too many, or too deep
)

// Refusal says why a step was not applied, and at which node. Nothing has changed.
type Refusal struct {
	Code Code   `json:"code"`
	Node string `json:"node"`
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Code, r.Node) }

// MarshalJSON writes the members that the operation has, and no others.
func (o Operation) MarshalJSON() ([]byte, error) {
	out := map[string]any{"op": o.Op}
	switch o.Op {
	case Set:
		out["node"], out["path"], out["value"] = o.Node, o.Path, o.Value
	case Unset:
		out["node"], out["path"] = o.Node, o.Path
	case Insert:
		out["subtree"] = o.Subtree
	case Move, Remove:
		out["node"] = o.Node
	case Rename:
		out["key"], out["from"], out["to"] = o.Key, o.From, o.To
		if o.Owner != "" {
			out["owner"] = o.Owner
		}
	}
	if o.Op == Insert || o.Op == Move {
		out["parent"], out["slot"], out["after"], out["before"] = o.Parent, o.Slot, o.After, o.Before
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads an operation. The members that its op needs must be there, and no others may.
func (o *Operation) UnmarshalJSON(raw []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	*o = Operation{}
	fields := map[string]any{
		"op": &o.Op, "node": &o.Node, "path": &o.Path, "value": &o.Value, "parent": &o.Parent, "slot": &o.Slot,
		"after": &o.After, "before": &o.Before, "subtree": &o.Subtree,
		"key": &o.Key, "owner": &o.Owner, "from": &o.From, "to": &o.To,
	}
	for name, value := range members {
		target, known := fields[name]
		if !known {
			return fmt.Errorf("an operation has no member %q", name)
		}
		if err := json.Unmarshal(value, target); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	needed, known := needs[o.Op]
	if !known {
		return fmt.Errorf("op: there is no operation %q", string(o.Op))
	}
	for _, name := range needed {
		if _, ok := members[name]; !ok {
			return fmt.Errorf("%s: %s needs it", name, o.Op)
		}
	}
	for name := range members {
		if name != "op" && !contains(needed, name) && !contains(takes[o.Op], name) {
			return fmt.Errorf("%s: %s does not take it", name, o.Op)
		}
	}
	return nil
}

var (
	needs = map[Op][]string{
		Set: {"node", "path", "value"}, Unset: {"node", "path"}, Insert: {"parent", "slot", "subtree"},
		Move: {"node", "parent", "slot"}, Remove: {"node"}, Rename: {"key", "from", "to"},
	}
	takes = map[Op][]string{Insert: {"after", "before"}, Move: {"after", "before"}, Rename: {"owner"}}
)

func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}
