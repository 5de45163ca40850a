package floworacle

import (
	"cmp"
	"maps"
	"slices"

	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/manifest"
)

// LimitUnknown sets how many names that no version has are listed besides (other); without it there are 50.
func (o *Oracle) LimitUnknown(most int) { o.unknown = most }

// pair is a name of a list: a decision and its case, a surface and its provider, or one text alone.
type pair [2]string

// tell is called with every name that a run mentions; counts tells whether it is one that counts for the run.
type tell func(name pair, counts bool)

// others returns which of the names that runs mention are shown as (other) only: those that no version has, beyond the
// limit, fewest runs first.
func (s *Selection) others(known []pair, mention func(r *flowRun, told tell)) map[pair]bool {
	runs := map[pair]int{}
	for _, r := range s.runs {
		mine := map[pair]bool{}
		mention(r, func(name pair, counts bool) {
			runs[name] += 0
			if counts {
				mine[name] = true
			}
		})
		for name := range mine {
			runs[name]++
		}
	}
	var unknown []pair
	for name := range runs {
		if !slices.Contains(known, name) && name != (pair{"(other)"}) && name != (pair{"(other)", "(other)"}) {
			unknown = append(unknown, name)
		}
	}
	slices.SortFunc(unknown, func(a, b pair) int {
		return cmp.Or(runs[b]-runs[a], cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	folded := map[pair]bool{}
	for _, name := range unknown[min(s.unknown, len(unknown)):] {
		folded[name] = true
	}
	return folded
}

// rewritten returns the selection with other events.
func (s *Selection) rewritten(rewrite func(e *Event)) *Selection {
	out := &Selection{Oracle: s.Oracle, scope: s.scope, money: maps.Clone(s.money)}
	for _, r := range s.runs {
		other := *r
		other.events = slices.Clone(r.events)
		for i := range other.events {
			rewrite(&other.events[i])
		}
		out.runs = append(out.runs, &other)
		out.money[&other] = s.money[r]
	}
	return out
}

// listed returns the selection with the steps and decisions that a report of the graphs lists.
func (s *Selection) listed(graphs []flow.Graph) *Selection {
	var steps, cases []pair
	for _, g := range graphs {
		for _, step := range g.Steps {
			steps = append(steps, pair{step.ID})
		}
		for _, d := range g.Decisions {
			for _, one := range append([]string{""}, d.Cases...) {
				cases = append(cases, pair{d.ID, one})
			}
		}
	}
	foldedSteps := s.others(steps, func(r *flowRun, told tell) {
		for _, v := range r.visits() {
			told(pair{v.Step}, true)
			if from := arrival(r, v.Step); from.Step {
				told(pair{from.ID}, false)
			}
		}
		for _, e := range r.events {
			switch e.Name {
			case "step_completed", "step_skipped", "surface_outcome", "iap_purchase":
				if e.Step != "" {
					told(pair{e.Step}, false)
				}
			}
		}
	})
	foldedCases := s.others(cases, func(r *flowRun, told tell) {
		for _, e := range r.events {
			if e.Name == "decision_evaluated" {
				told(pair{e.Subject, e.Value}, true)
			}
		}
	})
	other := "(other)"
	return s.rewritten(func(e *Event) {
		if foldedSteps[pair{e.Step}] {
			e.Step = other
		}
		if e.From != nil && foldedSteps[pair{*e.From}] {
			e.From = &other
		}
		if e.Name == "decision_evaluated" && foldedCases[pair{e.Subject, e.Value}] {
			e.Subject, e.Value = other, other
		}
	})
}

// listedSurfaces returns the selection with the surfaces and outcomes that a report of the graphs lists.
func (s *Selection) listedSurfaces(graphs []flow.Graph) *Selection {
	var surfaces []pair
	for _, g := range graphs {
		for _, step := range g.Steps {
			if step.Kind != manifest.StepSurface {
				continue
			}
			for _, provider := range []string{"unspecified", "revenuecat", "superwall", "stripe", "headless"} {
				surfaces = append(surfaces, pair{step.ID, provider})
			}
		}
	}
	outcomes := []pair{
		{"purchase_completed"}, {"purchase_cancelled"}, {"dismissed"}, {"failed"}, {"restore_completed"}, {"completed"},
		{"back"},
	}
	foldedSurfaces := s.others(surfaces, func(r *flowRun, told tell) {
		for _, e := range r.events {
			switch {
			case e.Name == "surface_presented" && e.Step != "":
				told(pair{e.Step, e.Subject}, true)
			case e.Name == "surface_outcome":
				told(pair{e.Step, e.Subject}, false)
			}
		}
	})
	foldedOutcomes := s.others(outcomes, func(r *flowRun, told tell) {
		for _, e := range r.events {
			if e.Name == "surface_outcome" {
				told(pair{e.Value}, true)
			}
		}
	})
	return s.rewritten(func(e *Event) {
		if e.Name != "surface_presented" && e.Name != "surface_outcome" {
			return
		}
		if foldedSurfaces[pair{e.Step, e.Subject}] {
			e.Step, e.Subject = "(other)", "(other)"
		}
		if e.Name == "surface_outcome" && foldedOutcomes[pair{e.Value}] {
			e.Value = "(other)"
		}
	})
}

// byName orders names, (other) last.
func byName(a, b string) int {
	return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(a, b))
}

// last is 1 of (other), else 0.
func last(name string) int {
	if name == "(other)" {
		return 1
	}
	return 0
}
