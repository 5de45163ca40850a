package document

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// fieldsCanBeMerged is the rule FieldsInSetCanMerge of the GraphQL specification
// (5.3.2): fields with the same response name in one place of the answer must be
// the same field with the same arguments. gqlparser compares every two of them,
// on every level, and fragments with each other as well: three thousand equal
// fields took it nine seconds. Being the same is transitive, so this rule
// compares each field with the first of its name, fragments spread out; checkSize
// has bounded how many fields that are.
//
// Only a schema without interfaces and unions allows it: all fields in one place
// of the answer are then of one type.
var fieldsCanBeMerged = core.Rule{
	Name: "OverlappingFieldsCanBeMerged",
	RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
		observers.OnOperation(func(_ *core.Walker, operation *ast.OperationDefinition) {
			checkMerge([]ast.SelectionSet{operation.SelectionSet}, addError)
		})
	},
}

// checkMerge checks the selection sets that one place of the answer is made of.
func checkMerge(sets []ast.SelectionSet, addError core.AddErrFunc) {
	var merged mergedFields
	for _, set := range sets {
		merged.collect(set)
	}
	if len(merged.groups) > MaxNames {
		addError(
			core.Message("One selection has more than %d different fields.", MaxNames), core.At(merged.groups[0][0].Position),
		)
		return
	}
	for _, fields := range merged.groups {
		first := fields[0]
		inner := []ast.SelectionSet{first.SelectionSet}
		for _, other := range fields[1:] {
			if reason := conflict(first, other); reason != "" {
				addError(
					core.Message("Fields %q conflict because %s. Use different aliases on the fields to fetch both if this was "+
						"intentional.",
						first.Alias, reason),
					core.At(other.Position),
				)
				return
			}
			inner = append(inner, other.SelectionSet)
		}
		checkMerge(inner, addError)
	}
}

// mergedFields are fields by response name, in the order of the document.
type mergedFields struct {
	groups [][]*ast.Field
	index  map[string]int
}

func (m *mergedFields) collect(set ast.SelectionSet) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			m.add(selection)
		case *ast.InlineFragment:
			m.collect(selection.SelectionSet)
		case *ast.FragmentSpread:
			if selection.Definition != nil {
				m.collect(selection.Definition.SelectionSet)
			}
		}
	}
}

func (m *mergedFields) add(field *ast.Field) {
	if m.index == nil {
		m.index = map[string]int{}
	}
	at, known := m.index[field.Alias]
	if !known {
		at = len(m.groups)
		m.index[field.Alias] = at
		m.groups = append(m.groups, nil)
	}
	m.groups[at] = append(m.groups[at], field)
}

// conflict returns why two fields of one response name can't be merged, or "".
func conflict(a, b *ast.Field) string {
	switch {
	case a.Name != b.Name:
		return `"` + a.Name + `" and "` + b.Name + `" are different fields`
	case !sameArguments(a.Arguments, b.Arguments):
		return "they have differing arguments"
	}
	return ""
}

func sameArguments(a, b ast.ArgumentList) bool {
	if len(a) != len(b) {
		return false
	}
	values := make(map[string]*ast.Value, len(a))
	for _, argument := range a {
		values[argument.Name] = argument.Value
	}
	for _, argument := range b {
		if value, given := values[argument.Name]; !given || !sameValue(value, argument.Value) {
			return false
		}
	}
	return true
}

// sameValue compares literals as they are written; the order of an object's
// fields counts, as it does for gqlparser.
func sameValue(a, b *ast.Value) bool {
	if a.Kind != b.Kind || a.Raw != b.Raw || len(a.Children) != len(b.Children) {
		return false
	}
	for i, child := range a.Children {
		if child.Name != b.Children[i].Name || !sameValue(child.Value, b.Children[i].Value) {
			return false
		}
	}
	return true
}
