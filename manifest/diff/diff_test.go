package diff_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/diff"
	"github.com/svc-dev/svc/manifest/examples"
)

func example(t require.TestingT, name string) map[string]any {
	raw, err := examples.Files.ReadFile(name)
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, json.Unmarshal(raw, &document))
	return document
}

// at walks into a document by member names and indexes.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step]
		case int:
			v = v.([]any)[step]
		}
	}
	return v
}

func compare(t require.TestingT, before, after any) []diff.Change {
	x, err := json.Marshal(before)
	require.NoError(t, err)
	y, err := json.Marshal(after)
	require.NoError(t, err)
	changes, err := diff.Compare(x, y)
	require.NoError(t, err)
	return changes
}

func lines(changes []diff.Change) []string {
	out := []string{}
	for _, c := range changes {
		out = append(out, c.String())
	}
	return out
}

func TestChangesAreSaidInWords(t *testing.T) {
	const body, footer = "body", "footer"
	children := func(flow map[string]any, region string) []any {
		return at(flow, "screens", 0, "regions", region, "children").([]any)
	}
	set := func(flow map[string]any, region string, list ...any) {
		at(flow, "screens", 0, "regions", region).(map[string]any)["children"] = list
	}
	for name, c := range map[string]struct {
		edit func(flow map[string]any)
		want []string
	}{
		"nothing": {func(map[string]any) {}, []string{}},
		"where it lies": {func(flow map[string]any) {
			flow["flowId"], flow["version"] = "b0000000-0000-4000-8000-000000000003", 9
		}, []string{}},
		"a text": {func(flow map[string]any) {
			children(flow, body)[1].(map[string]any)["text"] = map[string]any{"default": "Unlock"}
		}, []string{`~ text lyr_of_t in screen "Offer" (scr_offer): text/default "Unlock the plant doctor" -> "Unlock"`}},
		"a member that was not there": {func(flow map[string]any) {
			children(flow, body)[1].(map[string]any)["style"].(map[string]any)["opacity"] = 0.5
		}, []string{`~ text lyr_of_t in screen "Offer" (scr_offer): style/opacity nothing -> 0.5`}},
		"an order": {func(flow map[string]any) {
			list := children(flow, footer)
			set(flow, footer, list[1], list[0])
		}, []string{`> button lyr_of_go in screen "Offer" (scr_offer) moved`}},
		"a removed layer": {func(flow map[string]any) { set(flow, footer, children(flow, footer)[0]) },
			[]string{`- button lyr_of_no in screen "Offer" (scr_offer)`}},
		"an added layer": {func(flow map[string]any) {
			set(flow, body, append(children(flow, body), map[string]any{
				"id": "lyr_new", "kind": "text", "name": "Fine print", "text": map[string]any{"default": "x"},
			})...)
		}, []string{`+ text "Fine print" (lyr_new) in screen "Offer" (scr_offer)`}},
		"a layer in another parent, changed": {func(flow map[string]any) {
			list := children(flow, body)
			title := list[1].(map[string]any)
			title["text"] = map[string]any{"default": "Hi"}
			set(flow, body, append([]any{list[0]}, list[2:]...)...)
			set(flow, footer, append([]any{map[string]any{
				"id": "lyr_box", "kind": "stack", "direction": "vertical", "children": []any{title},
			}}, children(flow, footer)...)...)
		}, []string{
			`+ stack lyr_box in screen "Offer" (scr_offer)`,
			`> text lyr_of_t in screen "Offer" (scr_offer) moved`,
			`~ text lyr_of_t in screen "Offer" (scr_offer): text/default "Unlock the plant doctor" -> "Hi"`,
		}},
		"a screen": {func(flow map[string]any) {
			flow["screens"] = append(flow["screens"].([]any), map[string]any{
				"id": "scr_z", "name": "Z", "regions": map[string]any{}, "next": map[string]any{"default": nil},
			})
			flow["screens"].([]any)[0].(map[string]any)["next"] = map[string]any{"default": "scr_z"}
		}, []string{`~ screen "Offer" (scr_offer): next/default "dec_platform" -> "scr_z"`, `+ screen "Z" (scr_z)`}},
		"a case": {func(flow map[string]any) {
			decision := at(flow, "decisionNodes", 1).(map[string]any)
			decision["cases"] = decision["cases"].([]any)[1:]
		}, []string{`- decision "Trial?" (dec_after): cases[trial]`}},
		"an outcome": {func(flow map[string]any) {
			delete(at(flow, "externalSurfaceNodes", 0, "outcomes").(map[string]any), "dismissed")
		}, []string{`~ surface "Mobile paywall" (surf_mobile): outcomes/dismissed "scr_discount" -> nothing`}},
		"the flow": {func(flow map[string]any) { flow["entryScreenId"] = "scr_thanks" },
			[]string{`~ flow: entryScreenId "scr_offer" -> "scr_thanks"`}},
		"a long value": {func(flow map[string]any) {
			children(flow, body)[0].(map[string]any)["alt"] = strings.Repeat("é", 200)
		}, []string{`~ image lyr_of_i in screen "Offer" (scr_offer): alt "Illustration of potted plants" -> "` +
			strings.Repeat("é", 78) + "…"}},
	} {
		t.Run(name, func(t *testing.T) {
			after := example(t, "paywall-flow.json")
			c.edit(after)
			require.Equal(t, c.want, lines(compare(t, example(t, "paywall-flow.json"), after)))
		})
	}
}

