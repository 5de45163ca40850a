package edit

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/svc-dev/svc/manifest/examples"
)

func open(t *testing.T, draft string) *Document {
	t.Helper()
	d, _, err := Open([]byte(draft))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func bytesOf(t *testing.T, d *Document) string {
	t.Helper()
	text, err := d.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkIndex compares the index with one that is made anew.
func checkIndex(t *testing.T, d *Document) {
	t.Helper()
	fresh := index(d.flow)
	if got, want := slices.Sorted(maps.Keys(d.nodes)), slices.Sorted(maps.Keys(fresh.nodes)); !slices.Equal(got, want) {
		t.Fatalf("the index has %v, the document %v", got, want)
	}
	for id, n := range d.nodes {
		other := fresh.nodes[id]
		if n.parent != other.parent || n.slot != other.slot || n.kind != other.kind ||
			reflect.ValueOf(n.object).Pointer() != reflect.ValueOf(other.object).Pointer() {
			t.Fatalf("%s is %+v in the index, %+v in the document", id, n, other)
		}
	}
	if d.layers != fresh.layers || d.screens != fresh.screens {
		t.Fatalf("counted %d layers, %d screens; there are %d, %d", d.layers, d.screens, fresh.layers, fresh.screens)
	}
}

// The laws of operations, on every example: a step that was applied is undone to the byte by its inverse and says the
// same when it is read back; one that was refused has changed nothing; the index is that of the document; Between finds
// the way from any state to any other.
func TestLaws(t *testing.T) {
	drafts := map[string]string{}
	files, err := fs.Glob(examples.Files, "*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := examples.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		drafts[name] = string(text)
	}
	drafts["small"] = smallDraft
	for name, draft := range drafts {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				checkLaws(t, draft, seed)
			}
		})
	}
}

func checkLaws(t *testing.T, draft string, seed uint64) {
	t.Helper()
	r := &randomizer{Rand: rand.New(rand.NewPCG(seed, 7))}
	d, replay := open(t, draft), open(t, draft)
	first := bytesOf(t, d)
	var undo [][]Operation
	refused := map[Code]int{}
	for round := range 150 {
		before := bytesOf(t, d)
		step := r.step(d)
		applied, refusal := d.Apply(step)
		if refusal != nil {
			refused[refusal.Code]++
			if after := bytesOf(t, d); after != before {
				t.Fatalf("seed %d: a refused step changed the draft: %v", seed, step)
			}
			checkIndex(t, d)
			continue
		}
		undo = append(undo, applied.Inverse)
		after := bytesOf(t, d)
		checkIndex(t, d)
		checkReplay(t, replay, applied, after)
		inverse, refusal := d.Apply(Step{Operations: applied.Inverse})
		if refusal != nil || bytesOf(t, d) != before {
			t.Fatalf("seed %d: the inverse of %s does not undo it: %v", seed, asJSON(t, step), refusal)
		}
		if _, refusal := d.Apply(Step{Operations: inverse.Inverse}); refusal != nil || bytesOf(t, d) != after {
			t.Fatalf("seed %d: the inverse of the inverse of %s does not redo it: %v", seed, asJSON(t, step), refusal)
		}
		if round%25 == 0 {
			checkBetween(t, open(t, first), open(t, after))
			checkBetween(t, open(t, after), open(t, first))
		}
	}
	for _, inverse := range slices.Backward(undo) {
		if _, refusal := d.Apply(Step{Operations: inverse}); refusal != nil {
			t.Fatal(refusal)
		}
	}
	if got := bytesOf(t, d); got != first {
		t.Errorf("seed %d: undoing all gives\n%s\nwant\n%s", seed, got, first)
	}
	if len(undo) < 20 || len(refused) < 3 {
		t.Errorf("seed %d: only %d steps applied, refusals %v: the test tries too little", seed, len(undo), refused)
	}
}

