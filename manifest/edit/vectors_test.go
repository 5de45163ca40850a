package edit

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/vectors.json anew")

// vectors is testdata/vectors.json: what this package and its twin in the dashboard must agree on, to the byte.
type vectors struct {
	Bases map[string]json.RawMessage `json:"bases"`
	Cases []vector                   `json:"cases"`
}

// vector is a log of steps on a base; outcome has one entry a step.
type vector struct {
	Name    string            `json:"name"`
	Base    string            `json:"base"`
	Log     []json.RawMessage `json:"log"`
	Outcome []outcome         `json:"outcome"`
	Result  string            `json:"result"`
}

type outcome struct {
	Applied *Applied `json:"applied,omitempty"`
	Refused *Refusal `json:"refused,omitempty"`
}

// written are the cases that people wrote; each step is a list of operations.
var written = []struct {
	name  string
	steps []string
}{
	{"set a property, then a deeper one that has no object yet", []string{
		`{"op":"set","node":"lyr_title","path":["text","default"],"value":"What is your goal?"}`,
		`{"op":"set","node":"lyr_title","path":["style","padding","t"],"value":8}`}},
	{"set null is a value, unset is not", []string{
		`{"op":"set","node":"scr_1","path":["next","default"],"value":null}`,
		`{"op":"unset","node":"scr_1","path":["next","default"]}`, `{"op":"unset","node":"scr_1","path":["a","b"]}`}},
	{"paths that are no property", []string{
		`{"op":"set","node":"lyr_title","path":["id"],"value":"lyr_x"}`, `{"op":"set","node":"lyr_title","path":["kind"],"value":"image"}`,
		`{"op":"set","node":"lyr_body","path":["children"],"value":[]}`, `{"op":"set","node":"lyr_body","path":["children","0"],"value":1}`,
		`{"op":"unset","node":"scr_1","path":["regions"]}`, `{"op":"set","node":"flow","path":["version"],"value":9}`,
		`{"op":"set","node":"flow","path":["screens"],"value":[]}`, `{"op":"set","node":"lyr_title","path":[],"value":1}`,
		`{"op":"set","node":"flow","path":["locales","0"],"value":"fr"}`,
		`{"op":"set","node":"lyr_goal/optionBindings/daily","path":["optionId"],"value":"x"}`}},
	{"hostile names and texts", []string{
		`{"op":"set","node":"lyr_title","path":["__proto__"],"value":1}`, `{"op":"set","node":"lyr_title","path":["a"],"value":{"__proto__":1}}`,
		`{"op":"set","node":"lyr_title","path":["a"],"value":"\u0000"}`,
		`{"op":"set","node":"lyr_title","path":["a","constructor"],"value":{"toString":{"b":-0}}}`,
		`{"op":"set","node":"lyr_title","path":["alt"],"value":"\u2028 <b>&amp;</b> \u0007 😀"}`}},
	{"an option is a child and a binding, in one step", []string{
		`{"op":"insert","parent":"lyr_goal","slot":"children","after":"lyr_o2","before":null,"subtree":{"id":"lyr_o3","kind":"stack","direction":"vertical","children":[]}};` +
			`{"op":"insert","parent":"lyr_goal","slot":"optionBindings","after":"lyr_goal/optionBindings/daily","before":null,"subtree":{"optionId":"never","rootLayerId":"lyr_o3"}}`}},
	{"a step is refused whole", []string{
		`{"op":"set","node":"lyr_title","path":["name"],"value":"A"};{"op":"remove","node":"lyr_missing"}`}},
	{"insert first, before, after, by a lost anchor", []string{
		`{"op":"insert","parent":"lyr_body","slot":"children","after":null,"before":"lyr_title","subtree":{"id":"lyr_a","kind":"text"}}`,
		`{"op":"insert","parent":"lyr_body","slot":"children","after":"lyr_missing","before":"lyr_goal","subtree":{"id":"lyr_b","kind":"text"}}`,
		`{"op":"insert","parent":"lyr_body","slot":"children","after":null,"before":null,"subtree":{"id":"lyr_c","kind":"text"}}`}},
	{"insert what is there, has no id, or has a broken slot", []string{
		`{"op":"insert","parent":"lyr_body","slot":"children","subtree":{"id":"lyr_title","kind":"text"}}`,
		`{"op":"insert","parent":"lyr_body","slot":"children","subtree":{"kind":"text"}}`,
		`{"op":"insert","parent":"lyr_body","slot":"children","subtree":{"id":"lyr_x","kind":"stack","children":[{"id":"lyr_x","kind":"text"}]}}`,
		`{"op":"insert","parent":"lyr_body","slot":"children","subtree":{"id":"lyr_x","kind":"stack","children":[1]}}`,
		`{"op":"insert","parent":"lyr_goal","slot":"optionBindings","subtree":{"optionId":"daily"}}`,
		`{"op":"insert","parent":"lyr_body","slot":"children","subtree":{"id":"a/b","kind":"text"}}`}},
	{"slots that are not there, are taken, or are fixed", []string{
		`{"op":"insert","parent":"lyr_title","slot":"children","subtree":{"id":"lyr_a","kind":"text"}}`,
		`{"op":"insert","parent":"scr_2","slot":"header","subtree":{"id":"lyr_a","kind":"stack","children":[]}}`,
		`{"op":"insert","parent":"scr_1","slot":"header","subtree":{"id":"lyr_a","kind":"stack","children":[]}}`,
		`{"op":"remove","node":"lyr_body"}`, `{"op":"remove","node":"flow"}`, `{"op":"move","node":"scr_1","parent":"lyr_body","slot":"children"}`}},
	{"graph positions come with what they stand in", []string{
		`{"op":"insert","parent":"flow","slot":"layout","subtree":{"id":"scr_1","x":10,"y":20}}`,
		`{"op":"set","node":"flow/layout/scr_1","path":["x"],"value":11}`,
		`{"op":"set","node":"flow","path":["builderMeta","layout","canvas"],"value":{"zoom":2}}`,
		`{"op":"remove","node":"flow/layout/scr_1"}`, `{"op":"set","node":"flow","path":["builderMeta"],"value":{"layout":1}}`}},
	{"move among siblings, to another screen, into itself", []string{
		`{"op":"move","node":"lyr_title","parent":"lyr_body","slot":"children","after":"lyr_goal"}`,
		`{"op":"move","node":"lyr_title","parent":"lyr_head","slot":"children"}`,
		`{"op":"move","node":"lyr_goal","parent":"lyr_o1","slot":"children"}`,
		`{"op":"move","node":"lyr_head","parent":"scr_2","slot":"footer"}`, `{"op":"move","node":"scr_2","parent":"flow","slot":"screens","before":"scr_1"}`,
		`{"op":"move","node":"lyr_goal/optionBindings/weekly","parent":"lyr_goal","slot":"optionBindings","before":"lyr_goal/optionBindings/daily"}`}},
	{"two moves that would make a cycle: the later is refused", []string{
		`{"op":"move","node":"lyr_o1","parent":"lyr_o2","slot":"children"}`, `{"op":"move","node":"lyr_o2","parent":"lyr_o1","slot":"children"}`}},
	{"remove and what hangs on it", []string{
		`{"op":"remove","node":"lyr_goal"}`, `{"op":"set","node":"lyr_o1","path":["gap"],"value":1}`, `{"op":"remove","node":"scr_2"}`}},
	{"rename a field in layers, conditions and templates", []string{
		`{"op":"rename","key":"field","from":"goal","to":"objective"}`, `{"op":"rename","key":"field","from":"objective","to":"age"}`,
		`{"op":"rename","key":"field","from":"goal","to":"x"}`, `{"op":"rename","key":"field","from":"objective","to":"Not A Key"}`,
		`{"op":"rename","key":"field","from":"age","to":"Not A Key"}`, `{"op":"rename","key":"field","from":"age","to":"permission:camera"}`}},
	{"rename an option in bindings, branching, defaults and conditions", []string{
		`{"op":"rename","key":"option","owner":"lyr_goal","from":"daily","to":"every_day"}`,
		`{"op":"set","node":"lyr_goal/optionBindings/every_day","path":["note"],"value":1}`,
		`{"op":"rename","key":"option","owner":"lyr_goal","from":"every_day","to":"weekly"}`,
		`{"op":"rename","key":"option","from":"weekly","to":"x"}`, `{"op":"rename","key":"option","owner":"lyr_age","from":"a","to":"b"}`}},
	{"rename an attribute", []string{
		`{"op":"rename","key":"attribute","from":"country","to":"region"}`, `{"op":"rename","key":"attribute","from":"country","to":"x"}`}},
}

