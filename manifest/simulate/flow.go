package simulate

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/svc-dev/svc/manifest"
)

// WayKind says what a way out of a step is.
type WayKind string

// The kinds of ways, as the editor names them.
const (
	Next       WayKind = "next"       // of a screen, when it is submitted
	Button     WayKind = "button"     // jumps, or ends the flow
	Permission WayKind = "permission" // an outcome of a button that asks for a permission
	Option     WayKind = "option"     // of a choice
	Complete   WayKind = "complete"   // the end of a loader, an animation or a video
	Case       WayKind = "case"       // of a decision
	Else       WayKind = "else"
	Outcome    WayKind = "outcome" // of a surface
	Fallback   WayKind = "fallback"
)

// Way is one way out of a step.
type Way struct {
	From string // screen, surface or decision
	Kind WayKind
	// Node is the layer or the case that has the way, else the step. Key is the option or outcome, where one has several.
	Node, Key string
	To        string // empty for the end of the flow
}

// noNext is how a document writes the end where null would mean that nothing was chosen.
const noNext = "__onb_surface_no_next__"

// way is a compiled way.
type way struct {
	Way
	to     Name
	node   Name // of the layer, case or step that has it
	target int  // number of the node; end for the end of the flow
}

const end = -1

// node is a compiled step or decision.
type node struct {
	id     Name
	kind   NodeKind
	ways   []int       // of the flow
	screen *screen     // of a screen
	cases  []condition // of a decision; its ways are those of the cases and the else
	// Of a surface: the way by outcome. The last way is the fallback.
	outcomes map[Name]int
	names    [2]string // id, name
}

// NodeKind tells the nodes of a flow apart.
type NodeKind string

// The kinds of nodes.
const (
	ScreenNode   NodeKind = "screen"
	SurfaceNode  NodeKind = "surface"
	DecisionNode NodeKind = "decision"
)

// field is what a question is asked for.
type field struct {
	key     string
	name    Name
	kind    manifest.Kind // of the layer that asks first; "" for a permission
	options map[Name]bool // of a choice; nil when any text is an answer
}

// Flow is a compiled manifest: a draft, or the version that runs were made in.
type Flow struct {
	runs      *Runs
	entry     int // node; end when there is none
	nodes     []node
	ways      []way
	fields    []field
	questions []question
	nodeOf    map[Name]int
	fieldOf   map[string]int
	optionAt  map[Answer]int // number of an option by field and option
	reads     map[string]bool
}

// Compile compiles a manifest for a set of runs.
func Compile(m *manifest.Manifest, runs *Runs) *Flow {
	f := &Flow{
		runs: runs, nodeOf: map[Name]int{}, fieldOf: map[string]int{}, optionAt: map[Answer]int{},
		reads: map[string]bool{},
	}
	add := func(kind NodeKind, id, name string) {
		if _, known := f.nodeOf[runs.Name(id)]; !known {
			f.nodeOf[runs.Name(id)] = len(f.nodes)
			f.nodes = append(f.nodes, node{id: runs.Name(id), kind: kind, names: [2]string{id, name}})
		}
	}
	for _, screen := range m.Screens {
		add(ScreenNode, screen.ID, screen.Name)
	}
	for _, surface := range m.Surfaces {
		add(SurfaceNode, surface.ID, surface.Name)
	}
	for _, decision := range m.Decisions {
		add(DecisionNode, decision.ID, decision.Name)
	}
	for _, layer := range m.Layers() {
		f.declare(layer)
	}
	for _, screen := range m.Screens {
		n := &f.nodes[f.nodeOf[runs.Name(screen.ID)]]
		if n.screen == nil && n.kind == ScreenNode {
			n.screen = f.compileScreen(screen, n)
		}
	}
	for _, surface := range m.Surfaces {
		f.compileSurface(surface)
	}
	for _, decision := range m.Decisions {
		f.compileDecision(decision)
	}
	f.entry = f.target(&m.EntryID)
	return f
}

