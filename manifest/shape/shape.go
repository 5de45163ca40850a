// Package shape says how the parts of a manifest fit together, for programs that edit one: which kinds of node there
// are, which nodes stand inside them and under what key, which properties each kind has, and which members name other
// nodes. It is generated from the manifest's JSON Schema and read by Go and by the dashboard.
package shape

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

//go:generate go run ./generate

//go:embed shape.json
var shapeJSON []byte

// Shape is what shape.json says.
type Shape struct {
	// Kinds are flow, screen, decision, surface, the 31 kinds of layer, and the kinds of list item.
	Kinds map[string]*Kind `json:"kinds"`
	// References are the members whose value, or whose elements, are ids of other nodes.
	References []string `json:"references"`
	// Types are the definitions of the JSON Schema that properties refer to.
	Types map[string]json.RawMessage `json:"types"`
}

// Kind describes the nodes of one kind.
type Kind struct {
	// Is is flow, screen, decision, surface, layer or item.
	Is string `json:"is"`
	// Slots are the places for other nodes, by name.
	Slots map[string]*Slot `json:"slots,omitempty"`
	// Properties are the JSON Schemas of the members that are not slots, nor the node's key or kind.
	Properties map[string]json.RawMessage `json:"properties,omitempty"`
	// Required are the names of the properties that a valid node has.
	Required []string `json:"required,omitempty"`
	// Variants are further properties by the value of the member that VariantBy names.
	VariantBy string           `json:"variantBy,omitempty"`
	Variants  map[string]*Kind `json:"variants,omitempty"`
}

// Slot is a place for nodes inside a node.
type Slot struct {
	// Path leads from the node to the slot's value.
	Path []string `json:"path"`
	// List tells an array of nodes from a single one.
	List bool `json:"list"`
	// Holds is layer, screen, decision, surface, or the kind of the items.
	Holds string `json:"holds"`
	// Key is the member that tells the nodes of the slot apart.
	Key string `json:"key"`
	// Kinds are the kinds of layer that a valid manifest has here; empty means all.
	Kinds []string `json:"kinds,omitempty"`
	// Required says that a valid node has the slot; Min is the least number of nodes in it.
	Required bool `json:"required,omitempty"`
	Min      int  `json:"min,omitempty"`
}

// Read returns the shape of the manifest that this program knows. Callers share it and must not change it.
var Read = sync.OnceValue(func() *Shape {
	var s Shape
	if err := json.Unmarshal(shapeJSON, &s); err != nil {
		panic(fmt.Errorf("read shape.json: %w", err))
	}
	return &s
})

// JSON returns shape.json.
func JSON() []byte { return append([]byte(nil), shapeJSON...) }