// Pointers lead to the thing: in the old manifest when it was removed, else in the new one.
func TestPointersLead(t *testing.T) {
	before, after := example(t, "paywall-flow.json"), example(t, "paywall-flow.json")
	after["screens"] = after["screens"].([]any)[1:]
	at(after, "screens", 0, "regions", "body", "children", 0, "text").(map[string]any)["default"] = "Hello"
	changes := compare(t, before, after)
	require.Len(t, changes, 2)
	require.Equal(t, diff.Change{
		Kind: diff.Removed, Subject: `screen "Offer" (scr_offer)`, Pointer: "/screens/0", StepID: "scr_offer",
	}, changes[0])
	require.Equal(t, "/screens/0/regions/body/children/0/text/default", changes[1].Pointer)
	require.Equal(t, "scr_thanks", changes[1].StepID)
	require.JSONEq(t, `"Hello"`, string(changes[1].After))
}

// What is no valid manifest is compared as it is, also when ids are used twice.
func TestInvalidManifestsAreCompared(t *testing.T) {
	twice := `{"screens":[{"id":"a","regions":{"body":{"id":"x","kind":"text"}}},
		{"id":"b","regions":{"body":{"id":"x","kind":"text"}}}]}`
	once := `{"screens":[{"id":"a","regions":{"body":{"id":"x","kind":"text"}}},{"id":"b","regions":{}}]}`
	changes, err := diff.Compare([]byte(twice), []byte(once))
	require.NoError(t, err)
	require.Equal(t, []string{"- text x in screen b"}, lines(changes))
	for _, wrong := range []string{"", "[]", "null", "{"} {
		_, err := diff.Compare([]byte(wrong), []byte(once))
		require.ErrorContains(t, err, "the first manifest", wrong)
		_, err = diff.Compare([]byte(once), []byte(wrong))
		require.ErrorContains(t, err, "the second manifest", wrong)
	}
}

// Whatever differs in the canonical form is reported, and nothing else: changes are what they say in both directions.
func TestEveryDifferenceIsReported(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := small(t), small(t)
		edits := rapid.IntRange(0, 4).Draw(t, "edits")
		for range edits {
			mutate(t, after)
		}
		changes, back := compare(t, before, after), compare(t, after, before)
		same := canonical(t, before) == canonical(t, after)
		require.Equal(t, same, len(changes) == 0, "%v", lines(changes))
		require.Equal(t, same, len(back) == 0, "%v", lines(back))
	})
}

