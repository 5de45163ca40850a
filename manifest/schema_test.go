package manifest

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema.json has to mean the same to validators that know nothing of how this
// package compiles it.
func TestSchemaIsPlainJSONSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(schemaURL, doc); err != nil {
		t.Fatal(err)
	}
	plain, err := c.Compile(schemaURL)
	if err != nil {
		t.Fatal(err)
	}
	v := readVerdicts(t)
	for _, c := range v.Cases {
		if strings.HasPrefix(c.Name, "layers may") || strings.HasPrefix(c.Name, "conditions may") {
			continue // without a discriminator every branch is tried at every depth
		}
		var doc map[string]any
		if err := json.Unmarshal(c.document(t, v.Base), &doc); err != nil {
			t.Fatal(err)
		}
		migrate(doc)
		var r report
		checkStructure(doc, &r)
		byLength := slices.ContainsFunc(r.problems, func(p Problem) bool { return p.Code == "schema.length" })
		if valid := plain.Validate(doc) == nil; valid != (len(r.problems) == 0) && !byLength {
			t.Errorf("%s: a plain validator says %v, we say %v", c.Name, valid, r.problems)
		}
	}
}

func TestSchemaDefinitionsAreAllUsed(t *testing.T) {
	var doc struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, match := range regexp.MustCompile(`"#/\$defs/(\w+)"`).FindAllSubmatch(Schema(), -1) {
		used[string(match[1])] = true
	}
	for name := range doc.Defs {
		if !used[name] {
			t.Errorf("nothing refers to %s", name)
		}
	}
	for name := range used {
		if _, ok := doc.Defs[name]; !ok {
			t.Errorf("%s is referred to and not defined", name)
		}
	}
}

// A value that does not fit a pattern is answered with the definition's
// description, so there has to be one.
func TestPatternsAreDescribed(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	patterns := 0
	for name, def := range doc["$defs"].(map[string]any) {
		def := def.(map[string]any)
		if _, ok := def["pattern"]; ok {
			patterns++
			if formOf(schemaURL+"#/$defs/"+name) == "" {
				t.Errorf("%s has a pattern and no description", name)
			}
		}
	}
	everywhere := 0
	eachObject(doc, func(object map[string]any) {
		if _, ok := object["pattern"]; ok {
			everywhere++
		}
	})
	if everywhere != patterns {
		t.Errorf("%d patterns, %d of them in definitions of their own", everywhere, patterns)
	}
}

// Every code that the package can report is shown by a vector or a test.
func TestCodesAreCovered(t *testing.T) {
	var shown []byte
	for _, name := range []string{"testdata/verdicts.json", "parse_test.go"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, raw...)
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`"((?:[a-z_]+)\.[a-z_]+)"`)
	n := 0
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") || strings.HasPrefix(source, "schema") {
			continue
		}
		raw, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range code.FindAllSubmatch(raw, -1) {
			n++
			if !bytes.Contains(shown, match[1]) {
				t.Errorf("%s: no test shows %s", source, match[1])
			}
		}
	}
	if n < 80 {
		t.Errorf("found %d codes only", n)
	}
}

// The kinds that the Go code names are those of the schema.
func TestKindsAreThoseOfTheSchema(t *testing.T) {
	source, err := os.ReadFile("layer.go")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, match := range regexp.MustCompile(`Kind\w+\s+Kind = "(\w+)"`).FindAllSubmatch(source, -1) {
		named = append(named, string(match[1]))
	}
	slices.Sort(named)
	var known []string
	layer := compiledSchema().Properties["screens"].Items2020.Ref.Properties["regions"].Properties["body"].Ref.Properties["children"].Items2020.Ref
	for _, ext := range layer.Extensions {
		if u, ok := ext.(*union); ok {
			known = slices.Sorted(maps.Keys(u.branches))
		}
	}
	if !slices.Equal(named, known) || len(known) != 31 {
		t.Errorf("Go has %v\nschema has %v", named, known)
	}
}

func TestLengthUTF16(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "é": 1, "日本": 2, "😀": 2, "a😀b": 4, "\xff": 1, "e\u0301": 2} {
		if got := lengthUTF16(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}
