package bundle

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/fault"
)

// Component is a component that a manifest has instances of, as it was when the bundle was written.
type Component struct {
	ID          uuid.UUID       `json:"id"`
	Name        string          `json:"name"`
	Tree        json.RawMessage `json:"tree"`
	Slots       json.RawMessage `json:"slots"`
	Overridable json.RawMessage `json:"overridable"`
}

// componentsText writes the components of a bundle; nil when it has none.
func (c *Content) componentsText() ([]byte, error) {
	if len(c.Components) == 0 {
		return nil, nil
	}
	if len(c.Components) > maxComponents {
		return nil, fault.New(fault.Conflict, "the flow has instances of %d components; an exported flow has at most %d",
			len(c.Components), maxComponents)
	}
	text, err := json.Marshal(c.Components)
	if err != nil {
		return nil, fmt.Errorf("write the components: %w", err)
	}
	return text, nil
}

func parseComponents(raw []byte) ([]Component, error) {
	var components []Component
	if err := json.Unmarshal(raw, &components); err != nil {
		return nil, refuse("%s can't be read: %s", componentsName, err)
	}
	if len(components) > maxComponents {
		return nil, refuse("%s has %d components, more than %d", componentsName, len(components), maxComponents)
	}
	seen := map[uuid.UUID]bool{}
	for i, one := range components {
		if seen[one.ID] {
			return nil, refuse("%s: %d.id stands there twice", componentsName, i)
		}
		seen[one.ID] = true
	}
	return components, nil
}

// Link is what an instance is of where its manifest goes.
type Link struct {
	ID       uuid.UUID
	Revision int
}

// InstancesOf returns the ids of the components that a manifest has instances of, each once and sorted.
func InstancesOf(raw json.RawMessage) ([]uuid.UUID, error) {
	document, err := decode(raw)
	if err != nil {
		return nil, err
	}
	var ids []uuid.UUID
	eachLayer(document, func(layer map[string]any) bool {
		if id, ok := instanceOf(layer); ok {
			ids = append(ids, id)
		}
		return true
	})
	return sorted(ids), nil
}

// Relink makes the instances of a manifest instances of other components: those that link returns. What it has none for
// becomes plain layers.
func Relink(raw json.RawMessage, link func(Link) (Link, bool)) (json.RawMessage, error) {
	document, err := decode(raw)
	if err != nil {
		return nil, err
	}
	var detach func(layer map[string]any) bool
	relink := func(layer map[string]any) bool {
		id, ok := instanceOf(layer)
		if !ok {
			return true
		}
		mark, _ := layer["component"].(map[string]any)
		if to, known := link(Link{id, revisionOf(mark)}); known {
			mark["id"], mark["revision"] = to.ID.String(), to.Revision
			return true
		}
		delete(layer, "component")
		eachLayerIn(layer, detach)
		return false
	}
	detach = func(layer map[string]any) bool {
		if _, ok := instanceOf(layer); ok {
			if relink(layer) {
				eachLayerIn(layer, relink)
			}
			return false
		}
		delete(layer, "component")
		return true
	}
	eachLayer(document, relink)
	linked, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("write the manifest: %w", err)
	}
	return linked, nil
}

// instanceOf returns the component that a layer is the topmost of.
func instanceOf(layer map[string]any) (uuid.UUID, bool) {
	mark, _ := layer["component"].(map[string]any)
	text, _ := mark["id"].(string)
	id, err := uuid.Parse(text)
	return id, err == nil
}

func revisionOf(mark map[string]any) int {
	number, _ := mark["revision"].(json.Number)
	revision, err := number.Int64()
	if err != nil {
		return 0
	}
	return int(revision)
}

// eachLayer calls fn at a layer and, where it returns true, at those inside of it.
func eachLayer(value any, fn func(layer map[string]any) bool) {
	switch value := value.(type) {
	case map[string]any:
		if _, layer := value["kind"]; layer && !fn(value) {
			return
		}
		eachLayerIn(value, fn)
	case []any:
		for _, member := range value {
			eachLayer(member, fn)
		}
	}
}

func eachLayerIn(layer map[string]any, fn func(layer map[string]any) bool) {
	for name, member := range layer {
		if name != "component" {
			eachLayer(member, fn)
		}
	}
}
