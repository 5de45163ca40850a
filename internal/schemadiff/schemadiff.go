// Package schemadiff names the changes between two GraphQL schemas that break clients of the first.
package schemadiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Breaks lists the changes that can make a document of the released schema invalid, or its answer something that its
// client does not expect, in alphabetical order. What is only added breaks nobody, a new enum value included: clients
// must expect values that they don't know.
func Breaks(released, current *ast.Schema) []string {
	d := &diff{}
	for name, before := range released.Types {
		if strings.HasPrefix(name, "__") {
			continue
		}
		after := current.Types[name]
		switch {
		case after == nil:
			d.add("type %s was removed", name)
		case after.Kind != before.Kind:
			d.add("type %s became %s from %s", name, after.Kind, before.Kind)
		default:
			d.types(before, after)
		}
	}
	slices.Sort(d.breaks)
	return d.breaks
}

type diff struct{ breaks []string }

func (d *diff) add(format string, args ...any) {
	d.breaks = append(d.breaks, fmt.Sprintf(format, args...))
}

func (d *diff) types(before, after *ast.Definition) {
	switch before.Kind {
	case ast.Object, ast.Interface:
		d.fields(before, after)
		d.names(before.Name+" no longer implements", before.Interfaces, after.Interfaces)
	case ast.InputObject:
		d.inputFields(before, after)
	case ast.Union:
		d.names("union "+before.Name+" no longer has", before.Types, after.Types)
	case ast.Enum:
		for _, value := range before.EnumValues {
			if after.EnumValues.ForName(value.Name) == nil {
				d.add("enum value %s.%s was removed", before.Name, value.Name)
			}
		}
	}
}

func (d *diff) names(what string, before, after []string) {
	for _, name := range before {
		if !slices.Contains(after, name) {
			d.add("%s %s", what, name)
		}
	}
}

func (d *diff) fields(before, after *ast.Definition) {
	for _, field := range before.Fields {
		if strings.HasPrefix(field.Name, "__") {
			continue
		}
		name := before.Name + "." + field.Name
		now := after.Fields.ForName(field.Name)
		if now == nil {
			d.add("field %s was removed", name)
			continue
		}
		if !answers(field.Type, now.Type) {
			d.add("field %s became %s from %s", name, now.Type, field.Type)
		}
		d.arguments(name, field.Arguments, now.Arguments)
	}
}

func (d *diff) arguments(field string, before, after ast.ArgumentDefinitionList) {
	for _, argument := range before {
		d.input("argument", field+"("+argument.Name+")", argument.Type, argument.DefaultValue, after.ForName(argument.Name))
	}
	for _, argument := range after {
		if before.ForName(argument.Name) == nil && required(argument.Type, argument.DefaultValue) {
			d.add("argument %s(%s) is new and required", field, argument.Name)
		}
	}
}

func (d *diff) inputFields(before, after *ast.Definition) {
	for _, field := range before.Fields {
		var now *ast.ArgumentDefinition
		if f := after.Fields.ForName(field.Name); f != nil {
			now = &ast.ArgumentDefinition{Type: f.Type, DefaultValue: f.DefaultValue}
		}
		d.input("input field", before.Name+"."+field.Name, field.Type, field.DefaultValue, now)
	}
	for _, field := range after.Fields {
		if before.Fields.ForName(field.Name) == nil && required(field.Type, field.DefaultValue) {
			d.add("input field %s.%s is new and required", before.Name, field.Name)
		}
	}
}

// input compares a value that clients send.
func (d *diff) input(what, name string, before *ast.Type, standard *ast.Value, after *ast.ArgumentDefinition) {
	switch {
	case after == nil:
		d.add("%s %s was removed", what, name)
	case !accepts(before, after.Type):
		d.add("%s %s became %s from %s", what, name, after.Type, before)
	case !required(before, standard) && required(after.Type, after.DefaultValue):
		d.add("%s %s became required", what, name)
	case text(standard) != text(after.DefaultValue):
		d.add("%s %s has the default %s, it was %s", what, name, text(after.DefaultValue), text(standard))
	}
}

func required(t *ast.Type, standard *ast.Value) bool { return t.NonNull && standard == nil }

func text(standard *ast.Value) string {
	if standard == nil {
		return "nothing"
	}
	return standard.String()
}

// answers tells whether every answer of the type after is one that clients of the type before expect: it may promise
// more, that it is never null.
func answers(before, after *ast.Type) bool {
	if before.NonNull && !after.NonNull {
		return false
	}
	return sameShape(before, after, answers)
}

// accepts tells whether every value that fits the type before fits the type after: it may ask for less, that null is
// allowed. A type that became non-null with a default accepts what documents leave out, but no null of a variable.
func accepts(before, after *ast.Type) bool {
	if after.NonNull && !before.NonNull {
		return false
	}
	return sameShape(before, after, accepts)
}

func sameShape(before, after *ast.Type, compare func(before, after *ast.Type) bool) bool {
	if before.Elem == nil || after.Elem == nil {
		return before.Elem == nil && after.Elem == nil && before.NamedType == after.NamedType
	}
	return compare(before.Elem, after.Elem)
}