// checkReplay applies what was applied, as it is stored, to a copy of the document.
func checkReplay(t *testing.T, replay *Document, applied *Applied, want string) {
	t.Helper()
	var stored Step
	if err := json.Unmarshal([]byte(asJSON(t, applied.Step)), &stored); err != nil {
		t.Fatal(err)
	}
	again, refusal := replay.Apply(stored)
	if refusal != nil {
		t.Fatalf("a replay was refused: %v", refusal)
	}
	if asJSON(t, again.Step) != asJSON(t, applied.Step) {
		t.Fatalf("a replay was resolved otherwise:\n%s\n%s", asJSON(t, again.Step), asJSON(t, applied.Step))
	}
	if bytesOf(t, replay) != want {
		t.Fatalf("a replay of %s gives another draft", asJSON(t, applied.Step))
	}
}

func checkBetween(t *testing.T, before, after *Document) {
	t.Helper()
	unchanged := bytesOf(t, before)
	steps, ok := Between(before, after)
	if bytesOf(t, before) != unchanged {
		t.Fatal("Between changed a document")
	}
	if !ok {
		return // compared with sameDraft inside; TestBetween lists what must be found
	}
	for _, step := range steps {
		if _, refusal := before.Apply(step); refusal != nil {
			t.Fatal(refusal)
		}
	}
	if !sameDraft(before, after) {
		t.Fatal("the steps between two drafts do not lead from one to the other")
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// smallDraft has one of everything that the operations treat differently.
const smallDraft = `{"flowId":"0b8f4d0c-6f0e-4f5b-9d0e-0a4d4a3f2b10","schemaVersion":7,"version":1,"defaultLocale":"en",
"locales":["en","de"],"entryScreenId":"scr_1","sdkAttributeKeys":["country"],"externalSurfaceNodes":[],
"screens":[
 {"id":"scr_1","name":"Goal","next":{"default":"scr_2"},"animations":[{"id":"c1","targetLayerId":"lyr_title"}],
  "regions":{"body":{"id":"lyr_body","kind":"stack","direction":"vertical","children":[
   {"id":"lyr_title","kind":"text","text":{"default":"Your goal"}},
   {"id":"lyr_goal","kind":"single_choice","fieldKey":"goal","defaultOptionId":"daily",
    "branching":{"enabled":true,"conditions":[{"choiceId":"daily","goTo":"scr_2"}]},
    "optionBindings":[{"optionId":"daily","rootLayerId":"lyr_o1"},{"optionId":"weekly","rootLayerId":"lyr_o2"}],
    "children":[{"id":"lyr_o1","kind":"stack","direction":"vertical","children":[]},
                {"id":"lyr_o2","kind":"stack","direction":"vertical","children":[]}]}]}}},
 {"id":"scr_2","name":"Plan","next":{"default":null},
  "regions":{"header":{"id":"lyr_head","kind":"stack","direction":"vertical","children":[]},
   "body":{"id":"lyr_body2","kind":"stack","direction":"vertical","unknown":{"kept":1},"children":[
   {"id":"lyr_hello","kind":"text","text":{"default":"{{goal}}, {{ goal.id | default: you }}","translations":{"de":"Hallo {{goal}}"}}},
   {"id":"lyr_age","kind":"wheel_picker","fieldKey":"age","options":[{"optionId":"a","label":{"default":"A"}}]}]}}}],
"decisionNodes":[{"id":"dec_1","elseNext":null,"cases":[{"id":"one","next":"scr_2","expression":{"kind":"group","op":"and","children":[
  {"kind":"predicate","variable":{"kind":"field","fieldKey":"goal"},"predicate":{"type":"choice","pred":{"op":"one_of","optionIds":["daily","weekly"]}}},
  {"kind":"predicate","variable":{"kind":"sdk","key":"country"},"predicate":{"type":"string","pred":{"op":"eq","value":"daily"}}},
  {"kind":"predicate","variable":{"kind":"field","fieldKey":"goal"},"predicate":{"type":"string","pred":{"op":"neq","value":"daily"}}}]}}]}]}`
