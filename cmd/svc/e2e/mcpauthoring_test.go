package e2e

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// buildFlow makes a flow of three screens from what describe says.
func buildFlow(t *testing.T, d *Dev, studio *Studio, client toolClient, app string) {
	var described struct {
		Example map[string]any
	}
	client.call("describe", map[string]any{"app": app, "node": "screen"}, &described)
	var made struct {
		Flow     string
		Revision int
	}
	client.call("edit_draft", map[string]any{"app": app, "name": "Built"}, &made)
	var read struct {
		Data struct {
			Revision int
			Document struct {
				EntryScreenID string
				Screens       []struct{ ID string }
			}
		}
	}
	client.call("get_flow", map[string]any{"flow": made.Flow}, &read)
	names := []string{"one", "two", "three"}
	operations := []any{
		map[string]any{"op": "set", "node": "flow", "path": []string{"entryScreenId"}, "value": "scr_one"},
	}
	for i, name := range names {
		insert := map[string]any{"op": "insert", "parent": "flow", "slot": "screens", "subtree": likeExample(described.Example, name)}
		if i > 0 {
			insert["after"] = "scr_" + names[i-1]
			operations = append(operations, insert, map[string]any{
				"op": "set", "node": "scr_" + names[i-1], "path": []string{"next"}, "value": map[string]any{"default": "scr_" + name},
			})
			continue
		}
		operations = append(operations, insert)
	}
	operations = append(operations, map[string]any{
		"op": "set", "node": "scr_three", "path": []string{"next"}, "value": map[string]any{"default": nil},
	})
	batch := map[string]any{"flow": made.Flow, "baseRevision": read.Data.Revision, "steps": []any{
		map[string]any{"name": "Three screens", "operations": operations},
		map[string]any{"operations": []any{map[string]any{"op": "remove", "node": "gone"}}},
	}}
	var edited, again struct {
		Revision        int
		Steps, Problems []string
	}
	client.call("edit_draft", batch, &edited)
	client.call("edit_draft", batch, &again) // as a client does that lost the answer
	if fmt.Sprint(edited) != fmt.Sprint(again) {
		t.Errorf("sent again: %v, before %v", again, edited)
	}
	if len(edited.Steps) != 2 || edited.Steps[0] != "applied" || !strings.Contains(edited.Steps[1], "there is no such node") {
		t.Errorf("the steps: %v", edited.Steps)
	}
	client.call("get_flow", map[string]any{"flow": made.Flow}, &read)
	if len(read.Data.Document.Screens) != 3 || read.Data.Revision != edited.Revision {
		t.Errorf("the draft has %d screens at %d of %d", len(read.Data.Document.Screens), read.Data.Revision, edited.Revision)
	}
	var checked struct {
		Publishable bool
		Problems    []string
	}
	client.call("validate", map[string]any{"flow": made.Flow}, &checked)
	if !checked.Publishable {
		t.Errorf("what describe says makes a draft with %v", checked.Problems)
	}
	var simulated struct {
		Data struct {
			Revision, Runs int
			Published      any
			Draft          struct{ Steps struct{ Rows [][]any } }
		}
	}
	client.call("simulate", map[string]any{"flow": made.Flow}, &simulated)
	if simulated.Data.Revision != edited.Revision || simulated.Data.Runs != 0 || simulated.Data.Published != nil ||
		len(simulated.Data.Draft.Steps.Rows) != len(names) {
		t.Errorf("a draft of three screens without runs is simulated as %+v", simulated.Data)
	}
	askToPublish(t, d, studio, client, made.Flow, edited.Revision)
	client.call("edit_draft", map[string]any{"flow": made.Flow, "baseRevision": edited.Revision, "steps": []any{
		map[string]any{"operations": []any{map[string]any{"op": "unset", "node": "scr_one", "path": []string{"next"}}}},
	}}, &edited)
	client.call("validate", map[string]any{"flow": made.Flow}, &checked)
	if checked.Publishable || !strings.Contains(strings.Join(checked.Problems, "\n"), "“one” (scr_one)") {
		t.Errorf("without a next screen: %v", checked)
	}
	// The key may publish in GraphQL; no tool does.
	for tool, err := range client.Tools(t.Context(), nil) {
		if err != nil || strings.Contains(tool.Name, "publish") && tool.Name != "request_publish" || strings.Contains(tool.Name, "pin") {
			t.Errorf("there is a tool %v %v", tool, err)
		}
	}
	if text, refused := client.try("publish_flow", map[string]any{"flow": made.Flow}); !refused {
		t.Error(text)
	}
	if n := countRows(t, d, `select count(*) from flow_versions where flow_id = $1`, made.Flow); n != 0 {
		t.Errorf("the flow has %d versions", n)
	}
}

// askToPublish files a request, which members read and which publishes nothing.
func askToPublish(t *testing.T, d *Dev, studio *Studio, client toolClient, flow string, revision int) {
	var asked struct {
		Requested bool
		URL       string
	}
	arguments := map[string]any{"flow": flow, "revision": revision, "label": "Three", "text": "Three screens."}
	client.call("request_publish", arguments, &asked)
	if !asked.Requested || !strings.HasPrefix(asked.URL, d.BaseURL+"/apps/") || !strings.Contains(asked.URL, flow) {
		t.Errorf("the answer is %+v", asked)
	}
	var seen struct {
		Flow struct {
			PublishRequest struct {
				Revision                int
				Label, Text, APIKeyName string
			}
		}
	}
	studio.Query(`query($f: ID!) { flow(id: $f) { publishRequest { revision label text apiKeyName } } }`,
		map[string]any{"f": flow}, &seen)
	request := seen.Flow.PublishRequest
	if request.Revision != revision || request.Label != "Three" || request.Text != "Three screens." ||
		request.APIKeyName != "tools" {
		t.Errorf("members read %+v", request)
	}
	for want, wrong := range map[string]any{"conflict: ": revision - 1, "invalid_input: ": strings.Repeat("x", 121)} {
		refused := maps.Clone(arguments)
		if _, is := wrong.(int); is {
			refused["revision"] = wrong
		} else {
			refused["label"] = wrong
		}
		if text, is := client.try("request_publish", refused); !is || !strings.HasPrefix(text, want) {
			t.Errorf("%v: %s", wrong, text)
		}
	}
}

// likeExample is the example's footer with one button, and a text above.
func likeExample(example map[string]any, name string) map[string]any {
	style := map[string]any{
		"fontSize": 16, "fontWeight": 400, "color": map[string]any{"light": "#14213d", "dark": "#f5f5f5"}, "width": "full",
		"height": "auto", "align": "center",
	}
	text := func(id, words string) any {
		return map[string]any{"id": id, "kind": "text", "text": map[string]any{"default": words}, "style": style}
	}
	regions := map[string]any{}
	for region, children := range map[string][]any{
		"body": {text("lyr_"+name, "Screen "+name)},
		"footer": {map[string]any{
			"id": "lyr_" + name + "_go", "kind": "button", "variant": "primary", "action": map[string]any{"kind": "continue"},
			"children": []any{text("lyr_"+name+"_go_text", "Go on")},
		}},
	} {
		stack := maps.Clone(example["regions"].(map[string]any)[region].(map[string]any))
		stack["id"], stack["children"] = "lyr_"+name+"_"+region, children
		regions[region] = stack
	}
	return map[string]any{"id": "scr_" + name, "name": name, "regions": regions}
}
