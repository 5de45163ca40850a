package flow

import (
	"slices"

	"github.com/svc-dev/svc/analytics/run"
)

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
