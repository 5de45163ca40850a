// Package problem says what is wrong with a draft to people: by the names of its screens and layers, with where it is
// fixed and, where there is one answer, the edit that fixes it. The rules themselves are those of package manifest.
package problem

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/edit"
)

// Max bounds how many problems are told; errors go before warnings when not all fit.
const Max = manifest.MaxProblems

// Problem is a finding about a draft. Message holds no id, pointer or name of a type.
type Problem struct {
	Severity manifest.Severity `json:"severity"`
	Code     string            `json:"code"`              // stable, for programs
	Pointer  string            `json:"pointer"`           // of the migrated document, for programs
	Message  string            `json:"message"`           // one sentence
	Hint     string            `json:"hint,omitempty"`    // how it is fixed; "" where the sentence says it
	StepID   string            `json:"stepId,omitempty"`  // of the screen, decision or surface; "" for the flow
	LayerID  string            `json:"layerId,omitempty"` // of a layer inside of the screen; "" for the step itself
	Property []string          `json:"-"`
	Fix      *edit.Step        `json:"-"` // fixes it; nil where there is no one answer
}

// Inspect names what the validator found in a draft: a document as [edit.Open] gives it. A place that is not in the
// document is left out of its problem, so that every id is one of a node.
func Inspect(document []byte, found []manifest.Problem) ([]Problem, error) {
	doc, _, err := edit.Open(document)
	if err != nil {
		return nil, err
	}
	flow, _ := manifest.DecodeDraft(document)
	parse := sync.OnceValue(func() *manifest.Manifest {
		m, _ := manifest.Parse(document)
		return cmp.Or(m, &manifest.Manifest{})
	})
	ink := func(layer string) manifest.Ink { return parse().ChooseInk(layer) }
	told := make([]Problem, 0, min(len(found), Max))
	for _, severity := range []manifest.Severity{manifest.Error, manifest.Warning} {
		for _, f := range found {
			if f.Severity == severity && len(told) < Max {
				told = append(told, describe(doc, locate(doc, flow, f.Pointer), f, ink))
			}
		}
	}
	return told, nil
}

// InWords is [Inspect] of any bytes: what is no document is told by the sentences that the validator has for it.
func InWords(draft []byte, found []manifest.Problem) []Problem {
	told, err := Inspect(draft, found)
	if err == nil {
		return told
	}
	told = make([]Problem, 0, min(len(found), Max))
	for _, f := range found[:min(len(found), Max)] {
		told = append(told, Problem{Severity: f.Severity, Code: f.Code, Pointer: f.Pointer, Message: f.Message})
	}
	return told
}

// place is where a pointer leads: the innermost step and layer on its way, and the members inside of that.
type place struct {
	step, layer string
	property    []string
	object      map[string]any // of the layer, else of the step, else the flow
}

func locate(doc *edit.Document, flow map[string]any, pointer string) place {
	tokens := split(pointer)
	at := place{property: tokens, object: flow}
	var v any = flow
	for i, token := range tokens {
		switch holder := v.(type) {
		case map[string]any:
			v = holder[token]
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(holder) {
				return at
			}
			v = holder[n]
		default:
			return at
		}
		object, _ := v.(map[string]any)
		id, _ := object["id"].(string)
		switch {
		case !doc.Has(id):
			continue
		case i == 1:
			at.step = id
		case at.step == "" || object["kind"] == nil:
			continue
		default:
			at.layer = id
		}
		at.object, at.property = object, tokens[i+1:]
	}
	return at
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

func split(pointer string) []string {
	if pointer == "" {
		return []string{}
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		tokens[i] = unescape.Replace(token)
	}
	return tokens
}

func describe(
	doc *edit.Document, at place, f manifest.Problem, ink func(layer string) manifest.Ink,
) Problem {
	p := Problem{
		Severity: f.Severity, Code: f.Code, Pointer: f.Pointer,
		StepID: at.step, LayerID: at.layer, Property: at.property,
	}
	subject := subjectOf(doc, at)
	if words, ok := sentences[f.Code]; ok {
		p.Message, p.Hint = strings.ReplaceAll(words.message, "{it}", subject), words.hint
	} else if words, ok := measured[f.Code]; ok {
		p.Message, p.Hint = strings.Replace(f.Message, words.message, subject, 1), words.hint
	} else {
		p.Message = subject + ": " + withNames(doc, f.Message)
	}
	p.Message = capital(p.Message)
	p.Fix = fixOf(at, f.Code, ink)
	return p
}

// subjectOf says where a problem is: “Continue” on “Your goal”.
func subjectOf(doc *edit.Document, at place) string {
	switch {
	case at.layer != "":
		return clip(doc.Label(at.layer)) + " on " + clip(doc.Label(at.step))
	case at.step != "":
		return clip(doc.Label(at.step))
	}
	return "the flow"
}

var (
	pointers = regexp.MustCompile(`/(?:screens|decisionNodes|externalSurfaceNodes)/[^\s,.]+`)
	ids      = regexp.MustCompile(`"?[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+"?`)
)

// withNames writes names in place of the ids and places of a sentence for programs.
func withNames(doc *edit.Document, message string) string {
	message = pointers.ReplaceAllString(message, "another place")
	return ids.ReplaceAllStringFunc(message, func(word string) string {
		if id := strings.Trim(word, `"`); doc.Has(id) {
			return clip(doc.Label(id))
		}
		return word
	})
}

// clip bounds a name: a draft may hold one of any length.
func clip(name string) string {
	const most = 60
	points := []rune(name)
	if len(points) <= most {
		return name
	}
	return string(slices.Concat(points[:most], []rune("…”")))
}

func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}
