package edit

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/shape"
)

// Document is a draft that operations change. It is not safe for use by several goroutines.
type Document struct {
	flow            map[string]any
	nodes           map[string]*node
	layers, screens int
}

// node is where a node stands. Its object is part of the flow and changes in place.
type node struct {
	id, kind     string // kind is a key of shape.Kinds, "" for a layer of an unknown kind
	object       map[string]any
	parent, slot string // "" for the flow
}

// Repair is what Open changed so that every node can be addressed.
type Repair struct {
	// Node is the node, by its new id, or the parent of what was dropped.
	Node string `json:"node"`
	// Slot is where something was dropped; "" for a new id.
	Slot string `json:"slot,omitempty"`
	// Was is the id before, "" when there was none that could be one.
	Was string `json:"was,omitempty"`
}

// Open reads a draft: it migrates older forms, gives nodes that have no id, or one that is taken, a new one, and drops
// what stands in the place of nodes and is none. A draft of equal bytes is repaired in the same way. It fails for what
// is no JSON object within the bounds of manifest.DecodeDraft.
func Open(draft []byte) (*Document, []Repair, error) {
	flow, problems := manifest.DecodeDraft(draft)
	if flow == nil {
		return nil, nil, fmt.Errorf("read the draft: %w", problems[0])
	}
	flow = withoutProto(flow).(map[string]any)
	r := repairer{taken: map[string]bool{FlowNode: true}, used: map[string]bool{FlowNode: true}}
	r.collect(flow, FlowNode)
	r.repair(flow, FlowNode, FlowNode)
	return index(flow), r.repairs, nil
}

// withoutProto drops the members that JavaScript would not keep.
func withoutProto(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "__proto__")
		for _, value := range v {
			withoutProto(value)
		}
	case []any:
		for _, value := range v {
			withoutProto(value)
		}
	}
	return v
}

// index makes the document of a flow whose nodes all have ids of their own.
func index(flow map[string]any) *Document {
	d := &Document{flow: flow, nodes: map[string]*node{FlowNode: {id: FlowNode, kind: FlowNode, object: flow}}}
	d.eachChild(d.nodes[FlowNode], d.add)
	return d
}

// add notes a node and all nodes inside it.
func (d *Document) add(n *node) {
	d.nodes[n.id] = n
	d.count(n, 1)
	d.eachChild(n, d.add)
}

// forget takes a node and all nodes inside it out of the index and lists their ids.
func (d *Document) forget(n *node, ids []string) []string {
	delete(d.nodes, n.id)
	d.count(n, -1)
	ids = append(ids, n.id)
	d.eachChild(n, func(child *node) { ids = d.forget(child, ids) })
	return ids
}

func (d *Document) count(n *node, by int) {
	switch {
	case n.kind == "screen":
		d.screens += by
	case isLayer(n.kind):
		d.layers += by
	}
}

func isLayer(kind string) bool {
	k := shape.Read().Kinds[kind]
	return k == nil || k.Is == "layer"
}

// slotsOf returns the slots of a kind; none for one that is unknown.
func slotsOf(kind string) map[string]*shape.Slot {
	if k := shape.Read().Kinds[kind]; k != nil {
		return k.Slots
	}
	return nil
}

// kindOf names the kind of a node in a slot.
func kindOf(object map[string]any, slot *shape.Slot) string {
	if slot.Holds != "layer" {
		return slot.Holds
	}
	kind, _ := object["kind"].(string)
	if k := shape.Read().Kinds[kind]; k == nil || k.Is != "layer" {
		return ""
	}
	return kind
}

// idOf returns the id of an object in a slot: its own, or that of an item.
func idOf(object map[string]any, parent, name string, slot *shape.Slot) string {
	key, _ := object[slot.Key].(string)
	if shape.Read().Kinds[slot.Holds] != nil && shape.Read().Kinds[slot.Holds].Is == "item" {
		return parent + "/" + name + "/" + key
	}
	return key
}

