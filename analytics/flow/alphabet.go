package flow

import (
	"github.com/svc-dev/svc/analytics/frame"
	"github.com/svc-dev/svc/analytics/run"
)

// hitKind is what a hit means to reports.
type hitKind uint8

const (
	nothing hitKind = iota
	screenVisit
	surfaceVisit
	stepCompletion
	stepSkip
	surfaceOutcome
	purchaseClaim // a surface_outcome or iap_purchase that reports a purchase
	decisionTaken
	completion
	abandonment
)

// boughtOutcome is the outcome of a surface where a purchase was made.
const boughtOutcome = "purchase_completed"

// letter is what a code of a view's happenings means.
type letter struct {
	kind hitKind
	step uint32 // number of its step; noNumber without one
	from uint32 // number of the step that a visit says it came from, fromStart or noNumber
	of   uint32 // number of the decision and case, or of the surface and its provider
	had  uint32 // number of the outcome of a surface; noNumber without one
}

// topic is a kind of names that reports list.
type topic int

const (
	ofSteps     topic = iota // their ids
	ofDecisions              // node and case
	ofSurfaces               // surface and provider
	ofOutcomes               // of surfaces
	topics
)

// name is what reports list; of steps and outcomes the second text is empty.
type name [2]string

// alphabet is what the codes of a view's happenings mean. It numbers names in the order of those codes, so that a later
// view of the same data, which has more of them, only adds numbers; or as a listing does.
type alphabet struct {
	letters []letter // by happening

	view    *frame.View
	ids     [topics][][2]int32 // of names in the view, by number
	listing *listing           // what numbers mean instead, nil without one
}

const (
	noNumber  = ^uint32(0)
	fromStart = noNumber - 1
)

// lettersOf returns the alphabet of a view, made once.
func lettersOf(view *frame.View) *alphabet {
	type key struct{}
	return frame.Derive(view, key{}, func() *alphabet { return newAlphabet(view) })
}

func newAlphabet(view *frame.View) *alphabet {
	a := &alphabet{letters: make([]letter, len(view.Happenings)), view: view}
	var known [topics]map[[2]int32]uint32
	for t := range known {
		known[t] = map[[2]int32]uint32{}
	}
	numberOf := func(t topic, ids ...int32) uint32 {
		var key [2]int32
		copy(key[:], ids)
		return number(known[t], &a.ids[t], key)
	}
	for code, h := range view.Happenings {
		l := letter{kind: kindOf(view, h), step: noNumber, from: noNumber, of: noNumber, had: noNumber}
		if h.Step > 0 {
			l.step = numberOf(ofSteps, h.Step)
		}
		switch l.kind {
		case screenVisit, surfaceVisit:
			switch {
			case h.From == run.FromStart:
				l.from = fromStart
			case h.From > 0:
				l.from = numberOf(ofSteps, h.From)
			}
		case decisionTaken:
			l.of = numberOf(ofDecisions, h.Subject, h.Value)
		}
		switch h.Name {
		case run.SurfacePresented, run.SurfaceOutcome, run.Purchase:
			l.of = numberOf(ofSurfaces, h.Step, h.Subject)
		}
		if h.Name == run.SurfaceOutcome {
			l.had = numberOf(ofOutcomes, h.Value)
		}
		a.letters[code] = l
	}
	return a
}

// of returns what a hit means.
func (a *alphabet) of(hit int64) *letter { return &a.letters[frame.HitName(hit)] }

// number returns the number of a key, the next one when it is new.
func number[K comparable](numbers map[K]uint32, keys *[]K, key K) uint32 {
	n, known := numbers[key]
	if !known {
		n = uint32(len(*keys))
		numbers[key] = n
		*keys = append(*keys, key)
	}
	return n
}

// kindOf returns what a hit means. A view of no step, which some clients send between two steps, is no visit.
func kindOf(view *frame.View, h frame.Happening) hitKind {
	switch h.Name {
	case run.StepViewed:
		if h.Step > 0 {
			return screenVisit
		}
	case run.SurfacePresented:
		if h.Step > 0 {
			return surfaceVisit
		}
	case run.StepCompleted:
		return stepCompletion
	case run.StepSkipped:
		return stepSkip
	case run.SurfaceOutcome:
		if _, outcome := view.FlowName(h.Value); outcome == boughtOutcome {
			return purchaseClaim
		}
		return surfaceOutcome
	case run.Purchase:
		return purchaseClaim
	case run.DecisionEvaluated:
		return decisionTaken
	case run.FlowCompleted:
		return completion
	case run.FlowAbandoned:
		return abandonment
	}
	return nothing
}

// size returns how many names of a topic have numbers.
func (a *alphabet) size(t topic) int {
	if a.listing != nil {
		return len(a.listing.names[t])
	}
	return len(a.ids[t])
}

// name returns the numbered name of a topic.
func (a *alphabet) name(t topic, n uint32) name {
	if a.listing != nil {
		return a.listing.names[t][n]
	}
	ids := a.ids[t][n]
	_, first := a.view.FlowName(ids[0])
	_, second := a.view.FlowName(ids[1])
	return name{first, second}
}

// stepID returns the id of a numbered step.
func (a *alphabet) stepID(n uint32) string { return a.name(ofSteps, n)[0] }

// find returns the number of a name, noNumber when it has none.
func (a *alphabet) find(t topic, wanted name) uint32 {
	for n := range a.size(t) {
		if a.name(t, uint32(n)) == wanted {
			return uint32(n)
		}
	}
	return noNumber
}
