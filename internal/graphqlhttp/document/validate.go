package document

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// validationRules are gqlparser's, with suggestions of similar names, and with a
// rule of ours in the place of the one whose time is not bounded.
var validationRules = chooseRules()

func chooseRules() []core.Rule {
	all := rules.NewDefaultRules()
	all.RemoveRule(rules.OverlappingFieldsCanBeMergedRule.Name)
	chosen := []core.Rule{fieldsCanBeMerged}
	for name, apply := range all.GetInner() {
		chosen = append(chosen, core.Rule{Name: name, RuleFunc: apply})
	}
	slices.SortFunc(chosen, func(a, b core.Rule) int { return strings.Compare(a.Name, b.Name) })
	return chosen
}

// enough ends the walk through a document that is wrong in many places.
type enough struct{}

// validate reports the first errors of the document, at most maxErrors. It does
// what validator.Validate does, which neither stops nor lets itself be stopped:
// every error looks for similar names and repeats parts of the document.
func validate(schema *ast.Schema, doc *ast.QueryDocument) (errs gqlerror.List) {
	defer func() {
		if reason := recover(); reason != nil && reason != any(enough{}) {
			panic(reason)
		}
	}()
	observers := &core.Events{}
	for _, rule := range validationRules {
		rule.RuleFunc(observers, func(options ...core.ErrorOption) {
			err := &gqlerror.Error{Rule: rule.Name}
			for _, apply := range options {
				apply(err)
			}
			errs = append(errs, err)
			if len(errs) == maxErrors {
				panic(enough{})
			}
		})
	}
	core.Walk(schema, doc, observers)
	return errs
}
