package manifest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The mutation test breaks every part of every example in turn and expects the
// fault to be found at its place. What may be broken without harm is not
// listed by hand: schema.json tells whether a member is optional and whether a
// value of another type is legal where it stands.

// place is one value of a document.
type place struct {
	pointer string
	value   any
	schemas []*jsonschema.Schema // what the schema says about the value
	parent  *place
}

// signature is equal for places that the schema treats alike, such as the
// sizes of all texts. One of them per example stands for all.
func (p *place) signature() string {
	locations := []string{jsonType(p.value)}
	for _, s := range p.schemas {
		locations = append(locations, s.Location)
	}
	return strings.Join(locations, " ")
}

func (p *place) token() string {
	tokens := splitPointer(p.pointer)
	return tokens[len(tokens)-1]
}

// required reports whether the schema asks for the member.
func (p *place) required() bool {
	found := false
	for _, s := range p.parent.schemas {
		eachSchema(s, p.parent.value, func(s *jsonschema.Schema) {
			found = found || slices.Contains(s.Required, p.token())
		})
	}
	return found
}

// refersTo reports whether the place holds the id of something else: the
// schema calls such values references and targets.
func (p *place) refersTo() (def string, ok bool) {
	for _, s := range p.schemas {
		eachSchema(s, p.value, func(s *jsonschema.Schema) {
			name, isDef := strings.CutPrefix(s.Location, schemaURL+"#/$defs/")
			if isDef && (strings.HasSuffix(name, "Reference") || strings.HasSuffix(name, "Target")) {
				def = name
			}
		})
	}
	_, isString := p.value.(string)
	return def, isString && def != ""
}

func places(doc map[string]any) []*place {
	var out []*place
	byPointer := map[string]*place{}
	visit([]*jsonschema.Schema{compiledSchema()}, doc, "", func(pointer string, v any, schemas []*jsonschema.Schema) {
		p := &place{pointer: pointer, value: v, schemas: schemas}
		byPointer[pointer] = p
		if pointer != "" {
			p.parent = byPointer[pointer[:strings.LastIndex(pointer, "/")]]
			out = append(out, p)
		}
	})
	slices.SortFunc(out, func(a, b *place) int { return comparePointers(a.pointer, b.pointer) })
	return out
}

// change returns doc with the value at pointer replaced, or removed.
func change(t *testing.T, canonical []byte, pointer string, value any, remove bool) []byte {
	t.Helper()
	var doc any
	if err := json.Unmarshal(canonical, &doc); err != nil {
		t.Fatal(err)
	}
	tokens := splitPointer(pointer)
	set := func(any) {}
	current := doc
	for i, token := range tokens {
		last := i == len(tokens)-1
		switch container := current.(type) {
		case map[string]any:
			if last && remove {
				delete(container, token)
			} else if last {
				container[token] = value
			}
			current = container[token]
			set = func(v any) { container[token] = v }
		case []any:
			n, _ := strconv.Atoi(token)
			if last && remove {
				set(slices.Delete(slices.Clone(container), n, n+1))
				continue
			}
			if last {
				container[n] = value
			}
			current = container[n]
			set = func(v any) { container[n] = v }
		}
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// lookup returns the value at a pointer.
func lookup(doc any, pointer string) (any, bool) {
	for _, token := range splitPointer(pointer) {
		switch container := doc.(type) {
		case map[string]any:
			v, ok := container[token]
			if !ok {
				return nil, false
			}
			doc = v
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n >= len(container) {
				return nil, false
			}
			doc = container[n]
		default:
			return nil, false
		}
	}
	return doc, true
}

// texts collects the strings at and below v.
func texts(v any, into map[string]bool) {
	switch v := v.(type) {
	case string:
		into[v] = true
	case map[string]any:
		for _, value := range v {
			texts(value, into)
		}
	case []any:
		for _, value := range v {
			texts(value, into)
		}
	}
}

// explained reports whether a problem is one that losing a value can cause: it
// stands at the value, at what holds it, or at something that names it.
func explained(p Problem, pointer string, lost any, mutated []byte) bool {
	if p.Pointer == pointer || strings.HasPrefix(pointer, p.Pointer+"/") {
		return true
	}
	parent := pointer[:strings.LastIndex(pointer, "/")]
	if strings.HasPrefix(p.Pointer, parent+"/") && !strings.Contains(p.Pointer[len(parent)+1:], "/") {
		return true // a member beside it, as in max below min
	}
	var doc map[string]any
	if json.Unmarshal(mutated, &doc) != nil {
		return false
	}
	migrate(doc)
	names := map[string]bool{}
	texts(lost, names)
	at, _ := lookup(doc, p.Pointer)
	switch at := at.(type) {
	case string:
		return names[at] || names[strings.TrimPrefix(at, permissionPrefix)]
	case map[string]any:
		id, _ := at["id"].(string)
		return names[id]
	}
	return false
}

func problemAt(problems []Problem, pointer string) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Pointer == pointer })
}

