package runlog

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/manifest"
)

// redactedValue stands for what people typed into a sensitive field.
const redactedValue = "__redacted__"

// Question is what the manifests of a flow say of a field.
type Question struct {
	Key    string
	StepID string
	Kind   manifest.Kind
}

// answered is the last answer of a person to a field: one value, or those of a multiple choice.
type answered struct {
	at     int64       // Unix milliseconds of its latest hit
	key    session.Key // of that hit: breaks ties
	values []int32     // ids of options or outcomes; none when the value stands in the stored event alone
	typed  bool        // from text_submitted
}

// personField names an answer.
type personField struct{ person, field uint32 } // numbers of a survey

// survey gathers what people answered in runs. Of several answers of a person to one field the latest counts, ties by
// the deduplication key of its last event.
type survey struct {
	people   map[string]uint32
	fields   map[string]uint32 // by key
	answers  map[personField]*answered
	skipped  map[personField]bool
	steps    map[uint32]string   // by field: where it was met last
	asks     map[string][]string // the keys of the fields of a step, for skips that name none
	runs     int64
	unpacker run.Unpacker // of rows; no answer keeps what it lends
}

func newSurvey(questions []Question) *survey {
	s := &survey{
		people: map[string]uint32{}, fields: map[string]uint32{}, answers: map[personField]*answered{},
		skipped: map[personField]bool{}, steps: map[uint32]string{}, asks: map[string][]string{},
	}
	for _, q := range questions {
		s.asks[q.StepID] = append(s.asks[q.StepID], q.Key)
	}
	return s
}

// number returns the number of a text, a new one at first sight.
func number(numbers map[string]uint32, text string) uint32 {
	n, ok := numbers[text]
	if !ok {
		n = uint32(len(numbers))
		numbers[strings.Clone(text)] = n
	}
	return n
}

// add gathers the answers of a run.
func (s *survey) add(r *run.Run, texts names) {
	s.runs++
	person := number(s.people, r.Person)
	// Choices of one answer come one after another; whatever moves on in the flow ends it.
	open := map[uint32]*answered{}
	for i := range r.Hits {
		h := &r.Hits[i]
		switch h.Name {
		case run.ChoiceSelected, run.TextSubmitted:
			if h.Subject == 0 {
				continue
			}
			field := number(s.fields, texts.text(h.Subject))
			s.steps[field] = texts.text(h.Step)
			a := open[field]
			if a == nil || a.typed || h.Name == run.TextSubmitted {
				s.keep(personField{person, field}, a)
				a = &answered{typed: h.Name == run.TextSubmitted}
				open[field] = a
			}
			if h.Value != 0 {
				a.values = append(a.values, h.Value)
			}
			a.extend(h)
		case run.DecisionEvaluated, run.AttributionObserved:
		default:
			s.close(person, open)
			if h.Name == run.StepSkipped || h.Name == run.StepCompleted {
				s.skip(person, h, texts)
			}
		}
	}
	s.close(person, open)
}

// extend makes a hit one of an answer.
func (a *answered) extend(h *run.Hit) {
	if cmp.Or(cmp.Compare(h.At, a.at), bytes.Compare(h.Key[:], a.key[:])) > 0 {
		a.at, a.key = h.At, h.Key
	}
}

// close keeps the answers that were open.
func (s *survey) close(person uint32, open map[uint32]*answered) {
	for field, a := range open {
		s.keep(personField{person, field}, a)
	}
	clear(open)
}

// keep keeps an answer, if there is one, unless the person gave a later one.
func (s *survey) keep(of personField, a *answered) {
	if a == nil {
		return
	}
	known := s.answers[of]
	if known == nil || cmp.Or(cmp.Compare(a.at, known.at), bytes.Compare(a.key[:], known.key[:])) > 0 {
		slices.Sort(a.values)
		a.values = slices.Compact(a.values)
		s.answers[of] = a
	}
}

// skip notes the fields that a hit passed: the one that it names, else those of its step. A completed step passes only
// a field that it names.
func (s *survey) skip(person uint32, h *run.Hit, texts names) {
	step := texts.text(h.Step)
	if h.Subject != 0 {
		field := number(s.fields, texts.text(h.Subject))
		s.steps[field] = step
		s.skipped[personField{person, field}] = true
		return
	}
	if h.Name != run.StepSkipped {
		return
	}
	for _, key := range s.asks[step] {
		s.skipped[personField{person, number(s.fields, key)}] = true
	}
}
