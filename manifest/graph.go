package manifest

import (
	"maps"
	"slices"
)

// noNext is the explicit end of a flow. The format's first runtime honored it
// on surfaces only; here it is the end everywhere (manifest.md §1.2).
const noNext = "__onb_surface_no_next__"

// edge is one way from a node of the flow's graph.
type edge struct {
	from    string
	to      string // "" when it names no node
	pointer string
	// ends: following the edge completes the flow (manifest.md §12.1).
	ends bool
	// screenOnly: the target has to be a screen.
	screenOnly bool
	// idle: the edge is written down but switched off.
	idle bool
	// background: set by a screen's background video, whose target is checked
	// when publishing only (manifest.md §11.5).
	background bool
}

// edges lists every way through the graph, in document order.
func (m *Manifest) edges() []edge {
	var out []edge
	for i, screen := range m.Screens {
		out = append(out, m.screenEdges(screen, at("/screens", i))...)
	}
	for i, d := range m.Decisions {
		pointer := at("/decisionNodes", i)
		for j, c := range d.Cases {
			out = append(out, flowEdge(d.ID, c.Next, at(pointer, "cases", j, "next"), false))
		}
		out = append(out, flowEdge(d.ID, d.ElseNext, at(pointer, "elseNext"), false))
	}
	for i, s := range m.Surfaces {
		pointer := at("/externalSurfaceNodes", i)
		for _, outcome := range slices.Sorted(maps.Keys(s.Outcomes)) {
			out = append(out, flowEdge(s.ID, s.Outcomes[outcome], at(pointer, "outcomes", outcome), false))
		}
		out = append(out, flowEdge(s.ID, s.Fallback, at(pointer, "fallback"), false))
	}
	return out
}

// flowEdge returns an edge to a FlowTarget; nullEnds tells whether null completes
// the flow here.
func flowEdge(from string, target *string, pointer string, nullEnds bool) edge {
	e := edge{from: from, pointer: pointer}
	switch {
	case target == nil:
		e.ends = nullEnds
	case *target == noNext:
		e.ends = true
	default:
		e.to = *target
	}
	return e
}

func (m *Manifest) screenEdges(screen *Screen, pointer string) []edge {
	out := []edge{flowEdge(screen.ID, screen.Next.Default, at(pointer, "next", "default"), true)}
	for _, p := range m.layersOf[screen] {
		out = append(out, layerEdges(p)...)
	}
	fill := func(f *BackgroundFill, pointer string) {
		if f != nil && f.OnComplete != nil && f.OnComplete.Mode == "screen" {
			out = append(
				out,
				edge{from: screen.ID, to: f.OnComplete.ScreenID, pointer: at(pointer, "onComplete", "screenId"), background: true},
			)
		}
	}
	fill(screen.ContainerStyle.BackgroundFill, at(pointer, "containerStyle", "backgroundFill"))
	for _, name := range breakpoints {
		if patch := screen.ContainerStyleBreakpoints[name]; patch != nil {
			fill(patch.BackgroundFillPatch, at(pointer, "containerStyleBreakpoints", name, "backgroundFillPatch"))
		}
	}
	return out
}

func layerEdges(p *placedLayer) []edge {
	var out []edge
	add := func(to, pointer string) {
		out = append(out, edge{from: p.screen.ID, to: to, pointer: pointer})
	}
	if p.OnComplete != nil && p.OnComplete.Mode == "screen" {
		add(p.OnComplete.ScreenID, at(p.pointer, "onComplete", "screenId"))
	}
	if p.Kind.isChoice() {
		for i, c := range p.Branching.Conditions {
			add(c.GoTo, at(p.pointer, "branching", "conditions", i, "goTo"))
			out[len(out)-1].idle = !p.Branching.Enabled
		}
	}
	if p.Kind == KindBackButton && p.FallbackScreenID != "" {
		add(p.FallbackScreenID, at(p.pointer, "fallbackScreenId"))
		out[len(out)-1].screenOnly = true
	}
	if p.Action == nil {
		return out
	}
	action := at(p.pointer, "action")
	switch p.Action.Kind {
	case "end_flow":
		out = append(out, edge{from: p.screen.ID, pointer: action, ends: true})
	case "go_to_step":
		add(p.Action.ScreenID, at(action, "screenId"))
	case "go_back_one_screen":
		if p.Action.FallbackScreenID != "" {
			add(p.Action.FallbackScreenID, at(action, "fallbackScreenId"))
			out[len(out)-1].screenOnly = true
		}
	case "request_os_permission":
		for _, outcome := range slices.Sorted(maps.Keys(p.Action.Outcomes)) {
			pointer := at(action, "outcomes", outcome)
			switch to := p.Action.Outcomes[outcome]; to {
			case "continue": // next.default, which has its own edge
			case "end":
				out = append(out, edge{from: p.screen.ID, pointer: pointer, ends: true})
			default:
				add(to, pointer)
			}
		}
	}
	return out
}

// graph is the flow's graph for walking.
type graph struct {
	entry string
	next  map[string][]string
	ends  map[string]bool // nodes with an edge that completes the flow
}

func (m *Manifest) graph() graph {
	g := graph{entry: m.EntryID, next: map[string][]string{}, ends: map[string]bool{}}
	for _, e := range m.edges() {
		switch {
		case e.idle:
		case e.ends:
			g.ends[e.from] = true
		case e.to != "":
			g.next[e.from] = append(g.next[e.from], e.to)
		}
	}
	return g
}

// reachable returns the nodes that a run can get to from the entry without
// passing one of the nodes that avoid holds.
func (g graph) reachable(avoid map[string]bool) map[string]bool {
	seen := map[string]bool{}
	todo := []string{g.entry}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if id == "" || seen[id] || avoid[id] {
			continue
		}
		seen[id] = true
		todo = append(todo, g.next[id]...)
	}
	return seen
}
