package automation

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// The sources of values.
const (
	ofEvent     = "event"      // properties of what enrolled the person
	ofPerson    = "person"     // what identify says, see personFields
	ofAttribute = "attributes" // the person's own attributes
)

// Operand is a value that is looked up when it is needed.
type Operand struct{ Of, Property string }

// Condition is a question about a person and an event. Exactly one of All, Any,
// Not and the comparison is set.
type Condition struct {
	All, Any []*Condition
	Not      *Condition
	Operand  Operand
	Op       string
	Value    any // string, float64, bool, or a list of these with in
}

// The operators. exists and absent have no value.
var operators = []string{"eq", "ne", "in", "contains", "gt", "gte", "lt", "lte", "exists", "absent"}

// maxDepth and maxConditions bound one condition.
const (
	maxDepth      = 5
	maxConditions = 50
)

// condition reads the condition that is the member of an object; nil when there is none.
func (r *reader) condition(o *object, name string) *Condition {
	value, given := o.get(name)
	if !given {
		return nil
	}
	count := 0
	return r.readCondition(r.object(o.at(name), value), 1, &count)
}

func (r *reader) readCondition(o *object, depth int, count *int) *Condition {
	defer o.end()
	*count++
	if depth > maxDepth || *count > maxConditions {
		r.report(o.pointer, "length", "a condition is at most %d deep and has at most %d parts", maxDepth, maxConditions)
		return nil
	}
	c := &Condition{}
	group := func(name string) (parts []*Condition) {
		o.list(name, true, maxConditions, func(pointer string, value any) {
			parts = append(parts, r.readCondition(r.object(pointer, value), depth+1, count))
		})
		return parts
	}
	switch {
	case o.has("all"):
		c.All = group("all")
	case o.has("any"):
		c.Any = group("any")
	case o.has("not"):
		value, _ := o.get("not")
		c.Not = r.readCondition(r.object(o.at("not"), value), depth+1, count)
	default:
		c.Operand = *r.operand(o)
		c.Op = o.choice("op", "eq", operators...)
		c.Value = r.value(o, c.Op)
	}
	return c
}

func (o *object) has(name string) bool { return o.members[name] != nil }

func (r *reader) operand(o *object) *Operand {
	operand := &Operand{Of: o.choice("of", "", r.sources()...), Property: o.text("property", true)}
	if _, known := personFields[operand.Property]; operand.Of == ofPerson && operand.Property != "" && !known {
		r.report(o.at("property"), "choice", "is not a field of people")
	}
	r.ask(operand.Of)
	return operand
}

// ask notes what a value is asked of.
func (r *reader) ask(of string) {
	r.answers = r.answers || of == ofAnswers
	r.people = r.people || of != ofEvent
}

// sources returns what can be asked for at this place: answers where the end of a flow enrols people, and nothing of a
// person while it is decided what an event means.
func (r *reader) sources() []string {
	sources := []string{ofEvent}
	if !r.onlyEvent {
		sources = append(sources, ofPerson, ofAttribute)
	}
	if r.flow && !r.waiting {
		sources = append(sources, ofAnswers)
	}
	return sources
}

// eventCondition is condition for one on an event alone.
func (r *reader) eventCondition(o *object, name string) *Condition {
	r.onlyEvent = true
	defer func() { r.onlyEvent = false }()
	return r.condition(o, name)
}

// value reads what is compared with.
func (r *reader) value(o *object, op string) any {
	if op == "exists" || op == "absent" || op == "" {
		return nil
	}
	if op == "in" {
		var list []any
		o.list("value", true, 100, func(pointer string, value any) {
			list = append(list, r.scalar(pointer, value))
		})
		return list
	}
	value, given := o.get("value")
	if !given {
		r.report(o.at("value"), "required", "is required")
		return nil
	}
	return r.scalar(o.at("value"), value)
}

func (r *reader) scalar(pointer string, value any) any {
	switch v := value.(type) {
	case string:
		if len(v) <= maxText {
			return v
		}
	case bool:
		return v
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
	}
	r.report(pointer, "type", "must be a text of at most %d bytes, a number, true or false", maxText)
	return nil
}

// Facts are what conditions and templates can ask for.
type Facts struct {
	Event  map[string]any // values as encoding/json decodes them
	Person Person
}

