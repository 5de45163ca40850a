package simulate

import (
	"slices"
)

// Name is the number of a text in a set of runs: of a step, a field, an option, a platform. None stands for no text.
type Name int32

// None is no text, and of a way the end of the flow. Unread is an answer whose text is not known: it was sensitive, or
// its event expired.
const (
	None   Name = 0
	Unread Name = -1
)

// Exit says how a visit ended.
type Exit uint8

// The exits.
const (
	Left    Exit = iota // the run was given up here
	Went                // by an answer, a button, an outcome, or by itself
	Skipped             // by Skip
)

// Answer is one value that was given to a field; of a multiple choice there are several in a row.
type Answer struct{ Field, Value Name }

// Decided is the case that held at a decision, None for its else.
type Decided struct{ Decision, Case Name }

// Visit is a stay at a screen or surface.
type Visit struct {
	Step    Name
	Exit    Exit
	Toward  Name // the decision or step that the way out led to, None at the end of the flow; of an exit that is not Left
	Outcome Name // of a surface
	Answers []Answer
}

// Run is one recorded run, without the visits that it took back.
type Run struct {
	Person           Name
	Version          int // number of the version that it was made in, -1 when that is not known
	Platform, Locale Name
	Completed        bool
	Visits           []Visit
	Decided          []Decided // in the order of the run
}

// Runs are recorded runs, packed. It belongs to one goroutine until all runs are added.
type Runs struct {
	texts   []string // by name
	names   map[string]Name
	runs    []packedRun
	visits  []packedVisit
	answers []Answer
	decided []Decided
	bytes   int
}

// packedRun ends where its parts end in the slices of all runs; it begins where the run added before it ends.
type packedRun struct {
	person, platform, locale Name
	version                  int32
	completed                bool
	visits, decided          span
}

type packedVisit struct {
	step, toward, outcome Name
	exit                  Exit
	answers               span
}

type span struct{ from, to uint32 }

// NewRuns returns an empty set.
func NewRuns() *Runs { return &Runs{texts: []string{""}, names: map[string]Name{"": None}} }

// Name returns the name of a text.
func (r *Runs) Name(text string) Name {
	name, known := r.names[text]
	if !known {
		name = Name(len(r.texts))
		r.texts = append(r.texts, text)
		r.names[text] = name
		r.bytes += 2*len(text) + 64
	}
	return name
}

// Text returns the text of a name, empty for None and Unread.
func (r *Runs) Text(name Name) string { return r.texts[max(name, 0)] }

// Add adds a run. It keeps nothing of the slices.
func (r *Runs) Add(run *Run) {
	packed := packedRun{
		person: run.Person, platform: run.Platform, locale: run.Locale, version: int32(run.Version), completed: run.Completed,
	}
	packed.visits.from = uint32(len(r.visits))
	for i := range run.Visits {
		v := &run.Visits[i]
		from := uint32(len(r.answers))
		r.answers = append(r.answers, v.Answers...)
		r.visits = append(r.visits, packedVisit{v.Step, v.Toward, v.Outcome, v.Exit, span{from, uint32(len(r.answers))}})
	}
	packed.visits.to = uint32(len(r.visits))
	packed.decided.from = uint32(len(r.decided))
	r.decided = append(r.decided, run.Decided...)
	packed.decided.to = uint32(len(r.decided))
	r.runs = append(r.runs, packed)
}

// Len returns the number of runs.
func (r *Runs) Len() int { return len(r.runs) }

// Bytes returns about how much memory the runs take.
func (r *Runs) Bytes() int {
	return r.bytes + 48*len(r.runs) + 24*len(r.visits) + 8*len(r.answers) + 8*len(r.decided)
}

// group puts the runs of a person together, so that each is counted once.
func (r *Runs) group() {
	slices.SortStableFunc(r.runs, func(a, b packedRun) int { return int(a.person) - int(b.person) })
}
