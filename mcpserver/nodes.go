package mcpserver

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest/examples"
	"github.com/svc-dev/svc/manifest/shape"
)

// editing says how drafts are edited.
func editing() any {
	kinds := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(shape.Read().Kinds)) {
		is := shape.Read().Kinds[name].Is
		kinds[is] = append(kinds[is], name)
	}
	return map[string]any{
		"how": "edit_draft makes a flow (app and name) and changes its draft by steps: lists of operations that are " +
			"applied whole or not at all. Nodes are named by their id, the document itself by \"flow\". Ids of new nodes are " +
			"yours to choose: letters, digits, _ and -, each once in the draft. insert takes parent, slot and subtree; " +
			"set takes node, path (names inside the node, such as [\"text\", \"default\"]) and value. get_flow gives " +
			"the draft, validate what is wrong. The next of the last screen is {\"default\": null}.",
		"kinds": kinds,
		"node":  "Call describe with node, one of these kinds, for its slots and properties; screen has an example.",
	}
}

var reference = regexp.MustCompile(`"#/\$defs/([A-Za-z0-9]+)"`)

// maxTypes bounds the bytes of the types that are described with a kind; those that properties name come first.
const maxTypes = 24 << 10

// describeNode returns the shape of a kind of node with the types that its properties refer to.
func describeNode(name string) (any, error) {
	all := shape.Read()
	kind, there := all.Kinds[name]
	if !there {
		return nil, fault.Invalid("node", "is no kind of node; the kinds are %v", slices.Sorted(maps.Keys(all.Kinds)))
	}
	text, err := json.Marshal(kind)
	if err != nil {
		return nil, err
	}
	types := map[string]json.RawMessage{}
	for next, size := [][]byte{text}, 0; len(next) > 0; next = next[1:] {
		for _, match := range reference.FindAllSubmatch(next[0], -1) {
			name := string(match[1])
			definition := all.Types[name]
			if _, known := types[name]; known || size+len(definition) > maxTypes {
				continue
			}
			types[name], size = definition, size+len(definition)
			next = append(next, definition)
		}
	}
	described := map[string]any{"kind": kind, "types": types}
	if name == "screen" {
		described["example"] = exampleScreen()
	}
	return described, nil
}

// exampleScreen is a screen with text and buttons.
func exampleScreen() any {
	text, err := examples.Files.ReadFile("linear-onboarding.json")
	if err != nil {
		return nil
	}
	var manifest struct{ Screens []map[string]any }
	if json.Unmarshal(text, &manifest) != nil || len(manifest.Screens) == 0 {
		return nil
	}
	return manifest.Screens[0]
}
