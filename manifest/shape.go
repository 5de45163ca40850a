package manifest

import (
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// eachSchema calls fn with every schema that speaks about v, following
// references, allOf and the chosen branch of unions.
func eachSchema(s *jsonschema.Schema, v any, fn func(*jsonschema.Schema)) {
	fn(s)
	if s.Ref != nil {
		eachSchema(s.Ref, v, fn)
	}
	for _, sub := range s.AllOf {
		eachSchema(sub, v, fn)
	}
	for _, ext := range s.Extensions {
		if u, ok := ext.(*union); ok {
			if branch := u.pick(v); branch != nil {
				eachSchema(branch, v, fn)
			}
		}
	}
}

// member is what the schemas of an object say about one of its members.
type member struct {
	schemas []*jsonschema.Schema
	// kept: no schema names the member, but one keeps what it does not name.
	kept bool
}

func (m member) known() bool { return m.kept || len(m.schemas) > 0 }

// members looks up every member of an object in the schemas that speak about it.
func members(schemas []*jsonschema.Schema, object map[string]any) map[string]member {
	out := make(map[string]member, len(object))
	for _, s := range schemas {
		eachSchema(s, object, func(s *jsonschema.Schema) {
			for name := range object {
				m := out[name]
				if sub, ok := s.Properties[name]; ok {
					m.schemas = append(m.schemas, sub)
				} else if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
					m.schemas = append(m.schemas, sub)
				} else if keep, _ := s.AdditionalProperties.(bool); keep {
					m.kept = true
				}
				out[name] = m
			}
		})
	}
	return out
}

// items returns the schemas of the elements of an array.
func items(schemas []*jsonschema.Schema, array []any) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, s := range schemas {
		eachSchema(s, array, func(s *jsonschema.Schema) {
			if s.Items2020 != nil {
				out = append(out, s.Items2020)
			}
		})
	}
	return out
}

// strip removes the members that no schema names (manifest.md, conventions).
// It changes v in place and expects v to be valid.
func strip(schemas []*jsonschema.Schema, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, m := range members(schemas, v) {
			switch {
			case !m.known():
				delete(v, name)
			case len(m.schemas) > 0:
				strip(m.schemas, v[name])
			}
		}
	case []any:
		sub := items(schemas, v)
		for _, element := range v {
			strip(sub, element)
		}
	}
}

// visit calls fn with every value below v, its pointer and the schemas that
// speak about it.
func visit(
	schemas []*jsonschema.Schema, v any, pointer string, fn func(pointer string, v any, schemas []*jsonschema.Schema),
) {
	fn(pointer, v, schemas)
	switch v := v.(type) {
	case map[string]any:
		for name, m := range members(schemas, v) {
			if len(m.schemas) > 0 {
				visit(m.schemas, v[name], at(pointer, name), fn)
			}
		}
	case []any:
		sub := items(schemas, v)
		for i, element := range v {
			visit(sub, element, at(pointer, i), fn)
		}
	}
}

// isDef reports whether one of the schemas is, or refers to, the definition.
func isDef(schemas []*jsonschema.Schema, v any, name string) bool {
	location := schemaURL + "#/$defs/" + name
	found := false
	for _, s := range schemas {
		eachSchema(s, v, func(s *jsonschema.Schema) { found = found || s.Location == location })
	}
	return found
}

// eachColor calls fn with every color of a document, both palettes apart.
func eachColor(doc any, fn func(pointer, color string, background bool)) {
	visit([]*jsonschema.Schema{compiledSchema()}, doc, "", func(pointer string, v any, schemas []*jsonschema.Schema) {
		background := isDef(schemas, v, "ThemedBackground")
		if !background && !isDef(schemas, v, "ThemedColor") {
			return
		}
		switch v := v.(type) {
		case string:
			fn(pointer, v, background)
		case map[string]any:
			for palette, color := range v {
				if color, ok := color.(string); ok {
					fn(at(pointer, palette), color, background)
				}
			}
		}
	})
}
