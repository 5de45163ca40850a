package floworacle

import (
	"cmp"
	"slices"
	"time"

	"github.com/svc-dev/svc/analytics/flow"
)

// PeopleBehind returns the people of the runs that a cell of a report of the graphs has, the latest run first. What
// stands for (other) is asked for by that name, and everything else by its own, listed or not.
func (s *Selection) PeopleBehind(cell flow.Behind, graphs []flow.Graph) []flow.Person {
	steps, surfaces := s, s
	if cell.NamesOther() {
		steps, surfaces = s.listed(graphs), s.listedSurfaces(graphs)
	}
	byPerson, excluded := map[string]*flow.Person{}, map[string]bool{}
	for i, r := range s.runs {
		if !steps.inCell(steps.runs[i], surfaces.runs[i], &cell) {
			continue
		}
		excluded[r.person] = excluded[r.person] || cell.Figure == flow.FigureClaimed && s.buys(r)
		if !s.counts(r, cell.Figure) {
			continue
		}
		p := byPerson[r.person]
		if p == nil {
			p = &flow.Person{AppUserID: r.person, CustomUserID: s.world.Touches[r.person].CustomUserID}
			byPerson[r.person] = p
		}
		p.Runs++
		p.LatestRunAt, p.LatestState = time.UnixMilli(r.start).UTC(), s.stateOf(r)
	}
	list := []flow.Person{}
	for person, p := range byPerson {
		if !excluded[person] {
			list = append(list, *p)
		}
	}
	slices.SortFunc(list, func(a, b flow.Person) int {
		return cmp.Or(b.LatestRunAt.Compare(a.LatestRunAt), cmp.Compare(a.AppUserID, b.AppUserID))
	})
	return list
}

// counts tells whether a run is one that a figure counts.
func (s *Selection) counts(r *flowRun, figure flow.Figure) bool {
	switch figure {
	case "":
		return true
	case flow.FigureDropped:
		return s.drops(r)
	case flow.FigureViewed:
		return viewed(r)
	case flow.FigurePurchased:
		return s.buys(r)
	case flow.FigureClaimed:
		return r.claims()
	}
	return s.stateOf(r) == string(figure)
}

// inCell tells whether a run is in a cell, whatever the figure; shown is the run with its surfaces.
func (s *Selection) inCell(r, shown *flowRun, c *flow.Behind) bool {
	if start := time.UnixMilli(r.start); !c.From.IsZero() && (start.Before(c.From) || !start.Before(c.To)) {
		return false
	}
	for _, v := range c.Values {
		if s.value(r, v.Dimension, v.Key) != v.Value {
			return false
		}
	}
	reaches := func(step string) bool {
		return slices.ContainsFunc(r.visits(), func(v Event) bool { return v.Step == step })
	}
	says := func(is func(e Event) bool) bool { return slices.ContainsFunc(r.events, is) }
	presents := func(is func(e Event) bool) bool { return slices.ContainsFunc(shown.events, is) }
	ofSurface := func(e Event) bool { return c.Surface == nil || e.Step == c.Surface[0] && e.Subject == c.Surface[1] }
	switch {
	case c.Step != "" && !reaches(c.Step),
		c.LastStep && !ended(r, c.Step),
		c.Completed && !says(func(e Event) bool {
			return e.Step == c.Step && (e.Name == "step_completed" || e.Name == "surface_outcome" || e.Name == "iap_purchase")
		}),
		c.Skipped && !says(func(e Event) bool { return e.Step == c.Step && e.Name == "step_skipped" }),
		c.Arrival != nil && (!reaches(c.Arrival[1]) || arrival(r, c.Arrival[1]).ID != c.Arrival[0]),
		c.Exit != nil && (!reaches(c.Exit[0]) || s.exit(r, c.Exit[0]).ID != c.Exit[1]),
		c.Decision != nil && !says(func(e Event) bool {
			return e.Name == "decision_evaluated" && e.Subject == c.Decision[0] && e.Value == c.Decision[1]
		}),
		c.Surface != nil && c.Outcome == "" &&
			!presents(func(e Event) bool { return e.Name == "surface_presented" && e.Step != "" && ofSurface(e) }),
		c.Outcome != "" &&
			!presents(func(e Event) bool { return e.Name == "surface_outcome" && ofSurface(e) && e.Value == c.Outcome }):
		return false
	}
	return true
}
