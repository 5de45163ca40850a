package manifest

// collection answers which fields a run has certainly been asked for.
type collection struct {
	graph    graph
	declared map[string][]*placedLayer
	// without caches, by field key, the nodes that a run can reach without
	// passing a screen that asks for the field.
	without map[string]map[string]bool
}

func newCollection(m *Manifest) *collection {
	return &collection{graph: m.graph(), declared: m.declarations(), without: map[string]map[string]bool{}}
}

// before reports whether every way from the entry to a node asks for the field
// first. An input inside a conditional layer may stay hidden, so it does not
// count. A node that no run reaches has nothing to miss.
func (c *collection) before(key, node string) bool {
	reached, ok := c.without[key]
	if !ok {
		asking := map[string]bool{}
		for _, p := range c.declared[key] {
			if !p.within(func(k Kind) bool { return k == KindConditional }) {
				asking[p.screen.ID] = true
			}
		}
		reached = c.graph.reachable(asking)
		c.without[key] = reached
	}
	return !reached[node]
}
