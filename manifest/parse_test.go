package manifest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

func exampleFiles(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("examples/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	out := map[string][]byte{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = raw
	}
	return out
}

func TestExamplesAreValid(t *testing.T) {
	for name, raw := range exampleFiles(t) {
		m, problems := Parse(raw)
		for _, p := range problems {
			t.Errorf("%s: %s %v", name, p.Code, p)
		}
		if m == nil {
			continue
		}
		again, problems := Parse(m.JSON())
		if len(problems) > 0 || string(again.JSON()) != string(m.JSON()) {
			t.Errorf("%s: the canonical form does not parse to itself: %v", name, problems)
		}
		// Nothing of an example is unknown, so nothing is lost.
		var before, after any
		if json.Unmarshal(raw, &before) != nil || json.Unmarshal(m.JSON(), &after) != nil ||
			!reflect.DeepEqual(before, after) {
			t.Errorf("%s: the canonical form says something else", name)
		}
	}
}

func TestExamplesPassTheGates(t *testing.T) {
	everything := PublishOptions{Integrations: map[Provider]bool{RevenueCat: true, Superwall: true, Stripe: true}}
	for name, raw := range exampleFiles(t) {
		m, problems := Parse(raw)
		if m == nil {
			t.Fatal(problems)
		}
		for _, p := range CheckPublish(m, everything) {
			if p.Severity == Error {
				t.Errorf("%s: %s %v", name, p.Code, p)
			}
		}
	}
}

func TestParseRefusesWhatIsNoManifest(t *testing.T) {
	for raw, want := range map[string]string{
		``:      "json.invalid: The manifest is not valid JSON: it ends too early.",
		`{"a":`: "json.invalid: The manifest is not valid JSON: it ends too early.",
		`{"a":}`: "json.invalid: The manifest is not valid JSON: invalid character '}' looking for beginning " +
			"of value at byte 6.",
		`{} {}`:             "json.invalid: There is more after the end of the manifest.",
		`[]`:                "schema.type: Must be object, not array.",
		`null`:              "schema.type: Must be object, not null.",
		`true`:              "schema.type: Must be object, not boolean.",
		`3`:                 "schema.type: Must be object, not number.",
		`"a"`:               "schema.type: Must be object, not string.",
		`{"version":1e400}`: "json.invalid: The manifest is not valid JSON: number 1e400 at byte 17 is out of range.",
		`{"a\u0000":1}`:     "json.nul: A member name holds a NUL character.",
		`{"a":[` + strings.Repeat("0,", maxValues) + `0]}`: "limits.size: The manifest has more than 500000 values.",
		strings.Repeat("[", 1<<16):                         "limits.depth: The JSON is nested more than 256 levels deep.",
		strings.Repeat(" ", MaxBytes+1):                    "limits.size: The manifest has more than 4194304 bytes.",
	} {
		m, problems := Parse([]byte(raw))
		if m != nil || len(problems) != 1 {
			t.Fatalf("%.40q: %v %v", raw, m, problems)
		}
		if got := problems[0].Code + ": " + problems[0].Message; got != want {
			t.Errorf("%.40q:\n got %s\nwant %s", raw, got, want)
		}
	}
}

func TestBracketsInTextsAreNoNesting(t *testing.T) {
	raw := []byte(`{"a":"` + strings.Repeat(`[{\"`, 1000) + `"}`)
	if got := nesting(raw); got != 1 {
		t.Errorf("nesting %d, want 1", got)
	}
}

