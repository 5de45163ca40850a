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
}

// alphabet is what the codes of a view's happenings mean. It numbers steps, decisions and surfaces in the order of
// those codes, so that a later view of the same data, which has more of them, only adds numbers.
type alphabet struct {
	letters []letter // by happening

	steps     []int32    // id by number
	decisions [][2]int32 // node and case by number
	surfaces  [][2]int32 // surface and provider by number
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
	a := &alphabet{letters: make([]letter, len(view.Happenings))}
	steps, decisions, surfaces := map[int32]uint32{}, map[[2]int32]uint32{}, map[[2]int32]uint32{}
	for code, h := range view.Happenings {
		l := letter{kind: kindOf(view, h), step: noNumber, from: noNumber, of: noNumber}
		if h.Step > 0 {
			l.step = number(steps, &a.steps, h.Step)
		}
		switch l.kind {
		case screenVisit, surfaceVisit:
			switch {
			case h.From == run.FromStart:
				l.from = fromStart
			case h.From > 0:
				l.from = number(steps, &a.steps, h.From)
			}
		case decisionTaken:
			l.of = number(decisions, &a.decisions, [2]int32{h.Subject, h.Value})
		}
		switch h.Name {
		case run.SurfacePresented, run.SurfaceOutcome, run.Purchase:
			l.of = number(surfaces, &a.surfaces, [2]int32{h.Step, h.Subject})
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

// stepID returns the id of a numbered step.
func (a *alphabet) stepID(view *frame.View, n uint32) string {
	_, text := view.FlowName(a.steps[n])
	return text
}
