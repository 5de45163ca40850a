package manifest

import (
	"encoding/json"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// layerPlace is where ParseLayer puts a layer to read it.
const layerPlace = "/screens/0/regions/body/children/0"

// ParseLayer reads a layer, with those inside of it, that belongs to no flow yet: its structure and bounds are checked,
// what it refers to is not. It returns canonical JSON without unknown members, and nil when there are problems, whose
// pointers begin at the layer.
func ParseLayer(raw json.RawMessage) ([]byte, []Problem) {
	whole, err := json.Marshal(map[string]any{
		"flowId": "00000000-0000-7000-8000-000000000000", "schemaVersion": 7, "version": 1, "defaultLocale": "en",
		"locales": []string{"en"}, "entryScreenId": nil, "decisionNodes": []any{}, "externalSurfaceNodes": []any{},
		"sdkAttributeKeys": []any{}, "screens": []any{map[string]any{
			"id": "scr_component", "name": "Component", "next": map[string]any{"default": nil},
			"regions": map[string]any{"body": map[string]any{
				"id": "lyr_component", "kind": "stack", "direction": "vertical", "children": []any{raw},
			}},
		}},
	})
	if err != nil {
		return nil, []Problem{{Severity: Error, Code: "json.invalid", Message: "The layer is not valid JSON."}}
	}
	var r report
	doc, ok := decode(whole, &r)
	if ok {
		migrate(doc)
		checkStructure(doc, &r)
	}
	if len(r.problems) > 0 {
		for i := range r.problems {
			r.problems[i].Pointer, _ = strings.CutPrefix(r.problems[i].Pointer, layerPlace)
		}
		return nil, r.problems
	}
	strip([]*jsonschema.Schema{compiledSchema()}, doc)
	layer := doc
	for _, name := range []string{"screens", "regions", "body", "children"} {
		switch inner := layer[name].(type) {
		case []any:
			layer, _ = inner[0].(map[string]any)
		case map[string]any:
			layer = inner
		}
	}
	text, err := encode(layer)
	if err != nil {
		return nil, []Problem{{Severity: Error, Code: "json.invalid", Message: "The layer cannot be written."}}
	}
	return text, nil
}
