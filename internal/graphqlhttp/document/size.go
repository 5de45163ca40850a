package document

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/internal/fault"
)

// size is what a selection set comes to when its fragments are spread out. The
// numbers stop at ten times their bounds, so that adding never overflows.
type size struct{ fields, values, depth int }

// add adds what stands beside s.
func (s *size) add(other size) {
	s.fields = min(s.fields+other.fields, 10*MaxFields)
	s.values = min(s.values+other.values, 10*MaxValues)
	s.depth = max(s.depth, other.depth)
}

func (s size) check() error {
	switch {
	case s.fields > MaxFields:
		return tooLarge("asks for more than %d fields, fragments spread out", MaxFields)
	case s.values > MaxValues:
		return tooLarge("has more than %d arguments, values and spreads, fragments spread out", MaxValues)
	case s.depth > MaxDepth:
		return tooLarge("has fields more than %d levels deep, fragments spread out", MaxDepth)
	}
	return nil
}

// checkSize bounds the document with its fragments spread out. Validation walks
// every definition by itself, so all of them count, used or not.
func checkSize(doc *ast.QueryDocument) error {
	if len(doc.Operations)+len(doc.Fragments) > MaxDefinitions {
		return tooLarge("has more than %d operations and fragments", MaxDefinitions)
	}
	sizes := sizes{fragments: doc.Fragments, known: map[string]size{}, open: map[string]bool{}}
	var total size
	for _, operation := range doc.Operations {
		if len(operation.VariableDefinitions) > MaxDefinitions {
			return tooLarge("has an operation with more than %d variables", MaxDefinitions)
		}
		total.add(sizes.ofOperation(operation))
	}
	for _, fragment := range doc.Fragments {
		total.add(sizes.ofFragment(fragment))
	}
	if sizes.cycle != "" {
		return fault.New(fault.ValidationFailed, "cannot spread fragment %q within itself", sizes.cycle)
	}
	return total.check()
}

// sizes computes the size of every fragment once.
type sizes struct {
	fragments ast.FragmentDefinitionList
	known     map[string]size
	open      map[string]bool // those being computed
	cycle     string          // a fragment that spreads itself, if there is one
}

func (s *sizes) ofOperation(operation *ast.OperationDefinition) size {
	of := s.ofSelections(operation.SelectionSet)
	for _, variable := range operation.VariableDefinitions {
		of.add(size{values: 1 + sizeOfValue(variable.DefaultValue) + sizeOfDirectives(variable.Directives)})
	}
	of.add(size{values: sizeOfDirectives(operation.Directives)})
	return of
}

func (s *sizes) ofSelections(set ast.SelectionSet) size {
	var of size
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			inner := s.ofSelections(selection.SelectionSet)
			inner.depth++
			of.add(inner)
			of.add(size{fields: 1, values: sizeOfArguments(selection.Arguments) + sizeOfDirectives(selection.Directives)})
		case *ast.InlineFragment:
			of.add(s.ofSelections(selection.SelectionSet))
			of.add(size{values: 1 + sizeOfDirectives(selection.Directives)})
		case *ast.FragmentSpread:
			of.add(s.ofSpread(selection.Name))
			of.add(size{values: 1 + sizeOfDirectives(selection.Directives)})
		}
	}
	return of
}

// ofSpread returns the size of the named fragment; nothing when there is none, which
// validation refuses.
func (s *sizes) ofSpread(name string) size {
	if of, known := s.known[name]; known {
		return of
	}
	fragment := s.fragments.ForName(name)
	if fragment == nil {
		return size{}
	}
	if s.open[name] {
		s.cycle = name
		return size{}
	}
	s.open[name] = true
	of := s.ofFragment(fragment)
	s.open[name] = false
	s.known[name] = of
	return of
}

func (s *sizes) ofFragment(fragment *ast.FragmentDefinition) size {
	of := s.ofSelections(fragment.SelectionSet)
	of.add(size{values: sizeOfDirectives(fragment.Directives)})
	return of
}

func sizeOfArguments(arguments ast.ArgumentList) int {
	count := len(arguments)
	for _, argument := range arguments {
		count += sizeOfValue(argument.Value)
	}
	return count
}

func sizeOfDirectives(directives ast.DirectiveList) int {
	count := len(directives)
	for _, directive := range directives {
		count += sizeOfArguments(directive.Arguments)
	}
	return count
}

func sizeOfValue(value *ast.Value) int {
	if value == nil {
		return 0
	}
	count := 1
	for _, child := range value.Children {
		count += sizeOfValue(child.Value)
	}
	return count
}