// declare notes the field of a layer, if it has one.
func (f *Flow) declare(l *manifest.Layer) {
	key, kind := l.FieldKey, l.Kind
	if l.Action != nil && l.Action.Kind == "request_os_permission" {
		key, kind = permission(l.Action.PermissionKey), ""
	} else if !l.Kind.HasField() {
		return
	}
	if _, known := f.fieldOf[key]; known {
		return
	}
	f.fieldOf[key] = len(f.fields)
	f.fields = append(f.fields, field{key, f.runs.Name(key), kind, f.optionsOf(l)})
}

func permission(key string) string { return "permission:" + key }

// optionsOf returns the options of a choice, or of a wheel that lists them; nil when a layer takes any text.
func (f *Flow) optionsOf(l *manifest.Layer) map[Name]bool {
	ids, limited := optionIDs(l)
	if !limited {
		return nil
	}
	options := make(map[Name]bool, len(ids))
	for _, id := range ids {
		options[f.runs.Name(id)] = true
	}
	return options
}

func optionIDs(l *manifest.Layer) (ids []string, limited bool) {
	switch l.Kind {
	case manifest.KindSingleChoice, manifest.KindMultipleChoice:
		for _, binding := range l.Bindings {
			ids = append(ids, binding.OptionID)
		}
		return ids, true
	case manifest.KindWheelPicker:
		for _, option := range l.Options {
			ids = append(ids, option.OptionID)
		}
		return ids, len(ids) > 0
	}
	return nil, false
}

// target returns the number of the node that a target names.
func (f *Flow) target(to *string) int {
	if to == nil || *to == noNext {
		return end
	}
	if at, ok := f.nodeOf[f.runs.Name(*to)]; ok {
		return at
	}
	return end // the SDKs end a run there
}

// addWay adds a way out of a node and returns its number.
func (f *Flow) addWay(n *node, kind WayKind, of, key string, to *string) int {
	w := way{
		Way: Way{From: n.names[0], Kind: kind, Node: of, Key: key}, node: f.runs.Name(of), target: f.target(to),
	}
	if w.target != end {
		w.to, w.To = f.nodes[w.target].id, *to
	}
	n.ways = append(n.ways, len(f.ways))
	f.ways = append(f.ways, w)
	return len(f.ways) - 1
}

func (f *Flow) compileSurface(s *manifest.Surface) {
	n := &f.nodes[f.nodeOf[f.runs.Name(s.ID)]]
	if n.kind != SurfaceNode || n.outcomes != nil {
		return
	}
	n.outcomes = map[Name]int{}
	for _, outcome := range slices.Sorted(maps.Keys(s.Outcomes)) {
		if to := s.Outcomes[outcome]; to != nil {
			n.outcomes[f.runs.Name(outcome)] = f.addWay(n, Outcome, s.ID, outcome, to)
		}
	}
	f.addWay(n, Fallback, s.ID, "", s.Fallback)
}

func (f *Flow) compileDecision(d *manifest.Decision) {
	n := &f.nodes[f.nodeOf[f.runs.Name(d.ID)]]
	if n.kind != DecisionNode || n.cases != nil {
		return
	}
	n.cases = []condition{}
	for _, one := range d.Cases {
		c := f.condition(one.Expression)
		c.key = f.runs.Name(keyOf(one.Expression))
		n.cases = append(n.cases, c)
		f.addWay(n, Case, one.ID, "", one.Next)
	}
	f.addWay(n, Else, d.ID, "", d.ElseNext)
}

// Reads returns the keys of the fields that conditions of a manifest look at.
func Reads(m *manifest.Manifest) map[string]bool { return Compile(m, NewRuns()).reads }

func (f *Flow) condition(e *manifest.Expression) condition {
	return compileCondition(e, func(key string) int {
		f.reads[key] = true
		if at, ok := f.fieldOf[key]; ok {
			return at
		}
		return -1
	})
}

// keyOf returns the JSON of an expression, written the same for the same expression.
func keyOf(e *manifest.Expression) string {
	raw, err := json.Marshal(e)
	var document any
	if err == nil {
		err = json.Unmarshal(raw, &document)
	}
	var b bytes.Buffer
	if err == nil {
		err = json.NewEncoder(&b).Encode(document) // it sorts the members of maps
	}
	if err != nil {
		return "" // of what was parsed as JSON before there is none
	}
	return "expression " + b.String()
}