// nodesIn lists the objects of a slot.
func nodesIn(object map[string]any, slot *shape.Slot) []any {
	v, ok := find(object, slot.Path)
	if !ok {
		return nil
	}
	if slot.List {
		list, _ := v.([]any)
		return list
	}
	return []any{v}
}

// eachChild calls fn with the nodes in the slots of a node. Their order is that of the slots' names, then their own.
func (d *Document) eachChild(n *node, fn func(*node)) {
	slots := slotsOf(n.kind)
	for _, name := range slotNames(n.kind) {
		slot := slots[name]
		for _, v := range nodesIn(n.object, slot) {
			object := v.(map[string]any)
			fn(&node{idOf(object, n.id, name, slot), kindOf(object, slot), object, n.id, name})
		}
	}
}

// Has reports whether the document has a node.
func (d *Document) Has(id string) bool { return d.nodes[id] != nil }

// Layers counts the layers of all screens.
func (d *Document) Layers() int { return d.layers }

// HasScreens reports whether the flow has a screen.
func (d *Document) HasScreens() bool {
	screens, _ := d.flow["screens"].([]any)
	return len(screens) > 0
}

// TakesChildren reports whether the document has a layer that holds a list of layers as its children.
func (d *Document) TakesChildren(id string) bool {
	n := d.nodes[id]
	if n == nil || !isLayer(n.kind) {
		return false
	}
	slot := slotsOf(n.kind)["children"]
	return slot != nil && slot.List && slot.Holds == "layer"
}

// Canonical returns the document's canonical JSON.
func (d *Document) Canonical() ([]byte, error) { return manifest.Canonical(d.flow) }

// Stamp writes what the server alone may write of a document: whose draft it is, and the number of the version.
func (d *Document) Stamp(flowID string, version int) {
	d.flow["flowId"], d.flow["version"] = flowID, float64(version)
}

// Parent returns the node and the slot that a node stands in; both are "" for the flow and for what is not there.
func (d *Document) Parent(id string) (parent, slot string) {
	if n := d.nodes[id]; n != nil {
		return n.parent, n.slot
	}
	return "", ""
}

// Label names a node for people: the name that authors gave it, else the beginning of its text, else its kind.
func (d *Document) Label(id string) string {
	n := d.nodes[id]
	if n == nil {
		return ""
	}
	if n.id == FlowNode {
		return "the flow"
	}
	if name, _ := n.object["name"].(string); name != "" {
		return "“" + name + "”"
	}
	if text := firstText(n.object); text != "" {
		return "“" + text + "”"
	}
	kind := n.kind
	if kind == "" {
		kind = "layer"
	}
	return strings.ReplaceAll(inWords(kind), "_", " ")
}

// firstText returns the first words of a layer's own text, or of the text inside a button.
func firstText(object map[string]any) string {
	for _, member := range []string{"text", "label", "placeholder"} {
		if text, ok := find(object[member], []string{"default"}); ok {
			if s, _ := text.(string); s != "" {
				return clip(templates.ReplaceAllStringFunc(s, templateInWords), 40)
			}
		}
	}
	if children, _ := object["children"].([]any); len(children) > 0 && object["kind"] == "button" {
		if child, ok := children[0].(map[string]any); ok {
			return firstText(child)
		}
	}
	return ""
}

// templates finds the values that a text shows, as `{{ first_name | default: "you" }}`, with their keys.
var templates = regexp.MustCompile(`\{\{[ \t]*(?:custom\.)?([a-z][a-z0-9_]*)[^{}]*\}\}`)

// templateInWords writes a value that a text shows by its key: {First name}.
func templateInWords(s string) string {
	key := strings.ReplaceAll(templates.FindStringSubmatch(s)[1], "_", " ")
	return "{" + strings.ToUpper(key[:1]) + key[1:] + "}"
}

func clip(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return strings.TrimSpace(string(runes[:n])) + "…"
}
