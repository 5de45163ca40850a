package simulate

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// Shares are what runs do in a flow.
type Shares struct {
	Runs, Users int64
	Completed   int64       // runs that come to the end of the flow
	Left        int64       // runs that are given up on the way, as they were
	Unknown     int64       // runs that stop where it is not known how they go on
	Nodes       []NodeShare // screens, surfaces and decisions, in the order in which a run may come to them
	Ways        []WayShare
	Questions   []QuestionShare
}

// Reach says whether runs come to a step.
type Reach string

// The reaches.
const (
	Reached  Reach = "reached"
	Possible Reach = "possible" // none is known to come, but some stop before it
	Nobody   Reach = "nobody"   // there is a way, which none of the runs takes
	NoWay    Reach = "no_way"   // no way from the entry leads there
)

// NodeShare is who comes to a step.
type NodeShare struct {
	ID, Name    string
	Kind        NodeKind
	Reach       Reach
	Runs, Users int64
	Left        int64 // runs that are given up here
	Unknown     int64 // runs of which it is not known how they go on from here
}

// WayShare is who takes a way.
type WayShare struct {
	Way
	Runs, Users int64
}

// QuestionShare is what is known of the answers to a question.
type QuestionShare struct {
	StepID, LayerID, FieldKey string
	Asked                     int64 // runs that leave its screen
	Answered                  int64 // runs of all that have recorded an answer to its field, which may not be known
	Options                   []OptionShare
}

// OptionShare is how many of all runs have recorded an option of a question.
type OptionShare struct {
	ID   string
	Runs int64
}

// tally counts. A run and a person count once at each node and way.
type tally struct {
	nodes, ways []counts
	stops       [][2]int64 // by node: left, unknown
	asked       []counts
	fields      []counts // that have recorded answers
	options     []counts

	completed, left, unknown, runs, users int64

	run    uint32
	person Name
	began  bool
	mark   uint32 // of the person
}

type counts struct {
	runs, users      int64
	lastRun, lastOne uint32
}

func newTally(f *Flow) *tally {
	return &tally{
		nodes: make([]counts, len(f.nodes)), ways: make([]counts, len(f.ways)), stops: make([][2]int64, len(f.nodes)),
		asked: make([]counts, len(f.questions)), fields: make([]counts, len(f.fields)),
		options: make([]counts, len(f.optionAt)),
	}
}

func (t *tally) begin(run *packedRun) {
	t.run++
	t.runs++
	if !t.began || run.person != t.person {
		t.began, t.person = true, run.person
		t.mark++
		t.users++
	}
}

func (t *tally) count(c *counts) {
	if c.lastRun != t.run {
		c.lastRun = t.run
		c.runs++
	}
	if c.lastOne != t.mark {
		c.lastOne = t.mark
		c.users++
	}
}

func (t *tally) reach(node int)   { t.count(&t.nodes[node]) }
func (t *tally) take(way int)     { t.count(&t.ways[way]) }
func (t *tally) ask(question int) { t.count(&t.asked[question]) }
func (t *tally) finish()          { t.completed++ }

func (t *tally) stop(node, how int) {
	if how == gone {
		t.left++
		t.stops[node][0]++
		return
	}
	t.unknown++
	t.stops[node][1]++
}

func (t *tally) add(o *tally) {
	addCounts(t.nodes, o.nodes)
	addCounts(t.ways, o.ways)
	addCounts(t.asked, o.asked)
	addCounts(t.fields, o.fields)
	addCounts(t.options, o.options)
	for i := range o.stops {
		t.stops[i][0] += o.stops[i][0]
		t.stops[i][1] += o.stops[i][1]
	}
	t.completed, t.left, t.unknown = t.completed+o.completed, t.left+o.left, t.unknown+o.unknown
	t.runs, t.users = t.runs+o.runs, t.users+o.users
}

func addCounts(to, more []counts) {
	for i := range more {
		to[i].runs += more[i].runs
		to[i].users += more[i].users
	}
}

// runsPerWorker is how many runs are worth another goroutine; the context is looked at as often.
const runsPerWorker = 5_000

