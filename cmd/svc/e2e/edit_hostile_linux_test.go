package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// editAnswer is what came of a batch: an error of the whole with the field it names, or the refusal of each step.
type editAnswer struct {
	Data struct {
		EditDraft *struct {
			Revision int
			Outcomes []struct{ Refusal *struct{ Code, Node string } }
		}
	}
	Errors []struct {
		Message    string
		Extensions struct{ Code, Field string }
	}
}

// says puts it in short: "invalid_input input.steps", "limit at flow", "applied".
func (a editAnswer) says() string {
	if len(a.Errors) > 0 {
		e := a.Errors[0]
		return strings.TrimSpace(e.Extensions.Code + " " + e.Extensions.Field)
	}
	if a.Data.EditDraft == nil {
		return "nothing"
	}
	for _, outcome := range a.Data.EditDraft.Outcomes {
		if outcome.Refusal != nil {
			return outcome.Refusal.Code + " at " + outcome.Refusal.Node
		}
	}
	return "applied"
}

const editAndTell = `mutation($f: ID!, $c: ID!, $steps: [EditStepInput!]!) {
	editDraft(input: {flowId: $f, baseRevision: 1, clientId: $c, sequence: 1, steps: $steps}) {
		revision outcomes { refusal { code node } } } }`

// edit sends a batch of a new client.
func (s *Studio) edit(flow string, steps any) editAnswer {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"query": editAndTell, "variables": map[string]any{
		"f": flow, "c": uuid.NewString(), "steps": steps,
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	body = bytes.ReplaceAll(body, []byte(`"`+deepest+`"`), nested(100_000))
	answer, err := Do(s.client, http.MethodPost, s.url, body)
	if err != nil {
		s.t.Fatal(err)
	}
	var told editAnswer
	if err := json.Unmarshal(answer.Body, &told); err != nil {
		s.t.Fatalf("answered %d %.300s", answer.Status, answer.Body)
	}
	return told
}

type operation = map[string]any

// inStep makes a batch of one step.
func inStep(operations ...operation) []any { return []any{map[string]any{"operations": operations}} }

func stack(id string, children ...any) operation {
	if children == nil {
		children = []any{}
	}
	return operation{"id": id, "kind": "stack", "direction": "vertical", "children": children}
}

// layersDeep nests stacks.
func layersDeep(levels int) operation {
	layer := stack("deep_0")
	for i := range levels - 1 {
		layer = stack(fmt.Sprintf("deep_%d", i+1), layer)
	}
	return layer
}

func insertInto(parent string, subtree any) operation {
	return operation{"op": "insert", "parent": parent, "slot": "children", "subtree": subtree}
}

func moveInto(node, parent string) operation {
	return operation{"op": "move", "node": node, "parent": parent, "slot": "children"}
}

func setAt(node string, value any, path ...string) operation {
	return operation{"op": "set", "node": node, "path": path, "value": value}
}

const welcomeBody = "lyr_welcome_bd"

// hostileEdits are batches that nobody may get through, and what is said of each.
func hostileEdits() map[string]struct {
	steps any
	want  string
} {
	removals := make([]operation, 100_000)
	for i := range removals {
		removals[i] = operation{"op": "remove", "node": fmt.Sprint("lyr_", i)}
	}
	steps := make([]any, 100_000)
	for i := range steps {
		steps[i] = map[string]any{"operations": removals[i : i+1]}
	}
	wide := make([]any, 5_001)
	for i := range wide {
		wide[i] = operation{"id": fmt.Sprint("w", i), "kind": "icon"}
	}
	return map[string]struct {
		steps any
		want  string
	}{
		"100,000 operations in a step": {inStep(removals...), "invalid_input steps"},
		"100,000 steps":                {steps, "payload_too_large"},
		"201 operations":               {inStep(removals[:201]...), "invalid_input steps"},
		"a value of 300 kB":            {inStep(setAt("flow", strings.Repeat("x", 300<<10), "a")), "invalid_input steps"},
		"a name of 300 kB": {[]any{map[string]any{"name": strings.Repeat("x", 300<<10), "operations": removals[:1]}},
			"invalid_input steps.0.name"},
		"a value 2,000 levels deep":   {inStep(setAt("flow", nested(2_000), "a")), "limit at flow"},
		"a value 100,000 levels deep": {inStep(setAt("flow", deepest, "a")), "invalid_json"},
		"a path of 5,000 names":       {inStep(setAt("flow", 1, slices.Repeat([]string{"a"}, 5_000)...)), "limit at flow"},
		"layers 33 deep":              {inStep(insertInto(welcomeBody, layersDeep(33))), "limit at " + welcomeBody},
		"layers 1,000 deep":           {inStep(insertInto(welcomeBody, layersDeep(1_000))), "limit at " + welcomeBody},
		"5,001 layers":                {inStep(insertInto(welcomeBody, stack("many", wide...))), "limit at " + welcomeBody},
		"a member __proto__":          {inStep(setAt("flow", map[string]any{"__proto__": 1}, "a")), "shape at flow"},
		"a path over __proto__":       {inStep(setAt("lyr_wl_go", 1, "__proto__", "a")), "shape at lyr_wl_go"},
		"a NUL": {
			inStep(setAt("flow", "a\x00b", "name")), "invalid_input steps[0].operations[0].value",
		},
		"another flow's id":     {inStep(setAt("flow", uuid.NewString(), "flowId")), "shape at flow"},
		"another id of a layer": {inStep(setAt("lyr_wl_go", "lyr_wl_img", "id")), "shape at lyr_wl_go"},
		"children by a path":    {inStep(setAt(welcomeBody, []any{1}, "children")), "shape at " + welcomeBody},
		"a node of another flow": {
			inStep(operation{"op": "remove", "node": "lyr_elsewhere"}), "node_removed at lyr_elsewhere",
		},
		"a parent of another flow": {inStep(insertInto("lyr_elsewhere", stack("s"))), "node_removed at lyr_elsewhere"},
		"a layer in itself": {
			inStep(insertInto(welcomeBody, stack("self")), moveInto("self", "self")), "cycle at self",
		},
		"a layer below itself": {inStep(
			insertInto(welcomeBody, stack("outer", stack("inner"))), moveInto("outer", "inner"),
		), "cycle at outer"},
		"a ring of two": {inStep(
			insertInto(welcomeBody, stack("x")), insertInto(welcomeBody, stack("y")), moveInto("x", "y"), moveInto("y", "x"),
		), "cycle at y"},
		"a known id again":  {inStep(insertInto(welcomeBody, stack("lyr_wl_go"))), "exists at lyr_wl_go"},
		"one id twice":      {inStep(insertInto(welcomeBody, stack("t", stack("t")))), "exists at t"},
		"a layer as screen": {inStep(insertInto("flow", stack("s"))), "slot at flow"},
		"a slot that is not there": {inStep(operation{
			"op": "insert", "parent": welcomeBody, "slot": "constructor", "subtree": stack("s"),
		}), "slot at " + welcomeBody},
		"a list as a node": {inStep(insertInto(welcomeBody, []any{})), "invalid_input input.steps.0.operations.0"},
	}
}

// deepest stands for a value that is nested deeper than this program can write.
const deepest = "100,000 levels"

func nested(levels int) json.RawMessage {
	return json.RawMessage(strings.Repeat("[", levels) + strings.Repeat("]", levels))
}

// Each hostile batch is refused by name within a second of a processor and in little memory, and leaves the draft as it
// was. Viewers, and people of other workspaces, change nothing.
func TestHostileEdits(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	owner := d.SignIn(t, d.BaseURL)
	var made struct{ CreateFlow struct{ ID string } }
	owner.Query(`mutation($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "Plants", manifest: $m}) { id } }`,
		map[string]any{"a": d.Apps[0].ID, "m": example(t, "linear-onboarding")}, &made)
	flow := made.CreateFlow.ID
	before := owner.draftOf(flow)
	for name, hostile := range hostileEdits() {
		busy := d.ProcessorTime()
		answer := owner.edit(flow, hostile.steps)
		took := d.ProcessorTime() - busy
		if got := answer.says(); got != hostile.want {
			t.Errorf("%s: %s, want %s (%+v)", name, got, hostile.want, answer.Errors)
		}
		if took > time.Second {
			t.Errorf("%s took %s of a processor", name, took)
		}
		t.Logf("%-30s %6s %s", name, took, answer.says())
	}
	if after := owner.draftOf(flow); after != before {
		t.Errorf("the draft has become\n%s\nof\n%s", after, before)
	}
	if peak := d.PeakMemory(); peak > 512<<20 {
		t.Errorf("the server took %d MiB", peak>>20)
	}
	for name, stranger := range map[string]*Studio{
		"forbidden": d.invite(t, owner, d.workspaceOf(owner), "VIEWER"),
		"not_found": d.invite(t, owner, owner.newWorkspace(), "ADMIN"),
	} {
		if got := stranger.edit(flow, inStep(setAt("flow", 1, "x"))).says(); got != name {
			t.Errorf("editDraft: %s, want %s", got, name)
		}
		for mutation, variables := range map[string]map[string]any{
			`mutation($f: ID!) { restoreDraft(input: {flowId: $f, revision: 1}) { revision } }`: {},
			`mutation($f: ID!, $d: JSON!) { saveDraft(input: {flowId: $f, revision: 1, draft: $d}) { problems { code } } }`: {
				"d": operation{},
			},
			`mutation($f: ID!) { publishFlow(input: {id: $f}) { version { id } } }`: {},
		} {
			variables["f"] = flow
			if err := Ask(stranger.client, stranger.url, mutation, variables, nil); codeOf(err) != name {
				t.Errorf("%s: %v, want %s", mutation, err, name)
			}
		}
	}
	if after := owner.draftOf(flow); after != before {
		t.Error("somebody without the right has changed the draft")
	}
	refuseToPublish(t, owner, flow)
}

// refuseToPublish edits what a draft may say but a version may not: each is a problem with a name, which blocks it.
func refuseToPublish(t *testing.T, owner *Studio, flow string) {
	t.Helper()
	link := operation{"id": "lyr_link", "kind": "hyperlink", "href": "javascript:alert(1)",
		"children": []any{operation{"id": "lyr_link_text", "kind": "text", "text": map[string]any{"default": "Terms"}}}}
	for name, c := range map[string]struct {
		step []operation
		want string
	}{
		"a javascript: address": {[]operation{insertInto(welcomeBody, link)}, "hyperlink.href"},
		"another one's media": {
			[]operation{setAt("lyr_wl_img", uuid.NewString(), "media", "mediaAssetId")}, "media.unknown_asset",
		},
		"a jump to nowhere": {
			[]operation{setAt("scr_welcome", "scr_elsewhere", "next", "default")}, "graph.unknown_target",
		},
	} {
		var copied struct{ DuplicateFlow struct{ ID string } }
		owner.Query(`mutation($f: ID!) { duplicateFlow(input: {id: $f}) { id } }`, map[string]any{"f": flow}, &copied)
		if got := owner.edit(copied.DuplicateFlow.ID, inStep(c.step...)).says(); got != "applied" {
			t.Errorf("%s: %s", name, got)
		}
		answer, err := Do(owner.client, http.MethodPost, owner.url, map[string]any{
			"query":     `mutation($f: ID!) { publishFlow(input: {id: $f}) { version { id } } }`,
			"variables": map[string]any{"f": copied.DuplicateFlow.ID},
		})
		said := string(answer.Body)
		if err != nil || !strings.Contains(said, `"publish_blocked"`) || !strings.Contains(said, `"`+c.want+`"`) {
			t.Errorf("%s: %v %s", name, err, answer.Body)
		}
	}
}

// draftOf returns the JSON of a draft.
func (s *Studio) draftOf(flow string) string {
	s.t.Helper()
	var read struct {
		Draft struct{ Document map[string]any }
	}
	s.Query(`query($f: ID!) { draft(flowId: $f) { document } }`, map[string]any{"f": flow}, &read)
	delete(read.Draft.Document, "version") // counts batches, refused ones too
	text, err := json.Marshal(read.Draft.Document)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func (s *Studio) newWorkspace() string {
	s.t.Helper()
	var made struct{ CreateWorkspace struct{ ID string } }
	s.Query(`mutation { createWorkspace(input: {name: "Elsewhere"}) { id } }`, nil, &made)
	return made.CreateWorkspace.ID
}

func (d *Dev) workspaceOf(s *Studio) string {
	s.t.Helper()
	var read struct {
		App struct{ Workspace struct{ ID string } }
	}
	s.Query(`query($a: ID!) { app(id: $a) { workspace { id } } }`, map[string]any{"a": d.Apps[0].ID}, &read)
	return read.App.Workspace.ID
}

// invite signs somebody new in who has a role in a workspace.
func (d *Dev) invite(t *testing.T, owner *Studio, workspace, role string) *Studio {
	t.Helper()
	var invited struct{ InviteMember struct{ SetupToken string } }
	owner.Query(`mutation($w: ID!, $e: String!, $r: Role!) {
		inviteMember(input: {workspaceId: $w, email: $e, role: $r}) { setupToken } }`,
		map[string]any{"w": workspace, "e": strings.ToLower(role) + "@example.com", "r": role}, &invited)
	somebody := &Studio{t: t, client: Browser(), url: owner.url}
	somebody.Query(`mutation($t: String!) {
		completeSetup(input: {token: $t, password: "a long password", name: "Somebody"}) { userId } }`,
		map[string]any{"t": invited.InviteMember.SetupToken}, nil)
	return somebody
}
