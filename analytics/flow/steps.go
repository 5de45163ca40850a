package flow

import (
	"cmp"
	"context"
	"slices"

	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest"
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

// edgeTable counts edges by local numbers of the steps of the runs at hand: in a square of limited size, beyond it in
// a map.
type edgeTable struct {
	side  int
	cells []edgeTally
	rest  edges
}

// walker follows paths through their steps. Everything by number of a step.
type walker struct {
	tally   *stepsTally
	letters *alphabet
	limit   int // of steps whose edges are in a table

	arrivals, exits edgeTable

	at     []stepState // by number of the step
	global []uint32    // number of the step by local number
	took   []uint32    // path that took a decision last, by its number

	path   uint32   // number of the present path, from 1
	n, net int64    // its runs
	visits []uint32 // its steps
	done   []uint32 // steps of it that were completed or skipped
}

// stepState is what a walker remembers of a step.
type stepState struct {
	reached uint32 // path that reached it last
	doneIn  uint32 // path that completed or skipped it last
	left    uint32 // path whose last visit of it has been found
	local   uint32 // local number, and one; 0 for none
	did     uint8  // what doneIn did
}

// What a run did at a step.
const (
	didComplete = 1 << iota
	didSkip
)

// states is how many states a run may have.
const states = 4

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

// follow counts n runs with the same happenings, net of which is what they paid.
func (w *walker) follow(codes []uint32, state run.State, n, net int64) {
	t := w.tally
	w.path++
	w.n, w.net = n, net
	w.visits, w.done = w.visits[:0], w.done[:0]
	for _, code := range codes {
		l := &w.letters.letters[code]
		switch l.kind {
		case screenVisit, surfaceVisit:
			if w.at[l.step].reached != w.path {
				w.arrive(l.step, l.from)
			}
			if l.kind == surfaceVisit {
				t.steps[l.step].surface = true
			}
			w.visits = append(w.visits, l.step)
		case stepCompletion, surfaceOutcome, purchaseClaim:
			w.note(l.step, didComplete)
		case stepSkip:
			w.note(l.step, didSkip)
		case decisionTaken:
			if w.took[l.of] != w.path {
				w.took[l.of] = w.path
				t.decisions[l.of] += n
			}
		}
	}
	for _, step := range w.done {
		state := &w.at[step]
		if state.reached != w.path {
			continue
		}
		if state.did&didComplete != 0 {
			t.steps[step].completed += n
		}
		if state.did&didSkip != 0 {
			t.steps[step].skipped += n
		}
	}
	w.leave(state)
}

// arrive counts the first visit of a step: it came from where the client says, else from the visit before.
func (w *walker) arrive(step, from uint32) {
	w.at[step].reached = w.path
	w.tally.steps[step].reach += w.n
	if from == noNumber {
		from = fromStart
		if len(w.visits) > 0 {
			from = w.visits[len(w.visits)-1]
		}
	}
	w.count(&w.arrivals, from, step)
}

// note remembers what the runs did at a step.
func (w *walker) note(step uint32, did uint8) {
	if step == noNumber {
		return
	}
	state := &w.at[step]
	if state.doneIn != w.path {
		state.doneIn, state.did = w.path, 0
		w.done = append(w.done, step)
	}
	state.did |= did
}

// leave counts where the runs went after their last visit of each step.
func (w *walker) leave(state run.State) {
	to := endOf(state)
	if n := len(w.visits); n > 0 {
		last := &w.tally.steps[w.visits[n-1]]
		switch to {
		case toDropped:
			last.drop += w.n
		case toOpen:
			last.open += w.n
		}
	}
	for _, step := range slices.Backward(w.visits) {
		if w.at[step].left != w.path {
			w.at[step].left = w.path
			w.count(&w.exits, step, to)
		}
		to = step
	}
}

// endOf returns where a run of a state goes after its last visit.
func endOf(state run.State) uint32 {
	switch {
	case dropped(state):
		return toDropped
	case state == run.Open:
		return toOpen
	}
	return toCompleted
}

// Local numbers of the ends of edges that are no steps come first.
const localEnds = 4

// localOf returns the local number of a node.
func (w *walker) localOf(node uint32) int {
	if node >= toOpen {
		return int(noNumber - 1 - node)
	}
	state := &w.at[node]
	if state.local == 0 {
		w.global = append(w.global, node)
		state.local = uint32(len(w.global))
	}
	return int(state.local) - 1 + localEnds
}

// count counts an edge of the present path.
func (w *walker) count(t *edgeTable, from, to uint32) {
	i, j := w.localOf(from), w.localOf(to)
	if most := max(i, j); most >= t.side {
		if most >= w.limit {
			t.rest.add(from, to, w.n, w.net)
			return
		}
		w.spill(t)
		t.side = min(w.limit, max(16, 2*(most+1)))
		t.cells = make([]edgeTally, t.side*t.side)
	}
	cell := &t.cells[i*t.side+j]
	cell.runs += w.n
	cell.net += w.net
}

// spill empties the table into its map.
func (w *walker) spill(t *edgeTable) {
	node := func(local int) uint32 {
		if local < localEnds {
			return noNumber - 1 - uint32(local)
		}
		return w.global[local-localEnds]
	}
	for at, cell := range t.cells {
		if cell.runs > 0 {
			t.rest.add(node(at/t.side), node(at%t.side), cell.runs, cell.net)
		}
	}
	t.side, t.cells = 0, nil
}

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
