package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Severity tells whether a Problem forbids what was asked for.
type Severity string

// The two severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is one finding about a manifest.
type Problem struct {
	Severity Severity `json:"severity"`
	// Code is stable and meant for programs, for example "graph.unknown_target".
	Code string `json:"code"`
	// Pointer is the JSON pointer (RFC 6901) of the offending value in the
	// migrated document. For a missing member it names that member.
	Pointer string `json:"pointer"`
	// Message is one sentence, safe to show.
	Message string `json:"message"`
	// StepID is the screen, decision or surface that holds the value, if any.
	StepID string `json:"stepId,omitempty"`
}

// Error makes a Problem an error that names its place.
func (p Problem) Error() string {
	if p.Pointer == "" {
		return p.Message
	}
	return p.Pointer + ": " + p.Message
}

// Path returns Pointer as a list of member names (string) and array indexes (int).
func (p Problem) Path() []any {
	path := []any{}
	for _, token := range splitPointer(p.Pointer) {
		if i, err := strconv.Atoi(token); err == nil {
			path = append(path, i)
		} else {
			path = append(path, token)
		}
	}
	return path
}

// Blocking reports whether any of the problems is an error.
func Blocking(problems []Problem) bool {
	for _, p := range problems {
		if p.Severity == Error {
			return true
		}
	}
	return false
}

// report collects problems, each once: schemas that overlap find the same.
type report struct {
	problems []Problem
	seen     map[Problem]bool
	count    map[Severity]int
}

// maxCollected bounds, for each severity, what a hostile document can make us
// keep and sort. No error is ever dropped in favor of warnings.
const maxCollected = 10_000

func (r *report) add(severity Severity, pointer, code, format string, args ...any) {
	message := format
	if len(args) > 0 {
		message = fmt.Sprintf(format, args...)
	}
	p := Problem{Severity: severity, Code: code, Pointer: pointer, Message: message}
	if r.seen == nil {
		r.seen, r.count = map[Problem]bool{}, map[Severity]int{}
	}
	if r.seen[p] || r.count[severity] == maxCollected {
		return
	}
	r.seen[p] = true
	r.count[severity]++
	r.problems = append(r.problems, p)
}

func (r *report) fail(pointer, code, format string, args ...any) {
	r.add(Error, pointer, code, format, args...)
}

func (r *report) warn(pointer, code, format string, args ...any) {
	r.add(Warning, pointer, code, format, args...)
}

// MaxProblems bounds how many problems one call returns, so that the answer to
// a large broken document stays readable. Errors go before warnings when not
// all fit.
const MaxProblems = 200

// finish returns the problems in the order of the document, cut to MaxProblems.
// step gives the id of an element of screens, decisionNodes or
// externalSurfaceNodes.
func (r *report) finish(step func(collection string, i int) string) []Problem {
	for i, p := range r.problems {
		tokens := splitPointer(p.Pointer)
		if len(tokens) < 2 {
			continue
		}
		switch tokens[0] {
		case "screens", "decisionNodes", "externalSurfaceNodes":
			if n, err := strconv.Atoi(tokens[1]); err == nil {
				r.problems[i].StepID = step(tokens[0], n)
			}
		}
	}
	slices.SortStableFunc(r.problems, compareProblems)
	if len(r.problems) <= MaxProblems {
		return r.problems
	}
	kept := slices.DeleteFunc(slices.Clone(r.problems), func(p Problem) bool { return p.Severity != Error })
	for _, p := range r.problems {
		if p.Severity != Error {
			kept = append(kept, p)
		}
	}
	kept = kept[:MaxProblems]
	slices.SortStableFunc(kept, compareProblems)
	return kept
}

func compareProblems(a, b Problem) int {
	return cmp.Or(comparePointers(a.Pointer, b.Pointer), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
}

// comparePointers orders pointers member by member, array indexes as numbers.
func comparePointers(a, b string) int {
	return slices.CompareFunc(splitPointer(a), splitPointer(b), func(x, y string) int {
		i, errX := strconv.Atoi(x)
		j, errY := strconv.Atoi(y)
		if errX == nil && errY == nil {
			return cmp.Compare(i, j)
		}
		return cmp.Compare(x, y)
	})
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")
var pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")

// at extends a JSON pointer by member names and array indexes.
func at(pointer string, tokens ...any) string {
	var b strings.Builder
	b.WriteString(pointer)
	for _, token := range tokens {
		b.WriteByte('/')
		switch t := token.(type) {
		case int:
			b.WriteString(strconv.Itoa(t))
		case string:
			b.WriteString(pointerEscaper.Replace(t))
		}
	}
	return b.String()
}

func splitPointer(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		tokens[i] = pointerUnescaper.Replace(token)
	}
	return tokens
}
