package runlog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-dev/svc/manifest"
)

// AnswerKind says how the answers of a field are counted.
type AnswerKind string

// The kinds of answers.
const (
	Choice     AnswerKind = "choice" // options of single and multiple choices and of wheels, and the states of checkboxes
	Number     AnswerKind = "number"
	Scale      AnswerKind = "scale"
	Date       AnswerKind = "date"
	Text       AnswerKind = "text"
	Permission AnswerKind = "permission"
	Review     AnswerKind = "review"
)

// Response is what people answered to one field. A person counts once, with the last answer that they gave in runs of
// the scope; who only ever passed the field counts as skipped.
type Response struct {
	FieldKey string
	StepID   string // screen that asks for it in the newest of the scope's versions that does, else where it was met last
	Kind     AnswerKind
	Answered int64 // people
	Skipped  int64 // people
	Redacted int64 // people of Answered whose value was sensitive: it is not stored
	Unread   int64 // people of Answered whose value is no number or date, or expired with its event

	Choices []Share  // the top MaxChoices options or outcomes; of a multiple choice a person is in several
	Spread  *Spread  // of numbers and scales; nil without one
	Buckets []Bucket // at most MaxBuckets, of numbers and scales
	Months  []Share  // of dates, "2026-03", in order of time: the MaxMonths that most people gave
	Texts   []Share  // the top TopTexts, cut to TextUnits characters
	// Distinct counts different texts.
	Distinct int64
}

// Share is a value and how many people gave it. Share is People ÷ Answered.
type Share struct {
	Value  string
	People int64
	Share  float64
}

// Spread is the distribution of numbers, quartiles by nearest rank.
type Spread struct{ Min, P25, Median, P75, Max, Mean float64 }

// Bucket counts the people whose number is in [From, To), the last one's with To.
type Bucket struct {
	From, To float64
	People   int64
}

// The bounds of a response.
const (
	MaxChoices = 100
	MaxMonths  = 1_200
	MaxBuckets = 20
	TopTexts   = 20
	TextUnits  = 200
)

// kindOf returns how a field's answers are counted: as its layer says, else as its events do.
func kindOf(key string, layer manifest.Kind, chosen bool) AnswerKind {
	switch {
	case strings.HasPrefix(key, "permission:"):
		return Permission
	case strings.HasPrefix(key, "app_review:"):
		return Review
	case chosen, layer == manifest.KindSingleChoice, layer == manifest.KindMultipleChoice, layer == manifest.KindCheckbox:
		return Choice
	}
	switch layer {
	case manifest.KindNumberStepper:
		return Number
	case manifest.KindScaleInput:
		return Scale
	case manifest.KindDateTimeInput, manifest.KindWheelPicker: // options of wheels are chosen
		return Date
	}
	return Text
}

// typedValue is a value that stands in a stored event.
type typedValue struct {
	hash [16]byte // of the whole text
	text string   // its beginning, at most TextUnits characters
}

func typedValueOf(text string) typedValue {
	v, sum := typedValue{text: text}, sha256.Sum256([]byte(text))
	copy(v.hash[:], sum[:])
	units := 0
	for at := range text {
		if units == TextUnits {
			v.text = strings.Clone(text[:at])
			break
		}
		units++
	}
	return v
}

// gathered is what a field's people answered.
type gathered struct {
	answered, skipped, redacted, unread int64

	chosen bool // some answer was a choice
	people map[string]int64
	texts  map[[16]byte]*Share
}

// report puts the answers of a survey together. Typed has the values of stored events.
func (s *survey) report(questions []Question, texts names, typed map[personField]typedValue) []Response {
	fields := make([]gathered, len(s.fields))
	for of := range s.skipped {
		if s.answers[of] == nil {
			fields[of.field].skipped++
		}
	}
	for of, a := range s.answers {
		fields[of.field].count(a, texts, typed, of)
	}
	asked := map[string]Question{}
	for _, q := range questions {
		if _, known := asked[q.Key]; !known {
			asked[q.Key] = q
		}
	}
	var report []Response
	for key, field := range s.fields {
		q, known := asked[key]
		if !known {
			q.StepID = s.steps[field]
		}
		report = append(report, fields[field].response(key, q))
	}
	for key, q := range asked {
		if _, met := s.fields[key]; !met {
			report = append(report, (&gathered{}).response(key, q))
		}
	}
	return report
}

func (g *gathered) count(a *answered, texts names, typed map[personField]typedValue, of personField) {
	g.answered++
	if g.people == nil {
		g.people, g.texts = map[string]int64{}, map[[16]byte]*Share{}
	}
	if !a.typed || len(a.values) > 0 {
		g.chosen = g.chosen || !a.typed
		for _, id := range a.values {
			if value := texts.text(id); value != redactedValue {
				g.people[value]++
			} else {
				g.redacted++
			}
		}
		return
	}
	value, stored := typed[of]
	switch {
	case !stored:
		g.unread++
	case value.text == redactedValue:
		g.redacted++
	default:
		share := g.texts[value.hash]
		if share == nil {
			share = &Share{Value: value.text}
			g.texts[value.hash] = share
		}
		share.People++
	}
}

