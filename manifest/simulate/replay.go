package simulate

import "slices"

// replay sends runs of a set through a flow, one after another.
type replay struct {
	*Flow
	versions []*Flow // that the runs were made in, nil where one is not known
	nodeAt   []int32 // by name, -1 for what is no node
	fieldAt  []int32 // by name, -1 for what is no field
	tally    *tally

	// Of the present run, which has the number of its marks.
	run       *packedRun
	mark      uint32
	visits    []packedVisit
	first     []int32 // by node: the recorded visit that comes next, -1 when all were used
	following []int32 // by recorded visit: the next one of its step
	seen      []seenNode
	open      int // recorded visits of steps of the flow that were not used yet
	latest    []latestAnswers
	held      []held

	shown  []truth // by branch of a screen
	passed []uint32
	landed uint32
}

type seenNode struct {
	recorded uint32 // mark of the run that has recorded visits
	passed   uint32 // mark of the run that came without one
}

// latestAnswers are the last answers of a run to a field.
type latestAnswers struct {
	mark uint32
	span span
}

// held is what a run has answered on its way through the flow.
type held struct {
	mark  uint32
	state answerState
	value value
}

type answerState uint8

const (
	notAsked answerState = iota
	answered
	notKnown
)

func newReplay(f *Flow, versions []*Flow) *replay {
	names := len(f.runs.texts)
	r := &replay{
		Flow: f, versions: versions, nodeAt: numbers(names), fieldAt: numbers(names), tally: newTally(f),
		first: make([]int32, len(f.nodes)), seen: make([]seenNode, len(f.nodes)),
		latest: make([]latestAnswers, len(f.fields)), held: make([]held, len(f.fields)),
		passed: make([]uint32, len(f.nodes)),
	}
	for name, at := range f.nodeOf {
		r.nodeAt[name] = int32(at)
	}
	for at := range f.fields {
		r.fieldAt[f.fields[at].name] = int32(at)
	}
	return r
}

func numbers(n int) []int32 { return slices.Repeat([]int32{-1}, n) }

// follow sends a run through the flow.
func (r *replay) follow(run *packedRun) {
	r.run, r.visits = run, r.runs.visits[run.visits.from:run.visits.to]
	r.mark++
	r.tally.begin(run)
	r.read()
	at := r.land(r.entry)
	for at >= 0 {
		at = r.pass(at)
	}
}

// Ends of a run, where a node's number can stand.
const (
	finished = end - iota // at the end of the flow
	gone                  // left at the last node
	lost                  // not known where to, from the last node
)

// read notes the run's visits by step and its last answers by field.
func (r *replay) read() {
	r.open = 0
	r.following = slices.Grow(r.following[:0], len(r.visits))[:len(r.visits)]
	for i := len(r.visits) - 1; i >= 0; i-- {
		v := &r.visits[i]
		if at := r.nodeAt[v.step]; at >= 0 && r.nodes[at].kind != DecisionNode {
			r.following[i] = -1
			if r.seen[at].recorded == r.mark {
				r.following[i] = r.first[at]
			}
			r.seen[at].recorded, r.first[at] = r.mark, int32(i)
			r.open++
		}
	}
	for i := range r.visits {
		r.eachAnswered(r.visits[i].answers, func(field Name, given span) {
			if at := r.fieldAt[field]; at >= 0 {
				r.latest[at] = latestAnswers{r.mark, given}
				r.tally.count(&r.tally.fields[at])
				r.countOptions(given)
			}
		})
	}
}

// countOptions counts the options among the answers to a field.
func (r *replay) countOptions(given span) {
	for _, a := range r.runs.answers[given.from:given.to] {
		if at, ok := r.optionAt[a]; ok {
			r.tally.count(&r.tally.options[at])
		}
	}
}

// eachAnswered calls use with the answers of a visit by field. Those to one field follow each other.
func (r *replay) eachAnswered(of span, use func(field Name, given span)) {
	for from := of.from; from < of.to; {
		to := from + 1
		for to < of.to && r.runs.answers[to].Field == r.runs.answers[from].Field {
			to++
		}
		use(r.runs.answers[from].Field, span{from, to})
		from = to
	}
}

