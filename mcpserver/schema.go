package mcpserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/graph"
)

// sdl is the GraphQL schema, of which inputs of tools and selections of operations are made.
var sdl = graph.NewExecutableSchema(graph.Config{}).Schema()

// schemas makes the JSON Schemas of one tool; what is used again and again stands in its $defs.
type schemas struct{ shared map[string]*jsonschema.Schema }

// sharedInputs are the GraphQL inputs that a scope has many of.
var sharedInputs = []string{"ExactFilter", "TextFilter"}

// input returns the JSON Schema of a GraphQL input.
func (s *schemas) input(t *ast.Type) *jsonschema.Schema {
	if t.Elem != nil {
		return &jsonschema.Schema{Type: "array", Items: s.input(t.Elem)}
	}
	definition := sdl.Types[t.NamedType]
	switch definition.Kind {
	case ast.Enum:
		return enumSchema(definition)
	case ast.InputObject:
		if !slices.Contains(sharedInputs, definition.Name) {
			return s.object(definition)
		}
		if s.shared == nil {
			s.shared = map[string]*jsonschema.Schema{}
		}
		if s.shared[definition.Name] == nil {
			s.shared[definition.Name] = s.object(definition)
		}
		return &jsonschema.Schema{Ref: "#/$defs/" + definition.Name}
	}
	switch t.NamedType {
	case "Int":
		return &jsonschema.Schema{Type: "integer"}
	case "Float":
		return &jsonschema.Schema{Type: "number"}
	case "Boolean":
		return &jsonschema.Schema{Type: "boolean"}
	case "JSON":
		return &jsonschema.Schema{Description: "Any JSON value."}
	case "Time":
		return &jsonschema.Schema{Type: "string", Description: "RFC 3339, such as 2026-01-31T00:00:00Z."}
	}
	return &jsonschema.Schema{Type: "string"}
}

func enumSchema(definition *ast.Definition) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "string", Description: oneLine(definition.Description)}
	for _, value := range definition.EnumValues {
		if value.Directives.ForName("deprecated") == nil {
			schema.Enum = append(schema.Enum, value.Name)
		}
	}
	return schema
}

// object refuses what the input does not have, and the members that are left out.
func (s *schemas) object(definition *ast.Definition, leftOut ...string) *jsonschema.Schema {
	schema := newObject(oneLine(definition.Description))
	for _, field := range definition.Fields {
		if slices.Contains(leftOut, field.Name) {
			continue
		}
		addProperty(schema, field.Name, s.input(field.Type), field.Description)
		if field.Type.NonNull && field.DefaultValue == nil {
			schema.Required = append(schema.Required, field.Name)
		}
	}
	return schema
}