// Simulate sends all runs of the flow's set through it. Versions are the flows that the runs were made in, compiled for
// the same set; nil where one is not known. The error is the context's.
func (f *Flow) Simulate(ctx context.Context, versions []*Flow) (*Shares, error) {
	f.runs.group()
	runs := f.runs.runs
	workers := max(1, min(runtime.GOMAXPROCS(0), len(runs)/runsPerWorker))
	parts := make([]*replay, workers)
	var all sync.WaitGroup
	for i := range parts {
		parts[i] = newReplay(f, versions)
		mine := runs[f.cut(len(runs)*i/workers):f.cut(len(runs)*(i+1)/workers)]
		all.Go(func() {
			for j := range mine {
				if j%runsPerWorker == 0 && ctx.Err() != nil {
					return
				}
				parts[i].follow(&mine[j])
			}
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	total := parts[0].tally
	for _, part := range parts[1:] {
		total.add(part.tally)
	}
	return f.shares(total), nil
}

// cut moves a place between runs to where the next person begins.
func (f *Flow) cut(at int) int {
	runs := f.runs.runs
	for at > 0 && at < len(runs) && runs[at].person == runs[at-1].person {
		at++
	}
	return at
}

func (f *Flow) shares(t *tally) *Shares {
	s := &Shares{Runs: t.runs, Users: t.users, Completed: t.completed, Left: t.left, Unknown: t.unknown}
	connected, possible := f.reachable(f.entry), make([]bool, len(f.nodes))
	for at := range f.nodes {
		if t.stops[at][1] > 0 {
			for to, can := range f.reachable(at) {
				possible[to] = possible[to] || can
			}
		}
	}
	for _, at := range f.order() {
		n := &f.nodes[at]
		share := NodeShare{
			ID: n.names[0], Name: n.names[1], Kind: n.kind, Reach: Reached, Runs: t.nodes[at].runs, Users: t.nodes[at].users,
			Left: t.stops[at][0], Unknown: t.stops[at][1],
		}
		switch {
		case share.Runs > 0:
		case possible[at]:
			share.Reach = Possible
		case connected[at]:
			share.Reach = Nobody
		default:
			share.Reach = NoWay
		}
		s.Nodes = append(s.Nodes, share)
	}
	for at := range f.ways {
		s.Ways = append(s.Ways, WayShare{f.ways[at].Way, t.ways[at].runs, t.ways[at].users})
	}
	s.Questions = f.questionShares(t)
	return s
}

// order returns the nodes in the order in which a run may come to them; those that none can come to follow.
func (f *Flow) order() []int {
	order, seen := make([]int, 0, len(f.nodes)), make([]bool, len(f.nodes))
	for start := -1; start < len(f.nodes); start++ {
		todo := []int{start}
		if start < 0 {
			todo[0] = f.entry
		}
		for len(todo) > 0 {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if at < 0 || seen[at] {
				continue
			}
			seen[at] = true
			order = append(order, at)
			for _, way := range slices.Backward(f.nodes[at].ways) {
				todo = append(todo, f.ways[way].target)
			}
		}
	}
	return order
}

// reachable tells which nodes ways lead to from a node, itself included.
func (f *Flow) reachable(from int) []bool {
	seen := make([]bool, len(f.nodes))
	todo := []int{from}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at < 0 || seen[at] {
			continue
		}
		seen[at] = true
		for _, way := range f.nodes[at].ways {
			todo = append(todo, f.ways[way].target)
		}
	}
	return seen
}

func (f *Flow) questionShares(t *tally) []QuestionShare {
	shares := make([]QuestionShare, 0, len(f.questions))
	for i, q := range f.questions {
		share := QuestionShare{
			StepID: f.nodes[q.step].names[0], LayerID: q.layerID, FieldKey: f.fields[q.field].key,
			Asked: t.asked[i].runs, Answered: t.fields[q.field].runs,
		}
		for _, id := range q.options {
			given := t.options[f.optionAt[Answer{f.fields[q.field].name, f.runs.names[id]}]]
			share.Options = append(share.Options, OptionShare{id, given.runs})
		}
		shares = append(shares, share)
	}
	return shares
}
