package flow

import (
	"cmp"
	"slices"

	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest"
)

// Graph is what a report needs of one version of a flow: its steps in the order of flow-analytics.md §4, and the cases
// of its decisions.
type Graph struct {
	Version   session.Key
	Steps     []GraphStep
	Decisions []GraphDecision
}

// GraphStep is a screen or a surface.
type GraphStep struct {
	ID   string
	Name string
	Kind manifest.StepKind
}

// GraphDecision is a decision with the ids of its cases, the else branch apart.
type GraphDecision struct {
	ID    string
	Cases []string
}

// NewGraph returns the graph of a version.
func NewGraph(version session.Key, m *manifest.Manifest) Graph {
	g := Graph{Version: version}
	for _, step := range m.Steps() {
		g.Steps = append(g.Steps, GraphStep{step.ID, step.Name, step.Kind})
	}
	for _, decision := range m.Decisions {
		d := GraphDecision{ID: decision.ID}
		for _, one := range decision.Cases {
			d.Cases = append(d.Cases, one.ID)
		}
		g.Decisions = append(g.Decisions, d)
	}
	return g
}

// blend returns the steps of several versions in the order of their mean position in the versions that have them,
// weighted by the runs of each version, ties by id. A step that only versions without runs have stands where those
// have it on average. Name and kind are those of the version with most runs, of several the first.
func blend(graphs []Graph, runs map[session.Key]int64) []GraphStep {
	type place struct {
		step             GraphStep
		most             int64 // runs of the version that the name is from
		weight, weighted int64
		versions, summed int64
		position         float64
	}
	places := map[string]*place{}
	var order []*place
	for _, g := range graphs {
		n := runs[g.Version]
		for position, step := range g.Steps {
			p := places[step.ID]
			if p == nil {
				p = &place{step: step, most: n}
				places[step.ID] = p
				order = append(order, p)
			}
			if n > p.most {
				p.step, p.most = step, n
			}
			p.weight, p.weighted = p.weight+n, p.weighted+n*int64(position)
			p.versions, p.summed = p.versions+1, p.summed+int64(position)
		}
	}
	for _, p := range order {
		if p.weight == 0 {
			p.weight, p.weighted = p.versions, p.summed
		}
		p.position = float64(p.weighted) / float64(p.weight)
	}
	slices.SortFunc(order, func(a, b *place) int {
		return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.step.ID, b.step.ID))
	})
	steps := make([]GraphStep, len(order))
	for i, p := range order {
		steps[i] = p.step
	}
	return steps
}
