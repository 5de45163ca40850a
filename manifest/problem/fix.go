package problem

import "github.com/svc-dev/svc/manifest/edit"

// fixOf returns the edit that fixes a problem, nil where a person has to choose.
func fixOf(at place, code string) *edit.Step {
	if at.layer == "" {
		return nil
	}
	set := func(name string, value any, path ...string) *edit.Step {
		return &edit.Step{Name: name, Operations: []edit.Operation{
			{Op: edit.Set, Node: at.layer, Path: path, Value: value},
		}}
	}
	switch code {
	case "button.banner_only":
		return set("Make it continue", map[string]any{"kind": "continue"}, "action")
	case "layer.missing_color":
		const ink = "#111827"
		if _, ok := at.object["style"].(map[string]any); ok {
			return set("Give it a dark color", ink, "style", "color")
		}
		return set("Give it a dark color", map[string]any{"color": ink}, "style")
	case "layer.fill_in_hug":
		return &edit.Step{Name: "Let its content decide", Operations: []edit.Operation{
			{Op: edit.Unset, Node: at.layer, Path: at.property},
		}}
	}
	return nil
}
