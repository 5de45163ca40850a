package problem

import (
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/edit"
)

// fixOf returns the edit that fixes a problem, nil where a person has to choose. ink chooses a color for a layer.
func fixOf(at place, code string, ink func(layer string) manifest.Ink) *edit.Step {
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
		return colorIn(at, ink(at.layer))
	case "image.no_description":
		return set("Mark as decoration", "", "alt")
	case "touch.too_small":
		return enlarge(at)
	case "layer.fill_in_hug":
		return &edit.Step{Name: "Let its content decide", Operations: []edit.Operation{
			{Op: edit.Unset, Node: at.layer, Path: at.property},
		}}
	}
	return nil
}

// colorIn gives a layer a color that can be read.
func colorIn(at place, ink manifest.Ink) *edit.Step {
	step := &edit.Step{Name: "Give it a readable color"}
	set := func(style string, color any) {
		operation := edit.Operation{Op: edit.Set, Node: at.layer, Path: []string{style, "color"}, Value: color}
		if _, ok := at.object[style].(map[string]any); !ok {
			operation.Path, operation.Value = []string{style}, map[string]any{"color": color}
		}
		step.Operations = append(step.Operations, operation)
	}
	set("style", ink.Color)
	chosen, _ := at.object["selectedStyle"].(map[string]any)
	if ink.Selected != nil && chosen["color"] == nil {
		set("selectedStyle", ink.Selected)
	}
	return step
}

// enlarge makes the sides of a touch target that are too short as long as they have to be. A side that only a limit
// keeps short is for a person to decide.
func enlarge(at place) *edit.Step {
	style, _ := at.object["style"].(map[string]any)
	for _, limit := range []string{"maxWidth", "maxHeight"} {
		if most, ok := style[limit].(float64); ok && most < manifest.TouchSize {
			return nil
		}
	}
	step := &edit.Step{Name: "Make it 44 px"}
	for _, side := range []string{"width", "height"} {
		if size, ok := style[side].(float64); ok && size < manifest.TouchSize {
			step.Operations = append(step.Operations, edit.Operation{
				Op: edit.Set, Node: at.layer, Path: []string{"style", side}, Value: float64(manifest.TouchSize),
			})
		}
	}
	return step
}