// Person is what an app said of a person. The zero value is a device of which nothing is known.
type Person struct {
	AppUserID    string
	CustomUserID string
	Email        string
	Consent      string
	FirstName    string
	LastName     string
	Phone        string
	Locale       string
	Country      string
	TimeZone     string
	Attributes   map[string]any
}

// personFields are the fields of people by their names in definitions.
var personFields = map[string]func(*Person) string{
	"appUserId":        func(p *Person) string { return p.AppUserID },
	"customUserId":     func(p *Person) string { return p.CustomUserID },
	"email":            func(p *Person) string { return p.Email },
	"marketingConsent": func(p *Person) string { return p.Consent },
	"firstName":        func(p *Person) string { return p.FirstName },
	"lastName":         func(p *Person) string { return p.LastName },
	"phone":            func(p *Person) string { return p.Phone },
	"locale":           func(p *Person) string { return p.Locale },
	"country":          func(p *Person) string { return p.Country },
	"timeZone":         func(p *Person) string { return p.TimeZone },
}

// look returns a value; nil when it is not known.
func (f *Facts) look(o Operand) any {
	switch o.Of {
	case ofEvent:
		return f.Event[o.Property]
	case ofAttribute:
		return f.Person.Attributes[o.Property]
	case ofAnswers:
		answers, _ := f.Event[ofAnswers].(map[string]any)
		return answers[o.Property]
	}
	if read, known := personFields[o.Property]; known {
		if text := read(&f.Person); text != "" {
			return text
		}
	}
	return nil
}

// holds tells whether a condition is met; no condition is.
func (c *Condition) holds(f *Facts) bool {
	switch {
	case c == nil:
		return true
	case c.All != nil:
		for _, part := range c.All {
			if !part.holds(f) {
				return false
			}
		}
		return true
	case c.Any != nil:
		for _, part := range c.Any {
			if part.holds(f) {
				return true
			}
		}
		return false
	case c.Not != nil:
		return !c.Not.holds(f)
	}
	value := f.look(c.Operand)
	switch c.Op {
	case "exists":
		return value != nil
	case "absent":
		return value == nil
	case "eq":
		return equal(value, c.Value)
	case "ne":
		return !equal(value, c.Value)
	case "in":
		for _, wanted := range c.Value.([]any) {
			if equal(value, wanted) || isList(value) && contains(value, wanted) {
				return true
			}
		}
		return false
	case "contains":
		return contains(value, c.Value)
	}
	order, comparable := compare(value, c.Value)
	if !comparable {
		return false
	}
	switch c.Op {
	case "gt":
		return order > 0
	case "gte":
		return order >= 0
	case "lt":
		return order < 0
	}
	return order <= 0
}

func equal(a, b any) bool {
	switch a.(type) {
	case string, float64, bool:
		return a == b
	}
	return false
}

// contains looks for a text in a text, or for a value in a list.
func contains(value, wanted any) bool {
	switch v := value.(type) {
	case string:
		part, ok := wanted.(string)
		return ok && strings.Contains(v, part)
	case []any:
		for _, entry := range v {
			if equal(entry, wanted) {
				return true
			}
		}
	}
	return false
}

func isList(value any) bool {
	_, is := value.([]any)
	return is
}

// compare orders two numbers, or two times that are written as texts. A text such as "7", as answers are, is a number
// beside one.
func compare(a, b any) (order int, comparable bool) {
	if text, is := a.(string); is {
		if _, beside := b.(float64); beside {
			if number, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(number) {
				a = number
			}
		}
	}
	if x, ok := a.(float64); ok {
		y, ok := b.(float64)
		switch {
		case !ok:
			return 0, false
		case x < y:
			return -1, true
		case x > y:
			return 1, true
		}
		return 0, true
	}
	x, isTime := asTime(a)
	y, alsoTime := asTime(b)
	return x.Compare(y), isTime && alsoTime
}

// asTime reads a time: a text as of RFC 3339, or Unix seconds.
func asTime(value any) (time.Time, bool) {
	switch v := value.(type) {
	case string:
		t, err := time.Parse(time.RFC3339, v)
		return t, err == nil
	case float64:
		if v > 0 && v < 1e11 {
			return time.Unix(int64(v), 0), true
		}
	}
	return time.Time{}, false
}