// grow returns the base of the verdicts with more screens, or with more layers
// in its first screen.
func grow(t *testing.T, screens, layers int) []byte {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(readVerdicts(t).Base, &doc); err != nil {
		t.Fatal(err)
	}
	list := doc["screens"].([]any)
	for i := range screens {
		body := map[string]any{"id": fmt.Sprintf("lyr_s%d", i), "kind": "stack", "direction": "vertical", "children": []any{}}
		list = append(
			list,
			map[string]any{
				"id": fmt.Sprintf("scr_s%d", i), "name": "S", "next": map[string]any{"default": nil},
				"regions": map[string]any{"body": body},
			},
		)
	}
	children := []any{}
	for i := range layers {
		children = append(children, map[string]any{"id": fmt.Sprintf("lyr_p%d", i), "kind": "progress"})
	}
	list[0].(map[string]any)["regions"].(map[string]any)["body"].(map[string]any)["children"] = children
	doc["screens"] = list
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestCounts(t *testing.T) {
	const ownScreens, ownLayers = 2, 6
	for _, c := range []struct {
		screens, layers int
		want            string
	}{
		{MaxScreens - ownScreens, 0, ""},
		{MaxScreens - ownScreens + 1, 0, "limits.screens"},
		{0, MaxLayers - ownLayers, ""},
		{0, MaxLayers - ownLayers + 1, "limits.layers"},
	} {
		m, problems := Parse(grow(t, c.screens, c.layers))
		code := ""
		if len(problems) > 0 {
			code = problems[0].Code
		}
		if code != c.want || (m != nil) != (c.want == "") {
			t.Errorf("%d screens and %d layers more: %v, want %q", c.screens, c.layers, problems, c.want)
		}
	}
}

func TestProblemsAreOrderedAndBounded(t *testing.T) {
	raw := []byte(strings.ReplaceAll(string(grow(t, 0, 1000)), `"kind":"progress"`, `"kind":"nothing"`))
	m, problems := Parse(raw)
	if m != nil || len(problems) != MaxProblems {
		t.Fatalf("%d problems, want %d", len(problems), MaxProblems)
	}
	for i, p := range problems {
		want := Problem{
			Severity: Error, Code: "schema.value", Pointer: fmt.Sprintf("/screens/0/regions/body/children/%d/kind", i),
			StepID: "scr_a", Message: p.Message,
		}
		if p != want {
			t.Fatalf("problem %d: %+v, want %+v", i, p, want)
		}
	}
}

func TestErrorsAreNotCrowdedOut(t *testing.T) {
	var r report
	for i := range maxCollected + 1 {
		r.warn(at("/screens", i), "test.warning", "Something.")
	}
	r.fail("/version", "test.error", "Something.")
	problems := r.finish(func(string, int) string { return "" })
	if len(problems) != MaxProblems || !Blocking(problems) || problems[0].Pointer != "/screens/0" {
		t.Errorf("%d problems, blocking %v, first %v", len(problems), Blocking(problems), problems[0])
	}
}

func TestProblem(t *testing.T) {
	p := Problem{Pointer: "/screens/12/a~1b~0c/2xl", Message: "No."}
	if got, want := p.Path(), []any{"screens", 12, "a/b~c", "2xl"}; !reflect.DeepEqual(got, want) {
		t.Errorf("path %v, want %v", got, want)
	}
	if got := at("", "screens", 12, "a/b~c", "2xl"); got != p.Pointer {
		t.Errorf("pointer %s, want %s", got, p.Pointer)
	}
	if got := p.Error(); got != "/screens/12/a~1b~0c/2xl: No." {
		t.Errorf("error %q", got)
	}
	whole := Problem{Message: "No."}
	if got := whole.Error(); got != "No." || len(whole.Path()) != 0 {
		t.Errorf("error %q, path %v", got, whole.Path())
	}
}

func TestStepIDs(t *testing.T) {
	v := readVerdicts(t)
	for pointer, step := range map[string]string{
		"/screens/1/name": "scr_b", "/screens/0/regions/body/children": "scr_a", "/version": "",
	} {
		c := verdict{Patch: []patch{{"replace", pointer, true}}}
		_, problems := Parse(c.document(t, v.Base))
		if len(problems) != 1 || problems[0].StepID != step {
			t.Errorf("%s: %+v, want step %q", pointer, problems, step)
		}
	}
}

func TestCanonicalForm(t *testing.T) {
	v := readVerdicts(t)
	a := verdict{Patch: []patch{{"add", "/unknown", 1}, {"replace", "/screens/0/name", "a<b>&\u2028"}}}.document(t, v.Base)
	m, problems := Parse(append([]byte(" \n"), a...))
	if m == nil {
		t.Fatal(problems)
	}
	if !strings.HasPrefix(
		string(m.JSON()), `{"decisionNodes":[],"defaultLocale":"en",`,
	) || strings.ContainsAny(string(m.JSON()), "\n ") {
		t.Errorf("canonical form: %s", m.JSON())
	}
	if !strings.Contains(string(m.JSON()), `"a<b>&`) {
		t.Errorf("escaped what JSON does not ask for: %s", m.JSON())
	}
	marshalled, err := json.Marshal(map[string]any{"manifest": m})
	if err != nil || !json.Valid(marshalled) {
		t.Errorf("marshal: %v", err)
	}
	opened, err := Open(m.JSON())
	if err != nil || string(opened.JSON()) != string(m.JSON()) || !reflect.DeepEqual(opened.Screens, m.Screens) {
		t.Errorf("open: %v", err)
	}
	if _, err := Open([]byte(`{`)); err == nil {
		t.Error("opened what is no JSON")
	}
}

func TestNegativeZeroIsZero(t *testing.T) {
	v := readVerdicts(t)
	rotate := map[string]any{
		"id": "lyr_x", "kind": "stack", "direction": "vertical", "children": []any{},
		"style": map[string]any{"rotate": json.RawMessage("-0.0")},
	}
	m, problems := Parse(
		verdict{Patch: []patch{{"add", "/screens/0/regions/body/children/-", rotate}}}.document(t, v.Base),
	)
	if m == nil {
		t.Fatal(problems)
	}
	if !strings.Contains(string(m.JSON()), `"rotate":0}`) {
		t.Errorf("canonical form: %s", m.JSON())
	}
}

func BenchmarkParse(b *testing.B) {
	raw := exampleFiles(b)["all-layers.json"]
	compiledSchema()
	b.ReportAllocs()
	for b.Loop() {
		if m, problems := Parse(raw); m == nil {
			b.Fatal(problems)
		}
	}
}

func BenchmarkCheckPublish(b *testing.B) {
	m, _ := Parse(exampleFiles(b)["all-layers.json"])
	for b.Loop() {
		CheckPublish(m, PublishOptions{})
	}
}

// A keyword that schema.json may come to use must not let a fault pass.
func TestUnforeseenFaultIsReported(t *testing.T) {
	var r report
	flatten(&jsonschema.ValidationError{InstanceLocation: []string{"screens"}, ErrorKind: &kind.FalseSchema{}}, &r)
	if len(r.problems) != 1 || r.problems[0].Code != "schema.invalid" || r.problems[0].Pointer != "/screens" {
		t.Errorf("got %+v", r.problems)
	}
}