// mutationCases runs fn on one place of each signature: of each example, or of
// all of them together when shared.
func mutationCases(t *testing.T, shared bool, fn func(t *testing.T, m *Manifest, p *place)) {
	var mu sync.Mutex
	seen := map[string]bool{}
	first := func(key string) bool {
		mu.Lock()
		defer mu.Unlock()
		before := seen[key]
		seen[key] = true
		return !before
	}
	for name, raw := range exampleFiles(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, problems := Parse(raw)
			if m == nil {
				t.Fatal(problems)
			}
			doc, err := m.document()
			if err != nil {
				t.Fatal(err)
			}
			scope := name
			if shared {
				scope = ""
			}
			for _, p := range places(doc) {
				if first(scope + p.signature()) {
					fn(t, m, p)
				}
			}
		})
	}
}

func TestMutationDelete(t *testing.T) {
	mutationCases(t, false, func(t *testing.T, m *Manifest, p *place) {
		raw := change(t, m.JSON(), p.pointer, nil, true)
		got, problems := Parse(raw)
		_, isMember := p.parent.value.(map[string]any)
		if isMember && p.required() {
			if got == nil && problemAt(problems, p.pointer) {
				return
			}
			// Older forms lack members that migration adds.
			if got != nil {
				doc, _ := got.document()
				if _, restored := lookup(doc, p.pointer); restored {
					return
				}
			}
			t.Errorf("delete %s: required, got %v", p.pointer, problems)
			return
		}
		for _, problem := range problems {
			if !explained(problem, p.pointer, p.value, raw) {
				t.Errorf("delete %s: %s %v", p.pointer, problem.Code, problem)
			}
		}
		if minimum := p.parent.minItems(); !isMember && minimum > 0 && len(p.parent.value.([]any)) == minimum && !problemAt(problems, p.parent.pointer) {
			t.Errorf("delete %s: below the minimum of %d, got %v", p.pointer, minimum, problems)
		}
	})
}

func (p *place) minItems() int {
	n := 0
	for _, s := range p.schemas {
		eachSchema(s, p.value, func(s *jsonschema.Schema) {
			if s.MinItems != nil {
				n = *s.MinItems
			}
		})
	}
	return n
}

func TestMutationRetype(t *testing.T) {
	others := []any{nil, true, "\a", map[string]any{}}
	mutationCases(t, true, func(t *testing.T, m *Manifest, p *place) {
		for _, other := range others {
			if jsonType(other) == jsonType(p.value) {
				continue
			}
			raw := change(t, m.JSON(), p.pointer, other, false)
			got, problems := Parse(raw)
			var doc map[string]any
			if err := json.Unmarshal(raw, &doc); err != nil {
				t.Fatal(err)
			}
			migrate(doc)
			value, _ := lookup(doc, p.pointer) // migration may have put it right
			legal := true
			for _, s := range p.schemas {
				legal = legal && s.Validate(value) == nil
			}
			switch {
			case !legal && got == nil && problemAt(problems, p.pointer):
			case legal && got != nil:
			case legal && !slices.ContainsFunc(problems, func(problem Problem) bool {
				return !explained(problem, p.pointer, p.value, raw)
			}):
			default:
				t.Errorf("retype %s to %s (legal %v): %v", p.pointer, jsonType(other), legal, problems)
			}
		}
	})
}

func TestMutationDangle(t *testing.T) {
	everything := PublishOptions{Integrations: map[Provider]bool{RevenueCat: true, Superwall: true, Stripe: true}}
	mutationCases(t, false, func(t *testing.T, m *Manifest, p *place) {
		def, ok := p.refersTo()
		if !ok {
			return
		}
		nowhere := "scr_nowhere"
		if def == "ChildReference" || def == "LayerReference" {
			nowhere = "lyr_nowhere"
		}
		got, problems := Parse(change(t, m.JSON(), p.pointer, nowhere, false))
		if got != nil {
			problems = CheckPublish(got, everything)
		}
		if !Blocking(problems) || !problemAt(problems, p.pointer) {
			t.Errorf("dangle %s (%s): %v", p.pointer, def, problems)
		}
	})
}

func TestMutationDuplicate(t *testing.T) {
	for name, raw := range exampleFiles(t) {
		m, problems := Parse(raw)
		if m == nil {
			t.Fatal(problems)
		}
		tried := map[string]int{}
		first := map[string]string{"LayerId": m.layers[0].ID, "ScreenId": m.Screens[0].ID}
		if len(m.Decisions) > 0 {
			first["DecisionId"] = m.Decisions[0].ID
		}
		if len(m.Surfaces) > 0 {
			first["SurfaceId"] = m.Surfaces[0].ID
		}
		doc, _ := m.document()
		for _, p := range places(doc) {
			id, isString := p.value.(string)
			def := ""
			for _, candidate := range []string{"LayerId", "ScreenId", "DecisionId", "SurfaceId"} {
				if isString && isDef(p.schemas, p.value, candidate) {
					def = candidate
				}
			}
			if def == "" {
				continue
			}
			code := "graph.duplicate_id"
			if def == "LayerId" {
				code = "layer.duplicate_id"
			}
			if first[def] == id {
				continue
			}
			if tried[p.signature()]++; tried[p.signature()] > 3 {
				continue
			}
			_, problems := Parse(change(t, m.JSON(), p.pointer, first[def], false))
			if !slices.ContainsFunc(problems, func(q Problem) bool { return q.Pointer == p.pointer && q.Code == code }) {
				t.Errorf("%s: duplicate %s: %v", name, p.pointer, problems)
			}
		}
	}
}
