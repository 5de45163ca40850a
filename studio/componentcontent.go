package studio

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/edit"
)

// Bounds on what a component is: one instance goes into a draft by one batch of edits.
const (
	MaxComponentBytes  = 64 << 10
	maxComponentLayers = 200
	maxComponentSlots  = 20
	maxOverridable     = 500
	maxPropertyPath    = 8
)

// ComponentContent is what a component is.
type ComponentContent struct {
	// Tree is the topmost layer, as a manifest has it.
	Tree json.RawMessage
	// Slots are layers in which instances have children of their own.
	Slots []ComponentSlot
	// Overridable are what instances may have of their own; nil is everything.
	Overridable []ComponentProperty
}

// ComponentSlot is a layer of a component in which instances have children of their own.
type ComponentSlot struct {
	LayerID string `json:"layerId"`
	Name    string `json:"name"`
}

// ComponentProperty is a property of a layer, with what is inside of it.
type ComponentProperty struct {
	LayerID string   `json:"layerId"`
	Path    []string `json:"path"`
}

// contentField names a member of the input.
func contentField(member string) string { return "content." + member }

// check refuses what is no component, by the field that is wrong, and writes the tree in its canonical form.
func (c *ComponentContent) check() error {
	if len(c.Tree) > MaxComponentBytes {
		return fault.Invalid(contentField("tree"), "has more than %d bytes", MaxComponentBytes)
	}
	text, problems := manifest.ParseLayer(c.Tree)
	if text == nil {
		return rejectManifest(fault.InvalidInput, contentField("tree"), "the layers are not valid", problems)
	}
	if len(text) > MaxComponentBytes {
		return fault.Invalid(contentField("tree"), "has more than %d bytes", MaxComponentBytes)
	}
	c.Tree = text
	document, err := openLayer(text)
	if err != nil {
		return err
	}
	if n := document.Layers() - 1; n > maxComponentLayers {
		return fault.Invalid(contentField("tree"), "has %d layers, more than %d", n, maxComponentLayers)
	}
	if err := c.checkSlots(document); err != nil {
		return err
	}
	return c.checkOverridable(document)
}

// openLayer opens a layer in a flow of nothing else.
func openLayer(tree []byte) (*edit.Document, error) {
	whole := fmt.Appendf(nil, `{"schemaVersion":7,"screens":[{"id":"scr_","regions":{"body":{"id":"body_","kind":"stack",`+
		`"direction":"vertical","children":[%s]}}}]}`, tree)
	document, repairs, err := edit.Open(whole)
	if err != nil {
		return nil, fault.Invalid(contentField("tree"), "can't be read: %s", err)
	}
	for _, repair := range repairs {
		return nil, fault.Invalid(contentField("tree"), "has two layers with the id %q", repair.Was)
	}
	return document, nil
}

func (c *ComponentContent) checkSlots(document *edit.Document) error {
	if len(c.Slots) > maxComponentSlots {
		return fault.Invalid(contentField("slots"), "are more than %d", maxComponentSlots)
	}
	for i := range c.Slots {
		slot := &c.Slots[i]
		field := fmt.Sprintf("content.slots.%d", i)
		if !document.TakesChildren(slot.LayerID) {
			return fault.Invalid(field+".layerId", "is no layer of the tree that takes children")
		}
		if slices.ContainsFunc(c.Slots[:i], func(other ComponentSlot) bool { return other.LayerID == slot.LayerID }) {
			return fault.Invalid(field+".layerId", "stands there twice")
		}
		slot.Name = strings.TrimSpace(slot.Name)
		if n := utf8.RuneCountInString(slot.Name); n == 0 || n > 80 || strings.ContainsRune(slot.Name, 0) {
			return fault.Invalid(field+".name", "must have 1 to 80 characters")
		}
	}
	return nil
}

func (c *ComponentContent) checkOverridable(document *edit.Document) error {
	if len(c.Overridable) > maxOverridable {
		return fault.Invalid(contentField("overridable"), "are more than %d", maxOverridable)
	}
	bytes := 0
	for i, property := range c.Overridable {
		field := fmt.Sprintf("content.overridable.%d", i)
		if !document.Has(property.LayerID) {
			return fault.Invalid(field+".layerId", "is no layer of the tree")
		}
		if n := len(property.Path); n == 0 || n > maxPropertyPath {
			return fault.Invalid(field+".path", "must have 1 to %d names", maxPropertyPath)
		}
		for _, name := range property.Path {
			bytes += len(name)
			if name == "" || strings.ContainsRune(name, 0) {
				return fault.Invalid(field+".path", "has a name that no member has")
			}
		}
	}
	if bytes > MaxComponentBytes {
		return fault.Invalid(contentField("overridable"), "has more than %d bytes", MaxComponentBytes)
	}
	return nil
}
