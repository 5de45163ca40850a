package automation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svc-dev/svc/manifest"
)

// reader reads a JSON document and collects what is wrong with it, by JSON pointer.
type reader struct {
	problems  []manifest.Problem
	flow      bool // the end of a flow enrols people
	onlyEvent bool // what is read is asked of an event alone
	waiting   bool // of an event that a node waits for
	answers   bool // something asks for answers
	people    bool // something asks for what is known of a person, or names the person
	fallbacks bool // a value may have a text after | that stands where it is not known
}

func (r *reader) report(pointer, code, format string, args ...any) {
	r.problems = append(r.problems, manifest.Problem{
		Severity: manifest.Error, Code: code, Pointer: pointer, Message: fmt.Sprintf(format, args...),
	})
}

// object is a JSON object that knows which of its members were asked for.
type object struct {
	r       *reader
	pointer string
	members map[string]any
	known   map[string]bool
}

// decode reads text as one JSON object.
func (r *reader) decode(text []byte) *object {
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil || decoder.More() {
		r.report("", "json", "is not a JSON document")
		return &object{r: r, known: map[string]bool{}}
	}
	return r.object("", tree)
}

func (r *reader) object(pointer string, value any) *object {
	members, ok := value.(map[string]any)
	if !ok {
		r.report(pointer, "type", "must be an object")
	}
	return &object{r: r, pointer: pointer, members: members, known: map[string]bool{}}
}

func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

func (o *object) at(name string) string { return o.pointer + "/" + escape(name) }

// get returns a member; false when it is absent or null.
func (o *object) get(name string) (any, bool) {
	o.known[name] = true
	value := o.members[name]
	return value, value != nil
}

// end reports the members that nobody asked for.
func (o *object) end() {
	for _, name := range slices.Sorted(maps.Keys(o.members)) {
		if !o.known[name] {
			o.r.report(o.at(name), "unknown", "is not known here")
		}
	}
}

// text reads a text of at most maxText bytes; a required one is not empty.
func (o *object) text(name string, required bool) string { return o.textOf(name, required, maxText) }

// textOf is text for one of at most so many bytes.
func (o *object) textOf(name string, required bool, most int) string {
	value, given := o.get(name)
	if !given {
		if required {
			o.r.report(o.at(name), "required", "is required")
		}
		return ""
	}
	text, ok := value.(string)
	switch {
	case !ok:
		o.r.report(o.at(name), "type", "must be a text")
	case required && text == "":
		o.r.report(o.at(name), "required", "must not be empty")
	case len(text) > most:
		o.r.report(o.at(name), "length", "has more than %d bytes", most)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		o.r.report(o.at(name), "type", "has characters that are no text")
	default:
		return text
	}
	return ""
}

// choice reads one of a list of words.
func (o *object) choice(name, fallback string, allowed ...string) string {
	if _, given := o.get(name); !given && fallback != "" {
		return fallback
	}
	text := o.text(name, true)
	if text != "" && !slices.Contains(allowed, text) {
		o.r.report(o.at(name), "choice", "must be %s", strings.Join(allowed, ", "))
		return ""
	}
	return text
}

func (o *object) flag(name string) bool {
	value, given := o.get(name)
	on, ok := value.(bool)
	if given && !ok {
		o.r.report(o.at(name), "type", "must be true or false")
	}
	return on
}

// integer reads a whole number from least to most.
func (o *object) integer(name string, required bool, least, most int) int {
	value, given := o.get(name)
	if !given {
		if required {
			o.r.report(o.at(name), "required", "is required")
		}
		return 0
	}
	number, _ := value.(json.Number)
	n, err := number.Float64()
	if err != nil || n != math.Trunc(n) || n < float64(least) || n > float64(most) {
		o.r.report(o.at(name), "range", "must be a whole number from %d to %d", least, most)
		return least
	}
	return int(n)
}

// list reads an array of at most most values.
func (o *object) list(name string, required bool, most int, each func(pointer string, value any)) {
	value, given := o.get(name)
	if !given {
		if required {
			o.r.report(o.at(name), "required", "is required")
		}
		return
	}
	values, ok := value.([]any)
	switch {
	case !ok:
		o.r.report(o.at(name), "type", "must be a list")
	case len(values) == 0:
		o.r.report(o.at(name), "length", "must not be empty")
	case len(values) > most:
		o.r.report(o.at(name), "length", "has more than %d entries", most)
	default:
		for i, value := range values {
			each(fmt.Sprintf("%s/%d", o.at(name), i), value)
		}
	}
}

// texts reads an array of texts that are not empty.
func (o *object) texts(name string, required bool, most int) (texts []string) {
	o.list(name, required, most, func(pointer string, value any) {
		text, ok := value.(string)
		if !ok || text == "" || len(text) > maxText || strings.ContainsRune(text, 0) {
			o.r.report(pointer, "type", "must be a text of 1 to %d bytes", maxText)
			return
		}
		texts = append(texts, text)
	})
	return texts
}
