package flow

import (
	"cmp"
	"context"
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest"
)

// seenSteps is a tally by number of a step and by release.
type seenSteps interface {
	see(n int) (seen, surface bool)
	runsBy() []int64
}

func (t *stepsTally) see(n int) (seen, surface bool) {
	if n >= len(t.steps) {
		return false, false
	}
	return t.steps[n].reach > 0, t.steps[n].surface
}

func (t *stepsTally) runsBy() []int64 { return t.releases }

// named is the steps of a tally as reports show them.
type named struct {
	rows    []Step
	row     map[string]int    // by id
	number  map[string]uint32 // by id, of steps that hits name
	letters *alphabet
}

// nameSteps names the steps of a tally: those of the graphs, then others that somebody saw, by id, and Other last.
func nameSteps(t seenSteps, in *found, graphs []Graph) *named {
	f := &named{row: map[string]int{}, number: map[string]uint32{}, letters: in.letters}
	runs := map[session.Key]int64{}
	for code, n := range t.runsBy() {
		runs[in.view.Releases[code].Version] += n
	}
	for _, step := range blend(graphs, runs) {
		f.row[step.ID] = len(f.rows)
		f.rows = append(f.rows, Step(step))
	}
	var others []Step
	for n := range f.letters.size(ofSteps) {
		id := f.letters.stepID(uint32(n))
		f.number[id] = uint32(n)
		seen, surface := t.see(n)
		if _, known := f.row[id]; known || !seen {
			continue
		}
		kind := manifest.StepScreen
		if surface {
			kind = manifest.StepSurface
		}
		others = append(others, Step{ID: id, Kind: kind})
	}
	slices.SortFunc(others, func(a, b Step) int {
		return cmp.Or(otherLast(a.ID, b.ID), cmp.Compare(a.ID, b.ID))
	})
	for _, step := range others {
		f.row[step.ID] = len(f.rows)
		f.rows = append(f.rows, step)
	}
	return f
}

// funnel is the tally of a funnel with the names of its steps.
type funnel struct {
	*named
	*stepsTally
}

func (s *Selection) funnelOf(ctx context.Context, graphs []Graph) (*funnel, error) {
	tally, found, err := sumListed(ctx, s, graphs, (*Selection).countSteps, s.addSteps)
	if err != nil {
		return nil, err
	}
	return &funnel{nameSteps(tally, found, graphs), tally}, nil
}

// of returns what was counted of a row.
func (f *funnel) of(row Step) stepTally {
	if n, known := f.number[row.ID]; known && int(n) < len(f.steps) {
		return f.steps[n]
	}
	return stepTally{}
}

// node returns the end of an edge and its place in the order of ends.
func (f *funnel) node(n uint32) (Node, int) {
	switch n {
	case fromStart:
		return Node{ID: FromStart}, -1
	case toCompleted:
		return Node{ID: ToCompleted}, len(f.rows) + 1
	case toDropped:
		return Node{ID: ToDropped}, len(f.rows) + 2
	case toOpen:
		return Node{ID: ToOpen}, len(f.rows) + 3
	}
	id := f.letters.stepID(n)
	row, known := f.row[id]
	if !known { // a step that somebody came from, but whose visits were all lost
		row = len(f.rows)
	}
	return Node{ID: id, Step: true}, row
}

// edges returns tallies as edges, by the step whose reach they add up to, then by the other end.
func (f *funnel) edges(tallies edges, byTo bool) []Edge {
	type placed struct {
		Edge
		first, second int
	}
	list := make([]placed, 0, len(tallies))
	for ends, t := range tallies {
		from, i := f.node(ends[0])
		to, j := f.node(ends[1])
		if byTo {
			i, j = j, i
		}
		list = append(list, placed{Edge{from, to, t.runs, t.net}, i, j})
	}
	slices.SortFunc(list, func(a, b placed) int {
		return cmp.Or(
			cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second), cmp.Compare(a.From.ID, b.From.ID),
			cmp.Compare(a.To.ID, b.To.ID),
		)
	})
	out := make([]Edge, len(list))
	for i := range list {
		out[i] = list[i].Edge
	}
	return out
}

// result returns the funnel as it is shown, with the median times to its steps.
func (f *funnel) result(medians map[string]*float64, incomplete bool) *Funnel {
	out := &Funnel{
		Runs: f.runs, People: f.people, Steps: make([]FunnelStep, len(f.rows)), Decisions: []Decision{},
		Arrivals: f.edges(f.arrivals, true), Exits: f.edges(f.exits, false), Incomplete: incomplete,
	}
	for i, row := range f.rows {
		t := f.of(row)
		out.Steps[i] = FunnelStep{
			Step: row, Reach: t.reach, People: t.people, FromStart: ratio(t.reach, f.runs), Completed: t.completed,
			Skipped: t.skipped, Drop: t.drop, Open: t.open, MedianSeconds: medians[row.ID],
		}
	}
	for n, runs := range f.decisions {
		if runs > 0 {
			taken := f.letters.name(ofDecisions, uint32(n))
			out.Decisions = append(out.Decisions, Decision{taken[0], taken[1], runs})
		}
	}
	slices.SortFunc(out.Decisions, func(a, b Decision) int {
		return cmp.Or(otherLast(a.Node, b.Node), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Case, b.Case))
	})
	return out
}

// Funnel returns the way of the runs through the steps of the graphs, which are those of the scope's versions.
func (s *Selection) Funnel(ctx context.Context, graphs []Graph) (*Funnel, error) {
	var f *funnel
	var medians map[string]*float64
	// Together, so that both share the reading of portions.
	if err := frame.Together(func() (err error) {
		f, err = s.funnelOf(ctx, graphs)
		return err
	}, func() (err error) {
		medians, err = s.medians(ctx, graphs)
		return err
	}); err != nil {
		return nil, err
	}
	return f.result(medians, s.incomplete(s.scope.End, s.moneyWindow())), nil
}
