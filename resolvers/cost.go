package resolvers

import (
	"context"
	"math"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/svc-dev/svc/internal/fault"
)

const (
	// maxCost is the most that one operation may cost. A dashboard page with every
	// report once costs about a third of it; 16 aliases of one report cost more.
	maxCost = 10_000
	// valuesAtOnce is how many values of an answer cost 1.
	valuesAtOnce = 25
)

// costLimit refuses operations that cost too much: the sum over all fields, times
// the rows that they stand in. What fields cost is in prices.go.
type costLimit struct{ schema *ast.Schema }

// ExtensionName implements graphql.HandlerExtension.
func (c *costLimit) ExtensionName() string { return "CostLimit" }

// Validate implements graphql.HandlerExtension.
func (c *costLimit) Validate(schema graphql.ExecutableSchema) error {
	c.schema = schema.Schema()
	return nil
}

// MutateOperationContext implements graphql.OperationContextMutator.
func (c *costLimit) MutateOperationContext(_ context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	cost, asked := costOf(c.schema, operation.Operation, operation.Variables)
	if cost > maxCost {
		err := fault.New(
			fault.TooCostly, "this operation costs %d, more than the limit of %d; ask for fewer things, or fewer rows, at once",
			cost, maxCost,
		)
		return &gqlerror.Error{Err: err, Message: err.Error()}
	}
	noteFor(operation).asksForReports = len(asked) > 0
	return nil
}

// costOf returns what an operation costs, rounded down, and how often it asks for
// each report. Fragments are walked as often as they are spread: document.Read has
// bounded how often that is.
func costOf(schema *ast.Schema, operation *ast.OperationDefinition, variables map[string]any) (int, map[string]int) {
	w := costWalk{schema: schema, variables: variables, reports: map[string]int{}}
	values := w.selections(operation.SelectionSet, listBounds{page: defaultPage, span: defaultSpan})
	for report, n := range w.reports {
		// The first is in the sum already; the second costs twice, the third three
		// times as much: asking for the same thing 16 times is no dashboard.
		values = plus(values, valuesAtOnce*prices[report]*n*(n-1)/2)
	}
	return values / valuesAtOnce, w.reports
}

type costWalk struct {
	schema    *ast.Schema
	variables map[string]any
	reports   map[string]int
}

// selections returns what a selection set costs, in values.
func (w *costWalk) selections(set ast.SelectionSet, around listBounds) int {
	sum := 0
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			sum = plus(sum, w.field(selection, around))
		case *ast.InlineFragment:
			sum = plus(sum, w.selections(selection.SelectionSet, around))
		case *ast.FragmentSpread:
			sum = plus(sum, w.selections(selection.Definition.SelectionSet, around))
		}
	}
	return sum
}

func (w *costWalk) field(field *ast.Field, around listBounds) int {
	name := field.ObjectDefinition.Name + "." + field.Name
	if isReport(name) {
		w.reports[name]++
	}
	if len(field.Definition.Arguments) > 0 {
		around = around.inside(field.ArgumentMap(w.variables))
	}
	entries := 1
	if field.Definition.Type.Elem != nil {
		entries = w.countEntries(field, name, around)
	}
	own := plus(1, valuesAtOnce*priceOf(w.schema, field))
	inner := w.selections(field.SelectionSet, around)
	if listed, among, known := w.introspected(name); known {
		return plus(own, plus(times(listed, inner), among-1)/among)
	}
	return plus(own, times(entries, inner))
}

// introspected returns how many entries the lists of a name have in all, and among how many owners: of the schema
// itself that is known, and its average rounded up would be far too much.
func (w *costWalk) introspected(name string) (listed, among int, known bool) {
	if !strings.HasPrefix(name, "__") {
		return 0, 0, false
	}
	var fields, arguments, inputs, values int
	for _, is := range w.schema.Types {
		values += len(is.EnumValues)
		if is.Kind == ast.InputObject {
			inputs += len(is.Fields)
			continue
		}
		fields += len(is.Fields)
		for _, field := range is.Fields {
			arguments += len(field.Arguments)
		}
	}
	types := len(w.schema.Types)
	switch name {
	case "__Type.fields":
		return fields, types, true
	case "__Type.inputFields":
		return inputs, types, true
	case "__Type.enumValues":
		return values, types, true
	case "__Field.args":
		return arguments, fields, true
	}
	return 0, 0, false
}

// plus and times stop at the largest number: lists within lists would overflow.

func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func times(a, b int) int {
	if b > 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}
