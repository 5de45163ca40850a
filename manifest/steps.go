package manifest

// StepKind tells the two kinds of steps of a run apart.
type StepKind string

// The kinds of steps. Decisions are no steps: nobody sees them.
const (
	StepScreen  StepKind = "screen"
	StepSurface StepKind = "surface"
)

// Step is a node of the flow that people see.
type Step struct {
	ID   string
	Name string
	Kind StepKind
}

// Steps returns the screens and surfaces in the order in which a run may come to them: depth-first from the entry, the
// ways out of a node in document order, of a decision its cases before its else. Those that no run can come to follow,
// in document order.
func (m *Manifest) Steps() []Step {
	steps := map[string]Step{}
	var ids []string
	add := func(s Step) {
		if _, known := steps[s.ID]; !known {
			steps[s.ID] = s
			ids = append(ids, s.ID)
		}
	}
	for _, screen := range m.Screens {
		add(Step{screen.ID, screen.Name, StepScreen})
	}
	for _, surface := range m.Surfaces {
		add(Step{surface.ID, surface.Name, StepSurface})
	}
	out := make([]Step, 0, len(ids))
	g, seen := m.graph(), map[string]bool{}
	// A flow may be a long line of screens, so the nodes to go to are a list and no recursion.
	todo := []string{m.EntryID}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		if step, ok := steps[id]; ok {
			out = append(out, step)
		}
		for i := len(g.next[id]) - 1; i >= 0; i-- {
			todo = append(todo, g.next[id][i])
		}
	}
	for _, id := range ids {
		if !seen[id] {
			out = append(out, steps[id])
		}
	}
	return out
}
