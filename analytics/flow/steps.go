package flow

import (
	"context"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
)

// Ends of edges among the numbers of steps, besides fromStart.
const (
	toCompleted = noNumber - 2 - iota
	toDropped
	toOpen
)

// stepTally is what the funnel counts of a step.
type stepTally struct {
	reach, people, completed, skipped, drop, open int64
	surface                                       bool // somebody saw it as one
}

// edgeTally is what it counts of an edge.
type edgeTally struct{ runs, net int64 }

// edges are tallies by the numbers of the nodes.
type edges map[[2]uint32]edgeTally

func (e edges) add(from, to uint32, runs, net int64) {
	t := e[[2]uint32{from, to}]
	e[[2]uint32{from, to}] = edgeTally{t.runs + runs, t.net + net}
}

func (e edges) plus(more edges) edges {
	for ends, t := range more {
		e.add(ends[0], ends[1], t.runs, t.net)
	}
	return e
}

// stepsTally is the funnel of some runs, with slices by number.
type stepsTally struct {
	runs, people    int64
	steps           []stepTally
	arrivals, exits edges
	decisions       []int64
	releases        []int64 // runs by code of the release
}

// countSteps counts the funnel but for its times.
func (s *Selection) countSteps() *stepsTally {
	return each(s, func(_ int, rs *runs) *stepsTally { return s.walk(rs) }, s.addSteps)
}

func (s *Selection) addSteps(total, more *stepsTally) *stepsTally {
	out := &stepsTally{
		runs: total.runs + more.runs, people: total.people + more.people, steps: extend(total.steps, more.steps),
		arrivals: total.arrivals.plus(more.arrivals), exits: total.exits.plus(more.exits),
		decisions: addCounts(total.decisions, more.decisions), releases: addCounts(total.releases, more.releases),
	}
	for i := range more.steps {
		to, from := &out.steps[i], &more.steps[i]
		to.reach, to.people = to.reach+from.reach, to.people+from.people
		to.completed, to.skipped = to.completed+from.completed, to.skipped+from.skipped
		to.drop, to.open, to.surface = to.drop+from.drop, to.open+from.open, to.surface || from.surface
	}
	return out
}

// walk counts the funnel of runs that come person by person: first the runs of each path, then what paths have in them.
func (s *Selection) walk(rs *runs) *stepsTally {
	a := s.window.letters
	n := a.size(ofSteps)
	t := &stepsTally{
		steps: make([]stepTally, n), arrivals: edges{}, exits: edges{}, decisions: make([]int64, a.size(ofDecisions)),
		runs: int64(rs.len()), releases: rs.releases,
	}
	w := &walker{
		tally: t, letters: a, limit: s.engine.tuning.EdgeTable,
		at: make([]stepState, n), took: make([]uint32, a.size(ofDecisions)),
	}
	w.arrivals.rest, w.exits.rest = t.arrivals, t.exits
	f := s.newFollower()
	type ofPath struct{ runs, net int64 }
	byPath := make([]ofPath, states*len(f.paths))
	seen, people := make([]uint32, n), make([]int64, n) // person, and one, who saw it last; how many did
	for i, path := range rs.path {
		person := rs.visitor[i] + 1
		if i == 0 || rs.visitor[i-1] != rs.visitor[i] {
			t.people++
		}
		net := int64(0)
		if rs.marks[i]&paid != 0 {
			net = s.window.money[rs.refs[i]].net
		}
		if state := s.state(rs, i); path != 0 {
			counted := &byPath[states*path+uint32(state)]
			counted.runs++
			counted.net += net
		} else {
			w.follow(f.happenings(path, rs.refs[i]), state, 1, net)
		}
		for _, stop := range f.stopsOf(path, rs.refs[i]) {
			if stop.first && seen[stop.step] != person {
				seen[stop.step] = person
				people[stop.step]++
			}
		}
	}
	for step, n := range people {
		t.steps[step].people = n
	}
	for path, codes := range f.paths {
		for state := range states {
			if counted := &byPath[states*path+state]; counted.runs > 0 {
				w.follow(codes, run.State(state), counted.runs, counted.net)
			}
		}
	}
	w.spill(&w.arrivals)
	w.spill(&w.exits)
	return t
}

// timeSteps returns how long runs took to the first visits of their steps, by number of the step.
func (s *Selection) timeSteps(rs *runs) []*times {
	f, n := s.newFollower(), s.window.letters.size(ofSteps)
	timers := newTimers(f.visitsOf(rs, n), s.engine.tuning.FewTimes)
	for i, rows := range rs.byPart(len(s.window.parts)) {
		p := &s.window.parts[i]
		path := p.Column(frame.RunPath)
		for _, row := range rows {
			at, start := f.times(p.hitsOf(row)), p.start[row]
			for k, stop := range f.stopsOf(path[row], ref{uint32(i), row}) {
				if stop.first {
					timers.add(stop.step, max(0, at[k]-start))
				}
			}
		}
	}
	reached := make([]*times, n)
	for step := range reached {
		reached[step] = timers.times(step)
	}
	return reached
}

// countTimes returns the sum of what timeSteps returns for all runs.
func (s *Selection) countTimes() []*times {
	return each(s, func(_ int, rs *runs) []*times { return s.timeSteps(rs) }, s.addTimes)
}

func (s *Selection) addTimes(total, more []*times) []*times {
	total = extend(total, more)
	for step := range more {
		total[step] = joinTimes(total[step], more[step], s.engine.tuning.FewTimes)
	}
	return total
}

// mediansOf returns the median of each of several sets of durations.
func mediansOf(reached []*times) []*float64 {
	medians := make([]*float64, len(reached))
	for i, q := range quantiles(reached, 50) {
		medians[i] = q[0]
	}
	return medians
}

// medians returns the median times to the first visits of steps, in seconds by id of the step.
func (s *Selection) medians(ctx context.Context, graphs []Graph) (map[string]*float64, error) {
	var medians []*float64
	var found *found
	if s.stream == nil {
		listed := s.listed(graphs)
		if found = listed.found(); listed == s {
			s.runs()
			s.selected.timed.Do(func() { s.selected.medians = mediansOf(s.countTimes()) })
			medians = s.selected.medians
		} else {
			medians = mediansOf(listed.countTimes())
		}
	} else {
		var reached []*times
		var err error
		reached, found, err = sumListed(ctx, s, graphs, (*Selection).countTimes, s.addTimes)
		if err != nil {
			return nil, err
		}
		medians = mediansOf(reached)
	}
	byID := map[string]*float64{}
	for n, median := range medians {
		if median != nil {
			byID[found.letters.stepID(uint32(n))] = median
		}
	}
	return byID, nil
}
