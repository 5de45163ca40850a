package simulate

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-dev/svc/manifest"
)

// truth is the result of a condition on a recorded run.
type truth uint8

const (
	no truth = iota
	yes
	unknown
)

func truthOf(holds bool) truth {
	if holds {
		return yes
	}
	return no
}

// subject is what a predicate looks at.
type subject uint8

const (
	ofPlatform subject = iota
	ofLocale
	ofAttribute // of the host: never recorded
	ofField
)

// condition is a compiled expression.
type condition struct {
	key      Name // of its JSON: the same for the same condition in every version
	group    bool
	or       bool
	children []condition
	never    bool // an empty expression, or one of a form that is not known

	subject subject
	field   int // of the flow; -1 when nothing asks for it
	test    func(value) bool
}

// value is what a variable is on a run. A kind of missing makes every predicate false.
type value struct {
	kind valueKind
	text string
	num  float64
	flag bool
	list []string
}

type valueKind uint8

const (
	missing valueKind = iota
	text
	number
	flag
	list
)

// compileCondition compiles an expression. FieldOf returns the number of a field, -1 where there is none.
func compileCondition(e *manifest.Expression, fieldOf func(key string) int) condition {
	if e == nil {
		return condition{never: true}
	}
	switch e.Kind {
	case "group":
		c := condition{group: true, or: e.Op == "or"}
		for _, child := range e.Children {
			c.children = append(c.children, compileCondition(child, fieldOf))
		}
		return c
	case "predicate":
		test := testOf(e.Predicate)
		if e.Variable == nil || test == nil {
			return condition{never: true}
		}
		c := condition{test: test}
		switch {
		case e.Variable.Kind == "field":
			c.subject, c.field = ofField, fieldOf(e.Variable.FieldKey)
		case e.Variable.Kind == "sdk":
			c.subject = ofAttribute
		case e.Variable.Name == "locale":
			c.subject = ofLocale
		}
		return c
	}
	return condition{never: true}
}

// testOf compiles a predicate as the SDKs evaluate it (runtime.md §3); nil for one that is not known.
func testOf(raw json.RawMessage) func(value) bool {
	var p struct {
		Type string `json:"type"`
		Pred struct {
			Op        string          `json:"op"`
			Value     json.RawMessage `json:"value"`
			OptionID  string          `json:"optionId"`
			OptionIDs []string        `json:"optionIds"`
		} `json:"pred"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return nil
	}
	switch p.Type {
	case "string":
		return textTest(p.Pred.Op, p.Pred.Value)
	case "number":
		return numberTest(p.Pred.Op, p.Pred.Value)
	case "boolean":
		var wanted bool
		if json.Unmarshal(p.Pred.Value, &wanted) != nil {
			return nil
		}
		equal := p.Pred.Op == "eq"
		return func(v value) bool {
			left, ok := asFlag(v)
			return ok && (left == wanted) == equal
		}
	case "choice":
		options := p.Pred.OptionIDs
		if p.Pred.Op == "eq" {
			options = []string{p.Pred.OptionID}
		}
		return func(v value) bool { return v.kind == text && v.text != "" && slices.Contains(options, v.text) }
	case "multi":
		return selectionTest(p.Pred.Op, p.Pred.OptionIDs)
	}
	return nil
}

func textTest(op string, raw json.RawMessage) func(value) bool {
	var wanted string
	if json.Unmarshal(raw, &wanted) != nil {
		return nil
	}
	return func(v value) bool {
		if v.kind != text && v.kind != number {
			return false
		}
		switch op {
		case "eq":
			return v.text == wanted
		case "neq":
			return v.text != wanted
		}
		return strings.Contains(v.text, wanted)
	}
}

func numberTest(op string, raw json.RawMessage) func(value) bool {
	var wanted float64
	if json.Unmarshal(raw, &wanted) != nil {
		return nil
	}
	return func(v value) bool {
		if v.kind != number {
			return false
		}
		switch op {
		case "eq":
			return v.num == wanted
		case "neq":
			return v.num != wanted
		case "lt":
			return v.num < wanted
		case "lte":
			return v.num <= wanted
		case "gt":
			return v.num > wanted
		case "gte":
			return v.num >= wanted
		}
		return false
	}
}

func selectionTest(op string, options []string) func(value) bool {
	return func(v value) bool {
		if v.kind != list {
			return false
		}
		switch op {
		case "intersects":
			return slices.ContainsFunc(options, func(id string) bool { return slices.Contains(v.list, id) })
		case "contains_all":
			return !slices.ContainsFunc(options, func(id string) bool { return !slices.Contains(v.list, id) })
		}
		return !slices.ContainsFunc(v.list, func(id string) bool { return id != "" && !slices.Contains(options, id) })
	}
}

func asFlag(v value) (set, ok bool) {
	switch v.kind {
	case flag:
		return v.flag, true
	case number:
		return v.num != 0, true
	case text:
		switch strings.ToLower(strings.TrimSpace(v.text)) {
		case "true", "1", "yes":
			return true, true
		case "false", "0", "no":
			return false, true
		}
	}
	return false, false
}

// valueOf reads the answers to a field as the SDK holds that of a layer of the kind. Known is false where it can't be
// read. Options are those that the layer has; nil when it takes any text.
func valueOf(kind manifest.Kind, answers []Answer, options map[Name]bool, texts []string) (v value, known bool) {
	for _, a := range answers {
		if a.Value == Unread || options != nil && !options[a.Value] {
			return value{}, false
		}
	}
	if kind == manifest.KindMultipleChoice {
		v.kind = list
		for _, a := range answers {
			v.list = append(v.list, texts[a.Value])
		}
		return v, true
	}
	if len(answers) != 1 {
		return value{}, false
	}
	v = value{kind: text, text: texts[answers[0].Value]}
	switch kind {
	case manifest.KindAddressInput:
		return value{}, true // no condition can read it
	case manifest.KindCheckbox:
		return value{kind: flag, flag: v.text == "true"}, v.text == "true" || v.text == "false"
	case manifest.KindScaleInput, manifest.KindNumberStepper:
		n, err := strconv.ParseFloat(v.text, 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return value{}, false
		}
		v.kind, v.num = number, n
	}
	return v, true
}
