package flow

import (
	"context"

	"github.com/google/uuid"
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/session"
)

// Compare returns two versions, by Version and their ids, or two arms of the scope's experiment, by Variant, side by
// side.
func (s *Selection) Compare(
	ctx context.Context, by analytics.Dimension, values [2]string, graphs []Graph,
) (*Comparison, error) {
	if values[0] == values[1] {
		return nil, analytics.Invalid("values", "compare two different ones")
	}
	out := &Comparison{Incomplete: s.incomplete(s.scope.End, s.moneyWindow())}
	var sides [2]*Selection
	for i, value := range values {
		scope := s.scope
		switch by {
		case Version:
			id, err := uuid.Parse(value)
			if err != nil {
				return nil, analytics.Invalid("values", "%q is no id of a version", value)
			}
			scope.Versions = []session.Key{session.Key(id)}
			out.Sides[i].Version = value
		case Variant:
			if scope.Experiment == noKey {
				return nil, analytics.Invalid("experiment", "variants are compared within an experiment: name it")
			}
			scope.Variants = []string{value}
			out.Sides[i].Variant = value
		default:
			return nil, analytics.Invalid("by", "compare by version or variant")
		}
		sides[i] = s.within(scope)
	}
	var readings []func() error // together, so that all share the reading of portions
	for i, side := range sides {
		readings = append(readings, func() (err error) {
			out.Sides[i].Overview, err = side.figures(ctx)
			return err
		}, func() (err error) {
			out.Sides[i].Funnel, err = side.Funnel(ctx, graphs)
			return err
		})
	}
	if err := frame.Together(readings...); err != nil {
		return nil, err
	}
	first, second := &out.Sides[0], &out.Sides[1]
	out.Completion = difference(
		first.Overview.Completions, first.Overview.Starts, second.Overview.Completions, second.Overview.Starts,
	)
	out.Conversion = difference(
		first.Overview.Purchases, first.Overview.Starts, second.Overview.Purchases, second.Overview.Starts,
	)
	out.Steps = sharedSteps(graphs, first, second)
	return out, nil
}

// sharedSteps returns the steps that both sides have: that the graph of each has when they are versions with one, and
// that runs of both reached otherwise.
func sharedSteps(graphs []Graph, first, second *Side) []ComparedStep {
	reach := map[string]int64{}
	for _, step := range second.Funnel.Steps {
		if second.has(graphs, step) {
			reach[step.ID] = step.Reach
		}
	}
	out := []ComparedStep{}
	for _, step := range first.Funnel.Steps {
		// Of each side it is steps of its own.
		if step.ID == Other {
			continue
		}
		if n, both := reach[step.ID]; both && first.has(graphs, step) {
			out = append(out, ComparedStep{
				step.Step, difference(step.Reach, first.Funnel.Runs, n, second.Funnel.Runs),
			})
		}
	}
	return out
}

// has tells whether a side has a step.
func (side *Side) has(graphs []Graph, step FunnelStep) bool {
	for _, g := range graphs {
		if idText(g.Version) == side.Version {
			for _, own := range g.Steps {
				if own.ID == step.ID {
					return true
				}
			}
		}
	}
	return step.Reach > 0
}

// difference compares two proportions.
func difference(successes1, n1, successes2, n2 int64) Difference {
	d := Difference{First: ratio(successes1, n1), Second: ratio(successes2, n2)}
	first, err := experiment.Proportion(int(successes1), int(n1))
	second, err2 := experiment.Proportion(int(successes2), int(n2))
	if n1 == 0 || n2 == 0 || err != nil || err2 != nil {
		return d
	}
	difference := *d.Second - *d.First
	interval := experiment.Fixed(first, second, intervalAlpha)
	d.Difference, d.Interval = &difference, &Interval{interval.Low, interval.High}
	return d
}
