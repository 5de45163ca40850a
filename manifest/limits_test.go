package manifest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// subject finds where the limits of testdata/limits.txt are tried: the first
// of its kind in an example.
func subject(t *testing.T, where string, layers, paywalls *Manifest) (m *Manifest, pointer string) {
	t.Helper()
	switch where {
	case "document":
		return layers, ""
	case "screen":
		return layers, "/screens/0"
	case "clip":
		return layers, "/screens/0/animations/0"
	case "decision":
		return paywalls, "/decisionNodes/0"
	case "surface":
		return paywalls, "/externalSurfaceNodes/0"
	}
	i := slices.IndexFunc(layers.layers, func(p *placedLayer) bool { return p.Kind == Kind(where) })
	if i < 0 {
		t.Fatalf("no layer of kind %s", where)
	}
	return layers, layers.layers[i].pointer
}

// put sets a value, making the objects and lists on the way.
func put(v any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	if i, err := strconv.Atoi(path[0]); err == nil {
		list, _ := v.([]any)
		for len(list) <= i {
			list = append(list, nil)
		}
		list[i] = put(list[i], path[1:], value)
		return list
	}
	object, _ := v.(map[string]any)
	if object == nil {
		object = map[string]any{}
	}
	object[path[0]] = put(object[path[0]], path[1:], value)
	return object
}

// trial is a value at a limit or just beyond it.
type trial struct {
	value any
	code  string // of the problem, "" when the value is allowed
}

// trials makes the values to try of a rule such as "int 0 96".
func trials(rule []string, now any) []trial {
	var out []trial
	if rule[0] == "enum" {
		for _, value := range rule[1:] {
			out = append(out, trial{value, ""})
		}
		return append(out, trial{"something else", "schema.value"})
	}
	for end, bound := range rule[1:3] {
		if bound == "*" {
			continue
		}
		limit, _ := strconv.ParseFloat(bound, 64)
		outward := float64(2*end - 1) // −1 at the lower end, 1 at the upper
		switch rule[0] {
		case "int":
			out = append(out, trial{limit, ""}, trial{limit + outward, "schema.range"}, trial{limit - outward/2, "schema.type"})
		case "num":
			out = append(out, trial{limit, ""}, trial{limit + outward/1000, "schema.range"})
		case "more":
			if end == 0 {
				out = append(out, trial{limit, "schema.range"}, trial{limit + 0.001, ""})
			} else {
				out = append(out, trial{limit, ""}, trial{limit + 0.001, "schema.range"})
			}
		case "len":
			out = append(out, trial{strings.Repeat("a", int(limit)), ""})
			if n := int(limit + outward); n >= 0 {
				out = append(out, trial{strings.Repeat("a", n), "schema.length"})
			}
		case "items":
			list := now.([]any)
			of := func(n int) []any { return slices.Repeat(list[:1], n) }
			code := map[int]string{0: "schema.too_few", 1: "schema.too_many"}[end]
			out = append(out, trial{of(int(limit)), ""}, trial{of(int(limit + outward)), code})
		}
	}
	return out
}

// TestLimits tries every limit that manifest.md states. The file is written
// from the tables there, not from schema.json.
func TestLimits(t *testing.T) {
	raw, err := os.ReadFile("testdata/limits.txt")
	if err != nil {
		t.Fatal(err)
	}
	layers, paywalls := example(t, "all-layers"), example(t, "paywall-flow")
	for line := range strings.Lines(string(raw)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		m, pointer := subject(t, words[0], layers, paywalls)
		pointer += "/" + words[1]
		doc, err := m.document()
		if err != nil {
			t.Fatal(err)
		}
		now, _ := lookup(doc, pointer)
		if words[2] == "items" && now == nil {
			now = []any{map[string]string{"allowedCountryCodes": "US", "requiredFields": "city"}[words[1]]}
		}
		cases := trials(words[2:], now)
		if len(cases) == 0 {
			t.Errorf("%s: nothing to try", line)
		}
		for _, c := range cases {
			put(doc, splitPointer(pointer), c.value)
			var r report
			checkStructure(doc, &r)
			code := ""
			if i := slices.IndexFunc(r.problems, func(p Problem) bool { return p.Pointer == pointer }); i >= 0 {
				code = r.problems[i].Code
			}
			if code != c.code {
				t.Errorf("%s: %.60s gives %q, want %q", line, fmt.Sprint(c.value), code, c.code)
			}
		}
	}
}
