package problem

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/edit"
)

// check tells what is wrong with a draft, as publishing would find it.
func check(t *testing.T, draft []byte) ([]Problem, *edit.Document) {
	t.Helper()
	doc, _, err := edit.Open(draft)
	if err != nil {
		t.Fatal(err)
	}
	text, err := doc.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	told, err := Inspect(text, gates(text))
	if err != nil {
		t.Fatal(err)
	}
	return told, doc
}

func gates(text []byte) []manifest.Problem {
	m, found := manifest.Parse(text)
	if m != nil {
		found = append(found, manifest.CheckPublish(m, manifest.PublishOptions{})...)
	}
	return found
}

func draft(layers string) []byte {
	return []byte(`{"schemaVersion":7,"flowId":"a0000000-0000-4000-8000-000000000001","version":1,` +
		`"defaultLocale":"en","locales":["en"],` +
		`"entryScreenId":"scr_a","screens":[{"id":"scr_a","name":"Your goal","regions":{"body":{"id":"lyr_body",` +
		`"kind":"stack","direction":"vertical","children":[` + layers + `]}},"next":{"default":null}}]}`)
}

func examples(t *testing.T) [][]byte {
	t.Helper()
	files, err := filepath.Glob("../examples/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	out := [][]byte{draft("")}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, text)
	}
	return out
}

// spoil takes members away and changes texts at random.
func spoil(random *rand.Rand, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch {
			case random.IntN(60) == 0:
				delete(v, name)
			case random.IntN(60) == 0:
				if _, ok := v[name].(string); ok {
					v[name] = "lyr_gone"
				}
			default:
				spoil(random, v[name])
			}
		}
	case []any:
		for _, item := range v {
			spoil(random, item)
		}
	}
}

func TestProblemsOfSpoiltDrafts(t *testing.T) {
	random := rand.New(rand.NewPCG(27, 1))
	for _, example := range examples(t) {
		for range 60 {
			var flow map[string]any
			if err := json.Unmarshal(example, &flow); err != nil {
				t.Fatal(err)
			}
			spoil(random, flow)
			text, err := json.Marshal(flow)
			if err != nil {
				t.Fatal(err)
			}
			told, doc := check(t, text)
			canonical, _ := doc.Canonical()
			blocked := slices.ContainsFunc(told, func(p Problem) bool { return p.Severity == manifest.Error })
			if want := manifest.Blocking(gates(canonical)); blocked != want {
				t.Fatalf("blocked %v, the validator says %v: %s", blocked, want, text)
			}
			for _, p := range told {
				checkProblem(t, doc, p)
			}
		}
	}
}

func checkProblem(t *testing.T, doc *edit.Document, p Problem) {
	t.Helper()
	for _, id := range []string{p.StepID, p.LayerID} {
		if id != "" && !doc.Has(id) {
			t.Errorf("%s: no node %s", p.Code, id)
		}
	}
	if p.Message == "" || strings.Contains(p.Message, "{it}") || strings.Contains(p.Message, "/screens") {
		t.Errorf("%s: %q", p.Code, p.Message)
	}
	for _, id := range []string{p.StepID, p.LayerID} {
		if strings.Contains(id, "_") && id != "lyr_gone" && strings.Contains(p.Message, id) {
			t.Errorf("%s names an id: %q", p.Code, p.Message)
		}
	}
}

func TestSentenceAndFix(t *testing.T) {
	for _, c := range []struct{ layer, code, message, fix string }{
		{
			`{"id":"lyr_t","kind":"text","text":{"default":"Hello"}}`, "layer.missing_color",
			"“Hello” on “Your goal” has no color.", "Give it a readable color",
		},
		{
			`{"id":"lyr_t","kind":"text","text":{"default":"Hello"},"style":{"fontSize":20}}`, "layer.missing_color",
			"“Hello” on “Your goal” has no color.", "Give it a readable color",
		},
		{
			`{"id":"lyr_b","kind":"button","variant":"primary","name":"Later","action":{"kind":"dismiss_banner"},"children":[]}`,
			"button.banner_only", "“Later” on “Your goal” does nothing in a flow: only a banner can be dismissed.",
			"Make it continue",
		},
		{
			`{"id":"lyr_i","kind":"image","name":"Fern","media":{"mediaAssetId":"b0000000-0000-4000-8000-000000000001"}}`,
			"image.no_description", "“Fern” on “Your goal” has no description.", "Mark as decoration",
		},
		{
			`{"id":"lyr_b","kind":"button","variant":"primary","name":"Later","action":{"kind":"continue"},"children":[],` +
				`"style":{"width":"full","height":32}}`,
			"touch.too_small", "“Later” on “Your goal” is 32 px high; fingers need 44 px.", "Make it 44 px",
		},
	} {
		told, doc := check(t, draft(c.layer))
		at := slices.IndexFunc(told, func(p Problem) bool { return p.Code == c.code })
		if at < 0 {
			t.Fatalf("no %s in %+v", c.code, told)
		}
		p := told[at]
		if p.Message != c.message || p.Fix == nil || p.Fix.Name != c.fix || p.LayerID == "" || p.StepID != "scr_a" {
			t.Fatalf("%+v", p)
		}
		if _, refusal := doc.Apply(*p.Fix); refusal != nil {
			t.Fatalf("%s: %v", c.code, refusal)
		}
		text, _ := doc.Canonical()
		for _, left := range gates(text) {
			if left.Code == c.code {
				t.Errorf("%s is still there: %s", c.code, text)
			}
		}
	}
}