func (g *gathered) response(key string, q Question) Response {
	r := Response{
		FieldKey: key, StepID: q.StepID, Kind: kindOf(key, q.Kind, g.chosen),
		Answered: g.answered, Skipped: g.skipped, Redacted: g.redacted, Unread: g.unread,
	}
	switch r.Kind {
	case Choice, Permission, Review:
		for _, share := range g.texts {
			g.people[share.Value] += share.People
		}
		r.Choices = r.shares(g.people, MaxChoices)
	case Number, Scale:
		r.readNumbers(g)
	case Date:
		r.readDates(g)
	case Text:
		r.readTexts(g)
	}
	return r
}

// shares returns counts with their shares, most people first, ties by value.
func (r *Response) shares(people map[string]int64, limit int) []Share {
	shares := make([]Share, 0, len(people))
	for value, n := range people {
		shares = append(shares, Share{value, n, float64(n) / float64(r.Answered)})
	}
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.People, a.People), cmp.Compare(a.Value, b.Value))
	})
	return slices.Clip(shares[:min(len(shares), limit)])
}

func (r *Response) readTexts(g *gathered) {
	r.Distinct = int64(len(g.texts))
	type hashed struct {
		hash [16]byte
		*Share
	}
	all := make([]hashed, 0, len(g.texts))
	for hash, share := range g.texts {
		all = append(all, hashed{hash, share})
	}
	slices.SortFunc(all, func(a, b hashed) int {
		return cmp.Or(
			cmp.Compare(b.People, a.People), cmp.Compare(a.Value, b.Value), bytes.Compare(a.hash[:], b.hash[:]),
		)
	})
	for _, text := range all[:min(len(all), TopTexts)] {
		text.Share.Share = float64(text.People) / float64(r.Answered)
		r.Texts = append(r.Texts, *text.Share)
	}
}

var month = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])`)

func (r *Response) readDates(g *gathered) {
	months := map[string]int64{}
	for _, share := range g.texts {
		if m := month.FindString(share.Value); m != "" {
			months[m] += share.People
		} else {
			r.Unread += share.People
		}
	}
	r.Months = r.shares(months, MaxMonths)
	slices.SortFunc(r.Months, func(a, b Share) int { return cmp.Compare(a.Value, b.Value) })
}

// weighted is a number that people gave.
type weighted struct {
	value  float64
	people int64
}

func (r *Response) readNumbers(g *gathered) {
	var numbers []weighted
	for _, share := range g.texts {
		if x, err := strconv.ParseFloat(share.Value, 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
			numbers = append(numbers, weighted{x, share.People})
		} else {
			r.Unread += share.People
		}
	}
	if len(numbers) == 0 {
		return
	}
	slices.SortFunc(numbers, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	var n int64
	var mean float64
	for _, x := range numbers {
		n += x.people
		mean += (x.value - mean) * float64(x.people) / float64(n)
	}
	rank := func(p float64) float64 { // the smallest value that p of the people do not exceed
		need := int64(math.Ceil(p * float64(n)))
		for _, x := range numbers {
			if need -= x.people; need <= 0 {
				return x.value
			}
		}
		return numbers[len(numbers)-1].value
	}
	r.Spread = &Spread{
		Min: numbers[0].value, P25: rank(0.25), Median: rank(0.5), P75: rank(0.75), Max: numbers[len(numbers)-1].value,
		Mean: mean,
	}
	r.Buckets = bucketsOf(numbers)
}

// bucketsOf counts numbers, which are sorted: whole numbers that span few each by itself, others in equal widths.
func bucketsOf(numbers []weighted) []Bucket {
	lowest, highest := numbers[0].value, numbers[len(numbers)-1].value
	count, width := MaxBuckets, (highest-lowest)/MaxBuckets
	whole := !slices.ContainsFunc(numbers, func(x weighted) bool { return x.value != math.Trunc(x.value) })
	if whole && highest-lowest < MaxBuckets {
		count, width = int(highest-lowest)+1, 1
	} else if width == 0 || math.IsInf(width, 0) {
		count, width = 1, highest-lowest
	}
	buckets := make([]Bucket, count)
	for i := range buckets {
		buckets[i].From, buckets[i].To = lowest+float64(i)*width, lowest+float64(i+1)*width
	}
	for _, x := range numbers {
		i := 0
		if width > 0 && count > 1 {
			i = min(int((x.value-lowest)/width), count-1)
		}
		buckets[i].People += x.people
	}
	if !whole || width != 1 {
		buckets[count-1].To = highest
	}
	return buckets
}
