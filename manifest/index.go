package manifest

import (
	"iter"
	"strings"
)

// placedLayer is a layer with its place in the document.
type placedLayer struct {
	*Layer
	screen   *Screen
	parent   *placedLayer // nil for the root of a region
	children []*placedLayer
	pointer  string
	order    int // position in document order: header, body, footer, parents first
	depth    int // 1 for the root of a region
}

// within reports whether one of the layers above p is of a kind that ok accepts.
func (p *placedLayer) within(ok func(Kind) bool) bool {
	for up := p.parent; up != nil; up = up.parent {
		if ok(up.Kind) {
			return true
		}
	}
	return false
}

// index lists the layers and looks up ids. A later duplicate of an id does not
// replace the first.
func (m *Manifest) index() {
	m.layersByID = map[string]*placedLayer{}
	m.layersOf = map[*Screen][]*placedLayer{}
	m.nodes = map[string]string{}
	note := func(id, pointer string) {
		if _, ok := m.nodes[id]; !ok {
			m.nodes[id] = pointer
		}
	}
	for i, screen := range m.Screens {
		note(screen.ID, at("/screens", i))
		first := len(m.layers)
		regions := at("/screens", i, "regions")
		m.place(screen, nil, screen.Regions.Header, at(regions, "header"))
		m.place(screen, nil, screen.Regions.Body, at(regions, "body"))
		m.place(screen, nil, screen.Regions.Footer, at(regions, "footer"))
		m.layersOf[screen] = m.layers[first:len(m.layers):len(m.layers)]
	}
	for i, decision := range m.Decisions {
		note(decision.ID, at("/decisionNodes", i))
	}
	for i, surface := range m.Surfaces {
		note(surface.ID, at("/externalSurfaceNodes", i))
	}
}

func (m *Manifest) place(screen *Screen, parent *placedLayer, layer *Layer, pointer string) {
	if layer == nil {
		return
	}
	p := &placedLayer{Layer: layer, screen: screen, parent: parent, pointer: pointer, order: len(m.layers), depth: 1}
	if parent != nil {
		p.depth = parent.depth + 1
		parent.children = append(parent.children, p)
	}
	m.layers = append(m.layers, p)
	if _, ok := m.layersByID[layer.ID]; !ok {
		m.layersByID[layer.ID] = p
	}
	for i, child := range layer.Children {
		m.place(screen, p, child, at(pointer, "children", i))
	}
	for i, slide := range layer.Slides {
		m.place(screen, p, slide, at(pointer, "slides", i))
	}
}

// Layers yields every layer with its screen, in document order: header, body,
// footer, and a layer before those inside it.
func (m *Manifest) Layers() iter.Seq2[*Screen, *Layer] {
	return func(yield func(*Screen, *Layer) bool) {
		for _, p := range m.layers {
			if !yield(p.screen, p.Layer) {
				return
			}
		}
	}
}

func (m *Manifest) isScreen(id string) bool { return strings.HasPrefix(m.nodes[id], "/screens/") }
func (m *Manifest) isDecision(id string) bool {
	return strings.HasPrefix(m.nodes[id], "/decisionNodes/")
}

// Screen returns the screen with an id, nil when there is none.
func (m *Manifest) Screen(id string) *Screen {
	for _, screen := range m.Screens {
		if screen.ID == id {
			return screen
		}
	}
	return nil
}