// A color that a fix chooses is no new problem: whatever is behind, in both modes, selected or not.
func TestColorsOfFixesCanBeRead(t *testing.T) {
	const bare = `{"id":"lyr_t","kind":"text","text":{"default":"Hello"}}`
	on := func(background string) string {
		return `{"id":"lyr_s","kind":"stack","direction":"vertical","style":{"background":` + background +
			`},"children":[` + bare + `]}`
	}
	option := func(background, selected, text string) string {
		return `{"id":"lyr_c","kind":"single_choice","fieldKey":"goal","branching":{"enabled":false,"conditions":[]},` +
			`"optionBindings":[{"optionId":"a","rootLayerId":"lyr_o"},{"optionId":"b","rootLayerId":"lyr_p"}],` +
			`"children":[{"id":"lyr_p","kind":"stack","direction":"vertical","children":[]},` +
			`{"id":"lyr_o","kind":"stack","direction":"vertical","style":{"background":` + background +
			`},"selectedStyle":{"background":` + selected + `},"children":[` + text + `]}]}`
	}
	const ink, paper, both = `"#111827"`, `"#f9fafb"`, `{"dark":"#f9fafb","light":"#111827"}`
	for _, c := range []struct{ name, layer, color, selected string }{
		{"the screen", bare, both, ""},
		{"a style that is there", strings.Replace(bare, `"text":{`, `"style":{"fontSize":20},"text":{`, 1), both, ""},
		{"a white card", on(`"#ffffff"`), ink, ""},
		{"a black card", on(`"#000000"`), paper, ""},
		{"a gray card, on which neither ink is enough", on(`"#767676"`), `"#000000"`, ""},
		{"a card for both modes", on(`{"light":"#000000","dark":"#ffffff"}`), `{"dark":"#111827","light":"#f9fafb"}`, ""},
		{"a light gradient", on(`"linear-gradient(90deg, #ffffff 0%, #bbbbbb 100%)"`), ink, ""},
		{"a dark gradient", on(`"linear-gradient(90deg, #000000 0%, #444444 100%)"`), paper, ""},
		{"an option that turns dark", option(`"#ffffff"`, `"#000000"`, bare), ink, paper},
		{"an option that stays light", option(`"#ffffff"`, `"#f0f0f0"`, bare), ink, ""},
		{
			"an option whose text has a color when it is selected",
			option(`"#ffffff"`, `"#000000"`, strings.Replace(bare, `"text":{`, `"selectedStyle":{"color":"#ffff00"},"text":{`, 1)),
			ink, `"#ffff00"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			told, doc := check(t, draft(c.layer))
			at := slices.IndexFunc(told, func(p Problem) bool { return p.Code == "layer.missing_color" })
			if at < 0 {
				t.Fatalf("%+v", told)
			}
			if _, refusal := doc.Apply(*told[at].Fix); refusal != nil {
				t.Fatal(refusal)
			}
			text, _ := doc.Canonical()
			for _, left := range gates(text) {
				if strings.HasPrefix(left.Code, "text.") || left.Code == "screen.dark_text" {
					t.Errorf("%s: %s", left.Code, left.Message)
				}
			}
			var found struct {
				Style, SelectedStyle struct{ Color json.RawMessage }
			}
			at = strings.Index(string(text), `"id":"lyr_t"`)
			object := string(text)[at-1:]
			if err := json.NewDecoder(strings.NewReader(object)).Decode(&found); err != nil {
				t.Fatal(err, object)
			}
			if string(found.Style.Color) != c.color || string(found.SelectedStyle.Color) != c.selected {
				t.Errorf("color %s, %s when it is selected", found.Style.Color, found.SelectedStyle.Color)
			}
		})
	}
}

// Advice whose answer a person has to choose.
func TestMeasuredSentences(t *testing.T) {
	const hello = `{"id":"lyr_t","kind":"text","text":{"default":"Hello"},"style":{"color":"#999999"}}`
	for _, c := range []struct{ layer, code, message string }{
		{
			hello, "text.low_contrast",
			"“Hello” on “Your goal” has a contrast of 2.8 to 1 in light mode; 4.5 to 1 is needed.",
		},
		{
			strings.ReplaceAll(hello, "#999999", "#111827"), "screen.dark_text",
			"“Your goal” turns black in dark mode, where one of its texts is hard to read.",
		},
		{
			`{"id":"lyr_b","kind":"button","variant":"primary","name":"Later","action":{"kind":"continue"},"children":[],` +
				`"style":{"width":32,"maxWidth":32}}`,
			"touch.too_small", "“Later” on “Your goal” is 32 px wide; fingers need 44 px.",
		},
	} {
		told, _ := check(t, draft(c.layer))
		at := slices.IndexFunc(told, func(p Problem) bool { return p.Code == c.code })
		if at < 0 || told[at].Message != c.message || told[at].Hint == "" || told[at].Fix != nil {
			t.Errorf("no %q in %+v", c.message, told)
		}
	}
}

func TestManyProblemsAreBounded(t *testing.T) {
	found := make([]manifest.Problem, 0, 3*Max)
	for range 2 * Max {
		found = append(found, manifest.Problem{Severity: manifest.Warning, Code: "layer.fill_in_hug"})
	}
	found = append(found, manifest.Problem{Severity: manifest.Error, Code: "flow.no_entry"})
	told, err := Inspect(draft(""), found)
	if err != nil || len(told) != Max || told[0].Code != "flow.no_entry" {
		t.Fatal(err, len(told))
	}
}
