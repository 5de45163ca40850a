package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/complexity"
	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// maxCost is the most that one operation may cost. A dashboard page with every
// report once costs about a third of it; 16 aliases of one report cost more.
const maxCost = 10_000

// codeTooCostly is gqlgen's own code, which clients of GraphQL servers know.
const codeTooCostly = "COMPLEXITY_LIMIT_EXCEEDED"

// costLimit refuses operations that cost too much. The cost is the sum over
// fields (see costs), and a report that an operation asks for again costs as
// often again: asking for the same thing 16 times is not a dashboard.
type costLimit struct{ schema graphql.ExecutableSchema }

// ExtensionName implements graphql.HandlerExtension.
func (c *costLimit) ExtensionName() string { return "CostLimit" }

// Validate implements graphql.HandlerExtension.
func (c *costLimit) Validate(schema graphql.ExecutableSchema) error {
	c.schema = schema
	return nil
}

// MutateOperationContext implements graphql.OperationContextMutator.
func (c *costLimit) MutateOperationContext(ctx context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	cost := c.of(ctx, operation.Doc.Operations.ForName(operation.OperationName), operation.Variables)
	if cost <= maxCost {
		return nil
	}
	err := gqlerror.Errorf("this operation costs %d, more than the limit of %d; ask for fewer reports or rows at once", cost, maxCost)
	errcode.Set(err, codeTooCostly)
	return err
}

func (c *costLimit) of(ctx context.Context, operation *ast.OperationDefinition, variables map[string]any) int {
	cost := complexity.Calculate(ctx, c.schema, operation, variables)
	counts := map[string]int{}
	countReports(operation.SelectionSet, counts)
	for name, n := range counts {
		// The first is in the sum already; the second costs twice, the third three
		// times as much.
		cost += reportCosts[name] * n * (n - 1) / 2
	}
	return cost
}

// countReports counts how often each report is asked for, fragments included.
func countReports(set ast.SelectionSet, counts map[string]int) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			if _, report := reportCosts[s.Name]; report {
				counts[s.Name]++
			}
			countReports(s.SelectionSet, counts)
		case *ast.InlineFragment:
			countReports(s.SelectionSet, counts)
		case *ast.FragmentSpread:
			if s.Definition != nil {
				countReports(s.Definition.SelectionSet, counts)
			}
		}
	}
}

// reportCosts are the costs of reports beside their rows, by field. One is about
// what reading a single row costs.
var reportCosts = map[string]int{
	"productAnalytics": 50, // the selection
}
