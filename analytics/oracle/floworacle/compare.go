package floworacle

import (
	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/session"
)

// Compare returns the sides of a comparison and the reach of steps that both reached.
func (s *Selection) Compare(
	by analytics.Dimension, values [2]string, graphs []flow.Graph, members map[string]bool,
) *flow.Comparison {
	out := &flow.Comparison{Steps: []flow.ComparedStep{}, Incomplete: s.incomplete(s.scope.End, s.longest())}
	for i, v := range values {
		scope := s.scope
		if by == flow.Version {
			scope.Versions, out.Sides[i].Version = []session.Key{session.Key(uuid.MustParse(v))}, v
		} else {
			scope.Variants, out.Sides[i].Variant = []string{v}, v
		}
		side := s.Oracle.Select(scope, members)
		out.Sides[i].Overview, out.Sides[i].Funnel = side.figures(side.runs), side.Funnel(graphs)
	}
	a, b := &out.Sides[0], &out.Sides[1]
	out.Completion = difference(a.Overview.Completions, a.Overview.Starts, b.Overview.Completions, b.Overview.Starts)
	out.Conversion = difference(a.Overview.Purchases, a.Overview.Starts, b.Overview.Purchases, b.Overview.Starts)
	has := func(side *flow.Side, step flow.FunnelStep) bool {
		for _, g := range graphs {
			for _, own := range g.Steps {
				if id(g.Version) == side.Version && own.ID == step.ID {
					return true
				}
			}
		}
		return step.Reach > 0
	}
	for _, step := range a.Funnel.Steps {
		for _, other := range b.Funnel.Steps {
			if other.ID == step.ID && step.ID != "(other)" && has(a, step) && has(b, other) {
				out.Steps = append(out.Steps, flow.ComparedStep{
					Step: step.Step, Reach: difference(step.Reach, a.Funnel.Runs, other.Reach, b.Funnel.Runs),
				})
			}
		}
	}
	return out
}

func difference(x1, n1, x2, n2 int64) flow.Difference {
	d := flow.Difference{First: ratio(x1, n1), Second: ratio(x2, n2)}
	if n1 == 0 || n2 == 0 {
		return d
	}
	first, err := experiment.Proportion(int(x1), int(n1))
	if err != nil {
		panic(err)
	}
	second, err := experiment.Proportion(int(x2), int(n2))
	if err != nil {
		panic(err)
	}
	v, i := *d.Second-*d.First, experiment.Fixed(first, second, 0.05)
	d.Difference, d.Interval = &v, &flow.Interval{Low: i.Low, High: i.High}
	return d
}
