package manifest

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed schema.json
var schemaJSON []byte

// Schema returns schema.json: the structure of a manifest as JSON Schema,
// draft 2020-12.
func Schema() []byte { return bytes.Clone(schemaJSON) }

const schemaURL = "https://svc.dev/schemas/manifest.json"

// compiledSchema is schema.json ready for use. Before it is compiled, every
// oneOf becomes a "union" and every length a length in UTF-16 units (see
// prepare), so that a fault is reported at its place and by its own name
// instead of as "oneOf failed".
var compiledSchema = sync.OnceValue(func() *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaJSON))
	if err != nil {
		panic(fmt.Errorf("read schema.json: %w", err))
	}
	root := doc.(map[string]any)
	p := preparer{defs: root["$defs"].(map[string]any)}
	root = p.prepare(root).(map[string]any)

	c := jsonschema.NewCompiler()
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL:    "https://svc.dev/schemas/vocabulary/union",
		Schema: anySchema(),
		Subschemas: []jsonschema.SchemaPath{
			{jsonschema.Prop("union"), jsonschema.Prop("gate")},
			{jsonschema.Prop("union"), jsonschema.Prop("branches"), jsonschema.AllProp{}},
		},
		Compile: compileUnion,
	})
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL:        "https://svc.dev/schemas/vocabulary/memberNames",
		Schema:     anySchema(),
		Subschemas: []jsonschema.SchemaPath{{jsonschema.Prop("memberNames")}},
		Compile:    compileMemberNames,
	})
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL:     "https://svc.dev/schemas/vocabulary/utf16",
		Schema:  anySchema(),
		Compile: compileUTF16,
	})
	c.AssertVocabs()
	if err := c.AddResource(schemaURL, root); err != nil {
		panic(fmt.Errorf("add schema.json: %w", err))
	}
	return c.MustCompile(schemaURL)
})

// anySchema returns the schema of our own keywords: prepare writes them, so there
// is nothing to check.
func anySchema() *jsonschema.Schema {
	yes := true
	return &jsonschema.Schema{Bool: &yes}
}

// preparer rewrites a schema into the form that is compiled.
type preparer struct {
	defs map[string]any
}

// prepare rewrites oneOf to union, minLength and maxLength to their UTF-16
// forms, in s and in all schemas below it. Member names of "properties" are
// names, not keywords, which is why the walk follows the keywords.
func (p preparer) prepare(s any) any {
	schema, ok := s.(map[string]any)
	if !ok {
		return s
	}
	out := map[string]any{}
	for keyword, value := range schema {
		switch keyword {
		case "properties", "$defs":
			members := map[string]any{}
			for name, sub := range value.(map[string]any) {
				members[name] = p.prepare(sub)
			}
			out[keyword] = members
		case "items", "additionalProperties":
			out[keyword] = p.prepare(value)
		case "propertyNames":
			// The library reports a bad name at a place that it overwrites later.
			out["memberNames"] = p.prepare(value)
		case "allOf":
			subs := []any{}
			for _, sub := range value.([]any) {
				subs = append(subs, p.prepare(sub))
			}
			out[keyword] = subs
		case "oneOf":
			out["union"] = p.union(schema)
		case "discriminator":
		case "minLength":
			out["minUTF16"] = value
		case "maxLength":
			out["maxUTF16"] = value
		default:
			out[keyword] = value
		}
	}
	return out
}

// union turns {oneOf, discriminator?} into {gate, branches}: branches by the
// value of the discriminating member or else by JSON type; gate is the schema
// that a value must meet for a branch to be chosen at all.
func (p preparer) union(schema map[string]any) map[string]any {
	branches := map[string]any{}
	discriminator, tagged := schema["discriminator"].(map[string]any)
	if !tagged {
		for _, branch := range schema["oneOf"].([]any) {
			for _, t := range p.jsonTypes(branch) {
				branches[t] = p.prepare(branch)
			}
		}
		types := sortedAny(branches)
		return map[string]any{"gate": map[string]any{"type": types}, "branches": branches}
	}
	property := discriminator["propertyName"].(string)
	for _, branch := range schema["oneOf"].([]any) {
		for _, value := range p.constants(branch, property) {
			branches[value] = p.prepare(branch)
		}
	}
	return map[string]any{
		"property": property,
		"branches": branches,
		"gate": map[string]any{
			"type":       "object",
			"required":   []any{property},
			"properties": map[string]any{property: map[string]any{"type": "string", "enum": sortedAny(branches)}},
		},
	}
}

func sortedAny(m map[string]any) []any {
	out := []any{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, key)
	}
	return out
}

// follow resolves a reference into $defs.
func (p preparer) follow(s any) map[string]any {
	schema := s.(map[string]any)
	if ref, ok := schema["$ref"].(string); ok {
		return p.follow(p.defs[strings.TrimPrefix(ref, "#/$defs/")])
	}
	return schema
}

// jsonTypes lists the JSON types that a branch of an untagged union takes.
func (p preparer) jsonTypes(branch any) []string {
	schema := p.follow(branch)
	if t, ok := schema["type"].(string); ok {
		if t == "integer" {
			t = "number"
		}
		return []string{t}
	}
	if _, ok := schema["enum"]; ok {
		return []string{"string"}
	}
	panic(fmt.Sprintf("schema.json: a branch of oneOf has no type: %v", branch))
}

// constants lists the values of the discriminating member that lead to branch.
func (p preparer) constants(branch any, property string) []string {
	schema := p.follow(branch)
	if nested, ok := schema["oneOf"].([]any); ok {
		var all []string
		for _, sub := range nested {
			all = append(all, p.constants(sub, property)...)
		}
		return all
	}
	member := schema["properties"].(map[string]any)[property].(map[string]any)
	return []string{member["const"].(string)}
}

// union is the compiled form of a oneOf.
type union struct {
	property string // "" when the branches are JSON types
	gate     *jsonschema.Schema
	branches map[string]*jsonschema.Schema
}

func compileUnion(ctx *jsonschema.CompilerContext, obj map[string]any) (jsonschema.SchemaExt, error) {
	raw, ok := obj["union"].(map[string]any)
	if !ok {
		return nil, nil
	}
	u := &union{branches: map[string]*jsonschema.Schema{}}
	u.property, _ = raw["property"].(string)
	u.gate = ctx.Enqueue([]string{"union", "gate"})
	for name := range raw["branches"].(map[string]any) {
		u.branches[name] = ctx.Enqueue([]string{"union", "branches", name})
	}
	return u, nil
}

// pick returns the branch that v must meet, nil when v meets none.
func (u *union) pick(v any) *jsonschema.Schema {
	if u.property == "" {
		return u.branches[jsonType(v)]
	}
	object, _ := v.(map[string]any)
	tag, _ := object[u.property].(string)
	return u.branches[tag]
}

// Validate implements jsonschema.SchemaExt.
func (u *union) Validate(ctx *jsonschema.ValidatorContext, v any) {
	branch := u.pick(v)
	if branch == nil {
		branch = u.gate
	}
	if err := ctx.Validate(branch, v, nil); err != nil {
		ctx.AddErr(err)
	}
}

func jsonType(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	default:
		return "object"
	}
}
