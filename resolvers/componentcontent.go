package resolvers

import (
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/studio"
)

// convertContent converts the input of what a component is; nil stays nil.
func convertContent(input *graph.ComponentContentInput) *studio.ComponentContent {
	if input == nil {
		return nil
	}
	content := &studio.ComponentContent{Tree: input.Tree, Slots: []studio.ComponentSlot{}}
	for _, slot := range input.Slots {
		content.Slots = append(content.Slots, studio.ComponentSlot{LayerID: slot.LayerID, Name: slot.Name})
	}
	if input.Overridable != nil {
		content.Overridable = []studio.ComponentProperty{}
		for _, property := range input.Overridable {
			content.Overridable = append(content.Overridable,
				studio.ComponentProperty{LayerID: property.LayerID, Path: property.Path})
		}
	}
	return content
}