// land follows decisions from a node to a step.
func (r *replay) land(at int) int {
	for r.landed++; at >= 0 && r.nodes[at].kind == DecisionNode; {
		n := &r.nodes[at]
		if r.passed[at] == r.landed {
			r.tally.finish() // the SDKs end a run that goes in circles
			return finished
		}
		r.passed[at] = r.landed
		r.tally.reach(at)
		way := r.decide(n)
		if way < 0 {
			r.tally.stop(at, lost)
			return lost
		}
		r.tally.take(way)
		at = r.ways[way].target
	}
	if at == end {
		r.tally.finish()
		return finished
	}
	r.tally.reach(at)
	return at
}

// decide returns the way out of a decision, -1 when it is not known.
func (r *replay) decide(n *node) int {
	var possible []int // ways of cases that may hold, before the one that does
	way := n.ways[len(n.ways)-1]
	for i := range n.cases {
		holds := r.evaluate(&n.cases[i])
		if holds == unknown {
			holds = r.recalled(n.cases[i].key)
		}
		if holds == unknown {
			possible = append(possible, n.ways[i])
		} else if holds == yes {
			way = n.ways[i]
			break
		}
	}
	for _, other := range possible {
		if r.ways[other].to != r.ways[way].to {
			return -1
		}
	}
	return way
}

// recalled tells how a condition held at the decisions of the run itself, the last one first.
func (r *replay) recalled(key Name) truth {
	version := r.version()
	if version == nil {
		return unknown
	}
	decided := r.runs.decided[r.run.decided.from:r.run.decided.to]
	for _, d := range slices.Backward(decided) {
		at, ok := version.nodeOf[d.Decision]
		if !ok || version.nodes[at].kind != DecisionNode {
			continue
		}
		n := &version.nodes[at]
		for i := range n.cases {
			matched := d.Case != None && version.caseName(n.ways[i]) == d.Case
			if n.cases[i].key == key {
				return truthOf(matched)
			}
			if matched {
				break // later cases were not looked at
			}
		}
	}
	return unknown
}

func (f *Flow) caseName(way int) Name { return f.ways[way].node }

func (r *replay) version() *Flow {
	if r.run.version < 0 || int(r.run.version) >= len(r.versions) {
		return nil
	}
	return r.versions[r.run.version]
}

// pass lets the run do at a step what it did there, and returns the next step or an end.
func (r *replay) pass(at int) int {
	n := &r.nodes[at]
	visit, known := r.visit(at)
	way := -1
	switch {
	case known && visit.exit == Left:
		r.tally.stop(at, gone)
		return gone
	case !known && !r.passes(at):
	case n.kind == SurfaceNode:
		way = r.passSurface(n, visit)
	default:
		way = r.passScreen(n.screen, visit)
	}
	if way < 0 {
		r.tally.stop(at, lost)
		return lost
	}
	r.tally.take(way)
	return r.land(r.ways[way].target)
}

// visit returns the run's next recorded visit of a step.
func (r *replay) visit(at int) (visit *packedVisit, known bool) {
	if r.seen[at].recorded != r.mark || r.first[at] < 0 {
		return nil, false
	}
	i := r.first[at]
	r.first[at] = r.following[i]
	r.open--
	return &r.visits[i], true
}

// passes tells whether a run passes a step that it has no visit of: once, if it never saw it, and has not left before
// it would have come there.
func (r *replay) passes(at int) bool {
	s := &r.seen[at]
	if s.recorded == r.mark || s.passed == r.mark || !r.run.completed && r.open == 0 {
		return false
	}
	s.passed = r.mark
	return true
}

func (r *replay) passSurface(n *node, visit *packedVisit) int {
	if visit == nil || visit.outcome == None || visit.outcome == Unread {
		return r.only(n.ways)
	}
	if way, ok := n.outcomes[visit.outcome]; ok {
		return way
	}
	return n.ways[len(n.ways)-1]
}

// only returns the first of the ways if all lead to one node, else -1.
func (r *replay) only(ways []int) int {
	if len(ways) == 0 {
		return -1
	}
	for _, way := range ways[1:] {
		if r.ways[way].to != r.ways[ways[0]].to {
			return -1
		}
	}
	return ways[0]
}
