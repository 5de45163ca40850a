package edit

import (
	"fmt"
	"strings"
)

// Describe names what operations do, for the history and for undo: "Change the text of “Title”". Call it before they
// are applied, while what they remove can still be named.
func (d *Document) Describe(operations []Operation) string {
	if len(operations) == 0 {
		return "Change nothing"
	}
	first := d.describeOne(operations[0])
	for _, o := range operations[1:] {
		if o.Op != operations[0].Op || o.Node != operations[0].Node {
			return fmt.Sprintf("%s and %d more", first, len(operations)-1)
		}
	}
	return first
}

func (d *Document) describeOne(o Operation) string {
	switch o.Op {
	case Set, Unset:
		verb := "Change"
		if o.Op == Unset {
			verb = "Reset"
		}
		if len(o.Path) == 0 {
			return verb + " " + d.Label(o.Node)
		}
		member := inWords(o.Path[0])
		if member == "expression" {
			member = "condition"
		}
		return fmt.Sprintf("%s the %s of %s", verb, member, d.Label(o.Node))
	case Insert:
		one := index(map[string]any{})
		one.nodes["new"] = &node{id: "new", kind: d.kindOfNew(o), object: o.Subtree}
		return "Add " + one.Label("new")
	case Move:
		return "Move " + d.Label(o.Node)
	case Remove:
		return "Remove " + d.Label(o.Node)
	case Rename:
		return fmt.Sprintf("Rename %s to %s", o.From, o.To)
	}
	return string(o.Op)
}

func (d *Document) kindOfNew(o Operation) string {
	if parent := d.nodes[o.Parent]; parent != nil {
		if slot := slotsOf(parent.kind)[o.Slot]; slot != nil {
			return kindOf(o.Subtree, slot)
		}
	}
	return ""
}

// inWords writes a member's name as words: selectedStyle is "selected style".
func inWords(member string) string {
	var out strings.Builder
	for _, r := range member {
		if r >= 'A' && r <= 'Z' {
			out.WriteByte(' ')
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}