func newObject(description string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Description: description, Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

// addProperty gives an object a property. Its own description stands before that of its type.
func addProperty(object *jsonschema.Schema, name string, schema *jsonschema.Schema, description string) {
	schema.Description = strings.TrimSpace(oneLine(description) + " " + schema.Description)
	object.Properties[name] = schema
	object.PropertyOrder = append(object.PropertyOrder, name)
}

// oneLine joins the lines of a description.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// selection returns the selection set of all fields of a type that take no required argument, and of theirs; empty for
// a scalar. Pages are asked for their nodes, their count and where they end. Fields whose names are left out, and those
// that lead back to a type on the way, are not selected.
func selection(t *ast.Type, leftOut ...string) string { return selectionOf(t, nil, leftOut) }

func selectionOf(t *ast.Type, way, leftOut []string) string {
	definition := sdl.Types[t.Name()]
	if definition.Kind != ast.Object || slices.Contains(way, definition.Name) {
		return ""
	}
	way = append(slices.Clone(way), definition.Name)
	var fields []string
	for _, field := range columns(definition) {
		if slices.Contains(leftOut, field.Name) {
			continue
		}
		set := selectionOf(field.Type, way, leftOut)
		if set == "" && sdl.Types[field.Type.Name()].Kind == ast.Object {
			continue
		}
		fields = append(fields, field.Name+set)
	}
	return " { " + strings.Join(fields, " ") + " }"
}

// columns are the fields of an object that are asked for: none with required arguments and no deprecated one.
func columns(definition *ast.Definition) []*ast.FieldDefinition {
	var list []*ast.FieldDefinition
	for _, field := range definition.Fields {
		required := slices.ContainsFunc(field.Arguments, func(a *ast.ArgumentDefinition) bool {
			return a.Type.NonNull && a.DefaultValue == nil
		})
		if !required && field.Directives.ForName("deprecated") == nil && !strings.HasPrefix(field.Name, "__") {
			list = append(list, field)
		}
	}
	return list
}

// family are the reports of one scope: the fields of a GraphQL type.
type family struct {
	prefix string // of the names of its reports
	of     *ast.Definition
	scope  *ast.Definition
	// around writes the operation around the field of a report.
	around func(declarations, field string) string
}

var (
	product = family{
		of: sdl.Types["ProductAnalytics"], scope: sdl.Types["ScopeInput"],
		around: func(declarations, field string) string {
			return "query($app: ID!, $scope: ScopeInput!" + declarations +
				") { app(id: $app) { reports: productAnalytics(scope: $scope) { range { start end timeZone } " + field + " } } }"
		},
	}
	revenue = family{
		prefix: "revenue.", of: sdl.Types["RevenueFigures"], scope: sdl.Types["RevenueScope"],
		around: func(declarations, field string) string {
			return "query($scope: RevenueScope!" + declarations +
				") { reports: revenue(scope: $scope) { range { start end timeZone } " + field + " } }"
		},
	}
	// imported are the totals of other tools, which are told with who counted them, and whether they are left out.
	imported = family{
		prefix: "imported.", of: sdl.Types["ImportedTotals"], scope: sdl.Types["ScopeInput"],
		around: func(declarations, field string) string {
			return "query($app: ID!, $scope: ScopeInput!" + declarations + ") { app(id: $app) { reports: " +
				"importedTotals(scope: $scope) { range { start end timeZone } leftOut sources " + field + " } } }"
		},
	}
	flow = family{
		of: sdl.Types["FlowAnalytics"], scope: sdl.Types["FlowAnalyticsScope"],
		around: func(declarations, field string) string {
			return "query($scope: FlowAnalyticsScope!" + declarations +
				") { reports: flowAnalytics(scope: $scope) { range { start end timeZone } " + field + " } }"
		},
	}
)

// reports are the fields of a family that are reports.
func (f family) reports() []*ast.FieldDefinition {
	return slices.DeleteFunc(slices.Clone([]*ast.FieldDefinition(f.of.Fields)), func(d *ast.FieldDefinition) bool {
		counted := f.prefix == imported.prefix && len(d.Arguments) == 0 // sums, which the series has by day
		return d.Name == "range" || d.Name == "peopleBehind" || counted
	})
}

// operation returns the document that asks for a report with the named arguments.
func (f family) operation(report *ast.FieldDefinition, arguments []string) string {
	var declarations, given strings.Builder
	for _, name := range arguments {
		fmt.Fprintf(&declarations, ", $%s: %s", name, report.Arguments.ForName(name).Type)
		fmt.Fprintf(&given, " %s: $%[1]s", name)
	}
	field := "report: " + report.Name
	if given.Len() > 0 {
		field += "(" + given.String() + " )"
	}
	return f.around(declarations.String(), field+selection(report.Type))
}

// addArguments gives an object the arguments of all of some reports. Those that reports type differently take the
// values of any of them; GraphQL refuses those of another report.
func (s *schemas) addArguments(object *jsonschema.Schema, reports []*ast.FieldDefinition) {
	added := map[string]bool{}
	for _, report := range reports {
		for _, argument := range report.Arguments {
			schema := s.input(argument.Type)
			known, there := object.Properties[argument.Name]
			if key := argument.Name + " " + argument.Type.Name(); schema.Properties != nil {
				if there && !added[key] {
					addAlternative(object, argument.Name, schema)
				}
				added[key] = true
			}
			if !there {
				if schema.Enum != nil {
					schema.Description = ""
				}
				addProperty(object, argument.Name, schema, argument.Description)
				continue
			}
			for _, value := range schema.Enum {
				if !slices.Contains(known.Enum, value) {
					known.Enum = append(known.Enum, value)
				}
			}
		}
	}
}

// addAlternative lets a property be an object of another type, too.
func addAlternative(object *jsonschema.Schema, name string, schema *jsonschema.Schema) {
	known := object.Properties[name]
	if known.AnyOf == nil {
		known = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{known}}
		object.Properties[name] = known
	}
	known.AnyOf = append(known.AnyOf, schema)
}

// argumentNames lists what a report takes, required ones with an asterisk.
func argumentNames(report *ast.FieldDefinition) []string {
	names := make([]string, len(report.Arguments))
	for i, argument := range report.Arguments {
		names[i] = argument.Name
		if argument.Type.NonNull && argument.DefaultValue == nil {
			names[i] += "*"
		}
	}
	return names
}

// mergeProperties adds the properties of other objects that the first lacks.
func mergeProperties(object *jsonschema.Schema, others ...*jsonschema.Schema) *jsonschema.Schema {
	for _, other := range others {
		for _, name := range slices.Sorted(maps.Keys(other.Properties)) {
			if _, there := object.Properties[name]; !there {
				addProperty(object, name, other.Properties[name], "")
			}
		}
	}
	return object
}
