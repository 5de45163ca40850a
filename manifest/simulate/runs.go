package simulate

import (
	"cmp"
	"slices"
	"unsafe"
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
	StartedAt        int64     // Unix milliseconds
	Typed            []Typed
}

// Typed names an unread answer whose text stands in an event: the visit and the place among its answers.
type Typed struct {
	Visit, Answer int
	At            int64 // Unix milliseconds of the event
	Key           [16]byte
}

// TypedAnswer is an unread answer of a set, by its number.
type TypedAnswer struct {
	Answer int
	At     int64
	Key    [16]byte
}

// Runs are recorded runs, packed. It belongs to one goroutine until all runs are added.
type Runs struct {
	texts   []string // by name
	names   map[string]Name
	runs    []packedRun
	visits  []packedVisit
	answers []Answer
	decided []Decided
	typed   []TypedAnswer
	bytes   int // of texts

	expected int // runs that will be appended
}

// packedRun has its parts in the slices of all runs.
type packedRun struct {
	person, platform, locale Name
	version                  int32
	completed                bool
	visits, decided, typed   span
	startedAt                int64
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
		startedAt: run.StartedAt,
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
	packed.typed.from = uint32(len(r.typed))
	for _, t := range run.Typed {
		answer := int(r.visits[int(packed.visits.from)+t.Visit].answers.from) + t.Answer
		r.typed = append(r.typed, TypedAnswer{answer, t.At, t.Key})
	}
	packed.typed.to = uint32(len(r.typed))
	r.runs = append(r.runs, packed)
}

// Append adds the runs of another set, whose names are those of r. It keeps nothing of the other's slices.
func (r *Runs) Append(o *Runs) {
	visits, answers := uint32(len(r.visits)), uint32(len(r.answers))
	decided, typed := uint32(len(r.decided)), uint32(len(r.typed))
	all := len(r.runs) + len(o.runs)
	r.visits = append(roomFor(r.visits, len(o.visits), all, r.expected), o.visits...)
	for i := range r.visits[visits:] {
		v := &r.visits[int(visits)+i]
		v.answers = v.answers.after(answers)
	}
	r.answers = append(roomFor(r.answers, len(o.answers), all, r.expected), o.answers...)
	r.decided = append(roomFor(r.decided, len(o.decided), all, r.expected), o.decided...)
	for _, t := range o.typed {
		t.Answer += int(answers)
		r.typed = append(r.typed, t)
	}
	r.runs = roomFor(r.runs, len(o.runs), all, r.expected)
	for _, run := range o.runs {
		run.visits = run.visits.after(visits)
		run.decided = run.decided.after(decided)
		run.typed = run.typed.after(typed)
		r.runs = append(r.runs, run)
	}
}

// Expect says how many runs will be appended. Without it appending moves what is there some times more often.
func (r *Runs) Expect(runs int) { r.expected = runs }

// Clear takes all runs out, and keeps their memory for others.
func (r *Runs) Clear() {
	r.runs, r.visits, r.answers = r.runs[:0], r.visits[:0], r.answers[:0]
	r.decided, r.typed = r.decided[:0], r.typed[:0]
}

func (s span) after(n uint32) span { return span{s.from + n, s.to + n} }

// mostExpected is how many bytes are set aside for items of runs that are only expected: one long run, which may be all
// that the newest day has, says little of the others.
const mostExpected = 64 << 20

// roomFor makes room for more items, of all runs up to now: at once for those that are expected, if these are like the
// others.
func roomFor[T any](s []T, more, runs, expected int) []T {
	need := len(s) + more
	if need <= cap(s) {
		return s
	}
	room := need + need/16
	if runs < expected {
		var item T
		like := need * expected / runs
		room = max(room, min(like+like/16, mostExpected/int(unsafe.Sizeof(item))))
	}
	return slices.Grow(s, room-len(s))
}

// Len returns the number of runs.
func (r *Runs) Len() int { return len(r.runs) }

// Bytes returns about how much memory the runs take.
func (r *Runs) Bytes() int {
	return r.bytes + 64*len(r.runs) + 24*len(r.visits) + 8*len(r.answers) + 8*len(r.decided) + 32*len(r.typed)
}

// TypedAnswers returns the unread answers whose text stands in an event.
func (r *Runs) TypedAnswers() []TypedAnswer { return slices.Clone(r.typed) }

// SetAnswer gives an answer its text, by its number.
func (r *Runs) SetAnswer(answer int, value Name) { r.answers[answer].Value = value }

// Span returns when the first and the last of the runs started, in Unix milliseconds.
func (r *Runs) Span() (first, last int64) {
	for i := range r.runs {
		at := r.runs[i].startedAt
		if i == 0 {
			first, last = at, at
		}
		first, last = min(first, at), max(last, at)
	}
	return first, last
}

// Keep keeps the runs that started last, and the texts of all.
func (r *Runs) Keep(newest int) {
	if len(r.runs) <= newest {
		return
	}
	slices.SortStableFunc(r.runs, func(a, b packedRun) int { return cmp.Compare(b.startedAt, a.startedAt) })
	kept := &Runs{}
	for _, run := range r.runs[:newest] {
		visits, moved := run.visits, 0
		run.visits.from = uint32(len(kept.visits))
		for i, v := range r.visits[visits.from:visits.to] {
			at := uint32(len(kept.answers))
			if i == 0 {
				moved = int(at) - int(v.answers.from)
			}
			kept.answers = append(kept.answers, r.answers[v.answers.from:v.answers.to]...)
			v.answers = span{at, uint32(len(kept.answers))}
			kept.visits = append(kept.visits, v)
		}
		run.visits.to = uint32(len(kept.visits))
		run.decided, kept.decided = take(run.decided, r.decided, kept.decided)
		run.typed, kept.typed = take(run.typed, r.typed, kept.typed)
		for i := range kept.typed[run.typed.from:] {
			kept.typed[int(run.typed.from)+i].Answer += moved
		}
		kept.runs = append(kept.runs, run)
	}
	r.runs, r.visits, r.answers, r.decided, r.typed = kept.runs, kept.visits, kept.answers, kept.decided, kept.typed
}

// take appends a part of one slice to another.
func take[T any](of span, from, to []T) (span, []T) {
	at := uint32(len(to))
	to = append(to, from[of.from:of.to]...)
	return span{at, uint32(len(to))}, to
}

// group puts the runs of a person together, so that each is counted once.
func (r *Runs) group() {
	slices.SortStableFunc(r.runs, func(a, b packedRun) int { return cmp.Compare(a.person, b.person) })
}
