package manifest

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The mutation tests break every part of the examples in turn and expect the
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
// sizes of all texts. One of them stands for all.
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

// mutation is a document with one place changed.
type mutation struct {
	base    any
	pointer string
	value   any
	remove  bool
}

// document makes the changed document anew: parsing changes what it is given.
func (m mutation) document() map[string]any {
	return m.copy(m.base, splitPointer(m.pointer), true).(map[string]any)
}

// copy copies v; onPath tells whether path leads on to the place to change.
func (m mutation) copy(v any, path []string, onPath bool) any {
	if onPath && len(path) == 0 {
		return m.value
	}
	next := func(token string) (rest []string, on, gone bool) {
		if !onPath || path[0] != token {
			return nil, false, false
		}
		return path[1:], true, m.remove && len(path) == 1
	}
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			if rest, on, gone := next(name); !gone {
				out[name] = m.copy(value, rest, on)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for i, value := range v {
			if rest, on, gone := next(strconv.Itoa(i)); !gone {
				out = append(out, m.copy(value, rest, on))
			}
		}
		return out
	}
	return v
}

func (m mutation) parse() (*Manifest, []Problem) { return parseDocument(m.document(), &report{}) }

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
func explained(p Problem, lost any, m mutation) bool {
	pointer := m.pointer
	if p.Pointer == pointer || strings.HasPrefix(pointer, p.Pointer+"/") {
		return true
	}
	parent := pointer[:strings.LastIndex(pointer, "/")]
	if strings.HasPrefix(p.Pointer, parent+"/") && !strings.Contains(p.Pointer[len(parent)+1:], "/") {
		return true // a member beside it, as in max below min
	}
	doc := m.document()
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

// fixedPoint checks that the canonical form of what was accepted parses to
// itself.
func fixedPoint(t *testing.T, m *Manifest) {
	t.Helper()
	if m == nil {
		return
	}
	if again, problems := Parse(m.JSON()); again == nil || string(again.JSON()) != string(m.JSON()) {
		t.Errorf("the canonical form does not parse to itself: %v", problems)
	}
}

// alone returns the document of the one step that holds the pointer, and the
// pointer in it. What the structure says of a step does not depend on others,
// and a small document is checked faster.
func alone(base map[string]any, pointer string) (map[string]any, string) {
	tokens := splitPointer(pointer)
	steps, _ := base[tokens[0]].([]any)
	if tokens[0] == "sdkAttributeKeys" || len(tokens) < 3 || steps == nil {
		return base, pointer
	}
	small := maps.Clone(base)
	small["screens"], small["decisionNodes"], small["externalSurfaceNodes"] = []any{}, []any{}, []any{}
	i, _ := strconv.Atoi(tokens[1])
	small[tokens[0]] = steps[i : i+1]
	return small, at("", tokens[0], 0) + pointer[len(at("", tokens[0], i)):]
}

func problemAt(problems []Problem, pointer string) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Pointer == pointer })
}

// mutationCases runs fn on one place of each signature: of all examples
// together, or of each when everyExample is set.
func mutationCases(t *testing.T, everyExample bool, fn func(t *testing.T, base map[string]any, p *place)) {
	seen := map[string]bool{}
	files := exampleFiles(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		m, problems := Parse(files[name])
		if m == nil {
			t.Fatal(problems)
		}
		base, err := m.document()
		if err != nil {
			t.Fatal(err)
		}
		if everyExample {
			clear(seen)
		}
		var chosen []*place
		for _, p := range places(base) {
			if !seen[p.signature()] {
				seen[p.signature()] = true
				chosen = append(chosen, p)
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && name == "all-layers.json" {
				t.Skip("in full runs only: every kind of layer has places to break here")
			}
			for _, p := range chosen {
				fn(t, base, p)
			}
		})
	}
}

func TestMutationDelete(t *testing.T) {
	mutationCases(t, false, func(t *testing.T, base map[string]any, p *place) {
		without := mutation{base: base, pointer: p.pointer, remove: true}
		got, problems := without.parse()
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
			if !explained(problem, p.value, without) {
				t.Errorf("delete %s: %s %v", p.pointer, problem.Code, problem)
			}
		}
		if minimum := p.parent.minItems(); !isMember && minimum > 0 && len(p.parent.value.([]any)) == minimum && !problemAt(
			problems, p.parent.pointer,
		) {
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
	others := []any{nil, true, -7.25, "\a", []any{}, map[string]any{}}
	mutationCases(t, false, func(t *testing.T, base map[string]any, p *place) {
		for _, other := range others {
			if jsonType(other) == jsonType(p.value) {
				continue
			}
			step, pointer := alone(base, p.pointer)
			changed := mutation{base: step, pointer: pointer, value: other}
			doc := changed.document()
			migrate(doc)
			value, _ := lookup(doc, pointer) // migration may have put it right
			legal := true
			for _, s := range p.schemas {
				legal = legal && s.Validate(value) == nil
			}
			if !legal {
				if got, problems := changed.parse(); got != nil || !problemAt(problems, pointer) {
					t.Errorf("retype %s to %s: %v", p.pointer, jsonType(other), problems)
				}
				continue
			}
			changed = mutation{base: base, pointer: p.pointer, value: other}
			got, problems := changed.parse()
			fixedPoint(t, got)
			for _, problem := range problems {
				if !explained(problem, p.value, changed) {
					t.Errorf("retype %s to %s, which the schema allows: %s %v", p.pointer, jsonType(other), problem.Code, problem)
				}
			}
		}
	})
}

func TestMutationDangle(t *testing.T) {
	everything := PublishOptions{Integrations: map[Provider]bool{RevenueCat: true, Superwall: true, Stripe: true}}
	mutationCases(t, true, func(t *testing.T, base map[string]any, p *place) {
		def, ok := p.refersTo()
		if !ok {
			return
		}
		nowhere := "scr_nowhere"
		if def == "ChildReference" || def == "LayerReference" {
			nowhere = "lyr_nowhere"
		}
		got, problems := mutation{base: base, pointer: p.pointer, value: nowhere}.parse()
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
			_, problems := mutation{base: doc, pointer: p.pointer, value: first[def]}.parse()
			if !slices.ContainsFunc(problems, func(q Problem) bool { return q.Pointer == p.pointer && q.Code == code }) {
				t.Errorf("%s: duplicate %s: %v", name, p.pointer, problems)
			}
		}
	}
}
