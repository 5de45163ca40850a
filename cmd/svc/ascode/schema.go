package ascode

import (
	"bytes"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/manifest"
)

// sdl is the GraphQL schema, whose inputs are what files are checked by.
var sdl = graph.NewExecutableSchema(graph.Config{}).Schema()

const dialect = "https://json-schema.org/draft/2020-12/schema"

func schemaName(k *kind) string { return "schemas/" + k.name + ".schema.json" }

// writeSchemas writes the JSON Schemas that the files of the kinds name, for editors.
func (f *Folder) writeSchemas(chosen []*kind) error {
	for _, k := range chosen {
		text, err := encode(k.schema())
		if err != nil {
			return err
		}
		if old, err := f.read(schemaName(k)); err == nil && bytes.Equal(old, text) {
			continue
		}
		if err := f.write(schemaName(k), text); err != nil {
			return err
		}
	}
	return nil
}

// memberSchemas are the schemas of members by kind and name: an input of the GraphQL schema, or a JSON Schema.
var memberSchemas = map[string]any{
	"goals.condition":          "GoalConditionInput",
	"segments.rules":           "SegmentRulesInput",
	"segments.windowDays":      document{"type": "integer", "minimum": 1, "maximum": 1827},
	"channels.automaticReturn": document{"type": "boolean"},
	"channels.serves":          servesSchema,
	"experiments.channel":      document{"type": "string", "pattern": "^@channels/"},
	"experiments.splitBy":      "ExperimentSplitBy",
	"experiments.endsAt":       document{"type": "string", "format": "date-time"},
	"experiments.planner":      document{"type": "object"},
	"experiments.variants":     document{"type": "array", "minItems": 1, "maxItems": 20, "items": variantSchema},
	"experiments.goals":        document{"type": "array", "maxItems": 10, "items": measuredSchema},
	"experiments.status":       document{"enum": []any{"DRAFT", "RUNNING", "STOPPED"}},
	"automations.definition":   document{"type": "object"},
	"automations.published":    document{"type": "boolean", "description": "Whether the newest version is that."},
	"automations.state":        document{"enum": []any{"DRAFT", "PUBLISHED", "ACTIVE", "PAUSED"}},
	"plans.features":           document{"type": "array", "items": document{"type": "string"}},
	"plans.activeApps":         document{"type": "integer", "minimum": 0},
	"plans.liveUsers":          document{"type": "integer", "minimum": 0},
	"branding.appIcon":         document{"type": []any{"object", "null"}},
	"branding.colorPresets":    document{"type": "array"},
	"branding.gradientPresets": document{"type": "array"},
	"branding.fontFamilies":    document{"type": "array"},
}

var (
	flowReference = document{"type": "string", "pattern": "^@flows/"}
	versionSchema = document{
		"type": "integer", "minimum": 1, "description": "Number of a version; without it the flow as its file has it.",
	}
	servesSchema = document{"oneOf": []any{
		document{"type": "null"},
		closed(document{"flow": flowReference, "version": versionSchema}, "flow"),
		closed(document{"experiment": document{"type": "string", "pattern": "^@experiments/"}}, "experiment"),
	}}
	measuredSchema = closed(document{
		"goal": document{"type": "string", "pattern": "^@goals/"},
		"primary": document{
			"type": "boolean", "description": "Whether it decides, in place of completion. Frozen by the start.",
		},
	}, "goal")
	variantSchema = closed(document{
		"key": document{"type": "string", "pattern": "^[a-z0-9_-]{1,64}$"}, "name": document{"type": "string"},
		"weight": document{"type": "integer", "minimum": 0}, "flow": flowReference, "version": versionSchema,
	}, "key", "weight")
)

// closed is the schema of an object with these members only.
func closed(members document, required ...string) document {
	names := []any{}
	for _, name := range required {
		names = append(names, name)
	}
	return document{"type": "object", "properties": members, "required": names, "additionalProperties": false}
}

// schema describes the files of a kind.
func (k *kind) schema() document {
	if k == flowKind {
		return flowSchema()
	}
	defs, members := document{}, document{"$schema": document{"type": "string"}}
	for _, name := range k.members {
		switch s := memberSchemas[k.name+"."+name].(type) {
		case string:
			members[name] = inputSchema(ast.NamedType(s, nil), defs)
		case document:
			members[name] = s
		default:
			members[name] = document{"type": "string"}
		}
	}
	schema := closed(members, k.required...)
	schema["$schema"], schema["title"] = dialect, k.name
	if len(defs) > 0 {
		schema["$defs"] = defs
	}
	return schema
}

// flowSchema is the manifest's schema where ids may be references, and the server writes flow and version.
func flowSchema() document {
	whole, err := decode(manifest.Schema())
	if err != nil {
		panic(err) // it is in the binary
	}
	defs := whole["$defs"].(document)
	defs["Uuid"] = document{"anyOf": []any{defs["Uuid"], document{"type": "string", "pattern": "^@"}}}
	delete(whole, "$defs")
	delete(whole, "$id")
	delete(whole, "$schema")
	whole["required"] = slices.DeleteFunc(whole["required"].([]any), func(name any) bool {
		return name == "flowId" || name == "version"
	})
	schema := closed(document{
		"$schema": document{"type": "string"}, "name": document{"type": "string"}, "manifest": whole,
	}, flowKind.required...)
	schema["$schema"], schema["title"], schema["$defs"] = dialect, "flows", defs
	return schema
}

// inputSchema is the JSON Schema of a type of GraphQL's inputs; objects and enums go into defs, as they refer to
// themselves.
func inputSchema(t *ast.Type, defs document) document {
	if t.Elem != nil {
		return document{"type": "array", "items": inputSchema(t.Elem, defs)}
	}
	definition := sdl.Types[t.NamedType]
	switch definition.Kind {
	case ast.Enum, ast.InputObject:
		if defs[definition.Name] == nil {
			defs[definition.Name] = document{} // what it has may refer to it
			defs[definition.Name] = definitionSchema(definition, defs)
		}
		return document{"$ref": "#/$defs/" + definition.Name}
	}
	switch t.NamedType {
	case "Int", "Count64":
		return document{"type": "integer"}
	case "Float", "USD":
		return document{"type": "number"}
	case "Boolean":
		return document{"type": "boolean"}
	case "JSON":
		return document{}
	}
	return document{"type": "string"}
}

func definitionSchema(definition *ast.Definition, defs document) document {
	schema := document{}
	if definition.Kind == ast.Enum {
		names := []any{}
		for _, v := range definition.EnumValues {
			names = append(names, v.Name)
		}
		schema["enum"] = names
	} else {
		members, required := document{}, []string{}
		for _, field := range definition.Fields {
			member := inputSchema(field.Type, defs)
			if text := strings.Join(strings.Fields(field.Description), " "); text != "" {
				member["description"] = text
			}
			if !field.Type.NonNull { // what is left out is null in an answer
				member = document{"anyOf": []any{member, document{"type": "null"}}}
			} else if field.DefaultValue == nil {
				required = append(required, field.Name)
			}
			members[field.Name] = member
		}
		schema = closed(members, required...)
	}
	if text := strings.Join(strings.Fields(definition.Description), " "); text != "" {
		schema["description"] = text
	}
	return schema
}