func stepsOf(t *testing.T, text string) Step {
	t.Helper()
	var step Step
	operations := "[" + strings.ReplaceAll(text, `};{`, `},{`) + "]"
	if err := json.Unmarshal([]byte(operations), &step.Operations); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return step
}

func run(t *testing.T, name, base string, d *Document, next func(i int) (Step, bool)) vector {
	t.Helper()
	v := vector{Name: name, Base: base}
	for i := 0; ; i++ {
		step, more := next(i)
		if !more {
			break
		}
		v.Log = append(v.Log, json.RawMessage(asJSON(t, step)))
		applied, refusal := d.Apply(step)
		v.Outcome = append(v.Outcome, outcome{applied, refusal})
	}
	v.Result = bytesOf(t, d)
	return v
}

// TestVectors holds this package to testdata/vectors.json, as the dashboard's tests do its twin. Run it with -update
// after a change that is meant, and read what it changed.
func TestVectors(t *testing.T) {
	small := json.RawMessage(bytesOf(t, open(t, smallDraft)))
	all := vectors{Bases: map[string]json.RawMessage{"small": small}}
	for _, one := range written {
		all.Cases = append(all.Cases, run(t, one.name, "small", open(t, smallDraft), func(i int) (Step, bool) {
			if i == len(one.steps) {
				return Step{}, false
			}
			return stepsOf(t, one.steps[i]), true
		}))
	}
	for seed := range uint64(40) {
		r := &randomizer{Rand: rand.New(rand.NewPCG(seed, 11))}
		d := open(t, smallDraft)
		all.Cases = append(all.Cases, run(t, fmt.Sprintf("random %d", seed), "small", d, func(i int) (Step, bool) {
			return r.step(d), i < 12
		}))
	}
	const file = "testdata/vectors.json"
	if *update {
		if err := os.WriteFile(file, []byte(asJSON(t, all)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(stored) != asJSON(t, all) {
		t.Error("testdata/vectors.json says otherwise; run with -update when the change is meant")
	}
}

// TestOutcomes says what the written vectors must come to.
func TestOutcomes(t *testing.T) {
	want := map[string]string{
		"set a property, then a deeper one that has no object yet": "ok ok", "set null is a value, unset is not": "ok ok ok",
		"paths that are no property": "shape shape shape shape shape shape shape shape shape shape",
		"hostile names and texts":    "shape shape shape ok ok", "an option is a child and a binding, in one step": "ok",
		"a step is refused whole": "node_removed", "insert first, before, after, by a lost anchor": "ok ok ok",
		"insert what is there, has no id, or has a broken slot":   "exists shape exists shape exists shape",
		"slots that are not there, are taken, or are fixed":       "slot slot ok slot slot cycle",
		"graph positions come with what they stand in":            "ok ok ok ok shape",
		"move among siblings, to another screen, into itself":     "ok ok cycle ok ok ok",
		"two moves that would make a cycle: the later is refused": "ok cycle", "remove and what hangs on it": "ok node_removed ok",
		"rename a field in layers, conditions and templates":               "ok exists node_removed shape ok shape",
		"rename an option in bindings, branching, defaults and conditions": "ok ok exists shape ok",
		"rename an attribute": "ok node_removed",
	}
	for _, one := range written {
		d := open(t, smallDraft)
		var got []string
		for _, step := range one.steps {
			if _, refusal := d.Apply(stepsOf(t, step)); refusal != nil {
				got = append(got, string(refusal.Code))
			} else {
				got = append(got, "ok")
			}
		}
		if strings.Join(got, " ") != want[one.name] {
			t.Errorf("%s: got %s, want %s", one.name, strings.Join(got, " "), want[one.name])
		}
	}
	d := open(t, smallDraft)
	if _, refusal := d.Apply(stepsOf(t, `{"op":"rename","key":"field","from":"goal","to":"objective"}`)); refusal != nil {
		t.Fatal(refusal)
	}
	if text := bytesOf(t, d); strings.Contains(text, `"goal"`) || strings.Count(text, "objective") != 6 {
		t.Errorf("renaming left %s", text)
	}
	d = open(t, smallDraft)
	rename := stepsOf(t, `{"op":"rename","key":"option","owner":"lyr_goal","from":"daily","to":"every_day"}`)
	if _, refusal := d.Apply(rename); refusal != nil {
		t.Fatal(refusal)
	}
	if text := bytesOf(t, d); strings.Count(text, `"daily"`) != 1 || strings.Count(text, "every_day") != 5 {
		t.Errorf("renaming left %s", text) // an attribute's value is no option
	}
}

func TestOpenRepairs(t *testing.T) {
	d, repairs, err := Open([]byte(`{"screens":[{"id":"scr_1","regions":{"header":3,"body":{"id":"lyr_a","kind":"stack","children":[
		{"id":"lyr_a","kind":"text"},{"kind":"text"},7,{"id":"a/b","kind":"text","__proto__":{}},{"id":"lyr_fixed_1","kind":"stack","children":"x"}]}}},
		{"id":"flow"}],"builderMeta":{"layout":4}}`))
	if err != nil {
		t.Fatal(err)
	}
	checkIndex(t, d)
	if got := asJSON(t, repairs); got != `[{"node":"flow","slot":"layout"},{"node":"lyr_a","slot":"children"},{"node":"lyr_fixed_2","was":"lyr_a"},`+
		`{"node":"lyr_fixed_3"},{"node":"lyr_fixed_4","was":"a/b"},{"node":"lyr_fixed_1","slot":"children"},`+
		`{"node":"scr_1","slot":"header"},{"node":"scr_fixed_1","was":"flow"}]`+"\n" {
		t.Error(got)
	}
	if strings.Contains(bytesOf(t, d), "__proto__") {
		t.Error("__proto__ was kept")
	}
	for _, hostile := range []string{``, `[]`, `{"screens":`, `{"a":"\u0000"}`, strings.Repeat(`{"a":`, 300) + `1` + strings.Repeat(`}`, 300)} {
		if _, _, err := Open([]byte(hostile)); err == nil {
			t.Errorf("Open took %.20q", hostile)
		}
	}
}

func TestLimits(t *testing.T) {
	deep := `{"id":"lyr_n0","kind":"stack","children":[]}`
	for i := 1; i < 32; i++ {
		deep = fmt.Sprintf(`{"id":"lyr_n%d","kind":"stack","children":[%s]}`, i, deep)
	}
	many := make([]string, 5000)
	for i := range many {
		many[i] = fmt.Sprintf(`{"id":"lyr_m%d","kind":"text"}`, i)
	}
	value := strings.Repeat(`{"a":`, 101) + `1` + strings.Repeat(`}`, 101)
	for _, operation := range []string{
		`{"op":"insert","parent":"lyr_body","slot":"children","subtree":` + deep + `}`,
		`{"op":"insert","parent":"lyr_body","slot":"children","subtree":{"id":"lyr_s","kind":"stack","children":[` + strings.Join(many, ",") + `]}}`,
		`{"op":"set","node":"lyr_title","path":["a"],"value":` + value + `}`,
	} {
		if _, refusal := open(t, smallDraft).Apply(stepsOf(t, operation)); refusal == nil || refusal.Code != OverLimit {
			t.Errorf("%.60s: got %v, want a limit", operation, refusal)
		}
	}
}

func TestBetweenFinds(t *testing.T) {
	for _, change := range [][]string{
		written[0].steps, written[4].steps, written[6].steps, written[9].steps, written[10].steps, written[12].steps,
		{`{"op":"insert","parent":"lyr_body","slot":"children","after":"lyr_title","subtree":{"id":"lyr_card","kind":"stack","children":[]}};` +
			`{"op":"move","node":"lyr_goal","parent":"lyr_card","slot":"children"};{"op":"remove","node":"lyr_title"}`},
	} {
		d := open(t, smallDraft)
		for _, step := range change {
			_, _ = d.Apply(stepsOf(t, step)) // some steps of the logs are refused, and change nothing
		}
		for _, pair := range [][2]*Document{{open(t, smallDraft), d}, {d, open(t, smallDraft)}} {
			steps, ok := Between(pair[0], pair[1])
			if !ok {
				t.Errorf("found no way for %v", change)
			}
			if len(steps) > 1 {
				t.Errorf("got %d steps", len(steps))
			}
		}
	}
	if steps, ok := Between(open(t, smallDraft), open(t, smallDraft)); !ok || len(steps) != 0 {
		t.Errorf("equal drafts differ by %v", steps)
	}
}