// small returns a valid flow of two screens, of which each comparison takes a moment only.
func small(t require.TestingT) map[string]any {
	text := func(id, words string) string {
		return `{"id":"` + id + `","kind":"text","text":{"default":"` + words + `"}}`
	}
	screen := func(id, next string) string {
		return `{"id":"` + id + `","name":"` + id + `","next":{"default":` + next + `},"regions":{"body":{"id":"` +
			id + `_body",
			"kind":"stack","direction":"vertical","children":[` + text(id+"_1", "a") + "," + text(id+"_2", "b") + `]}}}`
	}
	var document map[string]any
	require.NoError(t, json.Unmarshal([]byte(`{"flowId":"a0000000-0000-4000-8000-000000000003","schemaVersion":7,
		"version":1,"defaultLocale":"en","locales":["en","de"],"entryScreenId":"scr_a",
		"screens":[`+screen("scr_a", `"scr_b"`)+","+screen("scr_b", "null")+`]}`), &document))
	return document
}

func canonical(t require.TestingT, document map[string]any) string {
	raw, err := json.Marshal(document)
	require.NoError(t, err)
	if parsed, _ := manifest.Parse(raw); parsed != nil {
		raw = parsed.JSON()
	}
	var form map[string]any
	require.NoError(t, json.Unmarshal(raw, &form))
	delete(form, "flowId")
	delete(form, "version")
	raw, err = json.Marshal(form)
	require.NoError(t, err)
	return string(raw)
}

// mutate changes, removes, swaps or doubles something at a random place.
func mutate(t *rapid.T, document map[string]any) {
	var v any = document
	for depth := range 12 {
		switch node := v.(type) {
		case map[string]any:
			if len(node) == 0 {
				return
			}
			names := []string{}
			for name := range node {
				names = append(names, name)
			}
			name := rapid.SampledFrom(slices.Sorted(slices.Values(names))).Draw(t, fmt.Sprint("member", depth))
			switch inner := node[name].(type) {
			case map[string]any, []any:
				v = inner
				continue
			}
			if rapid.Bool().Draw(t, "remove") {
				delete(node, name)
			} else {
				node[name] = rapid.SampledFrom([]any{"x", 1.5, nil, true, "a~/b"}).Draw(t, "value")
			}
			return
		case []any:
			if len(node) == 0 {
				return
			}
			i := rapid.IntRange(0, len(node)-1).Draw(t, fmt.Sprint("element", depth))
			if rapid.IntRange(0, 3).Draw(t, "list") == 0 {
				j := rapid.IntRange(0, len(node)-1).Draw(t, "other")
				if rapid.Bool().Draw(t, "swap") {
					node[i], node[j] = node[j], node[i]
				} else {
					node[i] = node[j]
				}
				return
			}
			v = node[i]
		default:
			return
		}
	}
}

func TestLinesCannotSteerATerminal(t *testing.T) {
	before := `{"screens":[]}`
	after := `{"screens":[{"id":"a\u001b[2J\nb"}],"locales":["\u009b31m","\u202e"]}`
	changes, err := diff.Compare([]byte(before), []byte(after))
	require.NoError(t, err)
	require.Equal(t, []string{"+ screen a\uFFFD[2J\uFFFDb", "~ flow: locales nothing -> [\"\uFFFD31m\",\"\uFFFD\"]"}, lines(changes))
}

// A list of thousands that was turned around is compared at once.
func TestLargeListsAreCompared(t *testing.T) {
	layers := make([]any, 4000)
	for i := range layers {
		layers[i] = map[string]any{"id": fmt.Sprint("l", i), "kind": "text"}
	}
	flow := func(list []any) map[string]any {
		return map[string]any{"screens": []any{map[string]any{
			"id": "s", "regions": map[string]any{"body": map[string]any{"id": "b", "kind": "stack", "children": list}},
		}}}
	}
	turned := make([]any, len(layers))
	for i := range layers {
		turned[len(layers)-1-i] = layers[i]
	}
	require.Len(t, compare(t, flow(layers), flow(turned)), len(layers)-1)
}
