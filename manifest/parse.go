package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds on what is accepted (manifest.md §1.3). They keep a hostile document
// from costing more than an honest one.
const (
	MaxBytes   = 4 << 20 // serialized, before and after migration
	MaxScreens = 500
	MaxLayers  = 5000
	MaxDepth   = 32 // layers inside layers, and groups inside expressions

	// maxNesting bounds the raw JSON before anything walks it: 32 layers and
	// 32 groups at two levels each, and what stands around them, with room.
	maxNesting = 256
	// maxValues bounds how many problems a broken document can cause. A manifest
	// of MaxBytes has about 400,000 values.
	maxValues = 500_000
)

// Parse reads a manifest: it migrates older forms, validates structure and
// rules, and drops unknown members. The manifest is nil exactly when the
// problems hold an error. Pointers refer to the migrated document.
func Parse(raw []byte) (*Manifest, []Problem) {
	var r report
	doc, ok := decode(raw, &r)
	if !ok {
		return nil, r.problems
	}
	return parseDocument(doc, &r)
}

// parseDocument does what Parse does after decoding; it changes doc.
func parseDocument(doc map[string]any, r *report) (*Manifest, []Problem) {
	migrate(doc)
	checkStructure(doc, r)
	if len(r.problems) > 0 {
		return nil, r.withSteps(doc)
	}
	strip([]*jsonschema.Schema{compiledSchema()}, doc)

	m, err := fromDocument(doc)
	if err != nil {
		r.fail("", "json.invalid", "The manifest cannot be read: %s.", err)
		return nil, r.problems
	}
	if len(m.canonical) > MaxBytes {
		r.fail("", "limits.size", "The manifest has more than %d bytes.", MaxBytes)
	}
	refine(m, r)
	if Blocking(r.problems) {
		return nil, r.withSteps(doc)
	}
	return m, r.withSteps(doc)
}

// Open reads the JSON of a manifest that Parse has accepted, without checking
// it again.
func Open(canonical []byte) (*Manifest, error) {
	m := &Manifest{canonical: bytes.Clone(canonical)}
	if err := json.Unmarshal(canonical, (*fields)(m)); err != nil {
		return nil, fmt.Errorf("open manifest: %w", err)
	}
	m.index()
	return m, nil
}

// fromDocument makes the manifest of a valid document.
func fromDocument(doc map[string]any) (*Manifest, error) {
	canonical, err := encode(doc)
	if err != nil {
		return nil, err
	}
	return Open(canonical)
}

// encode writes the canonical form: members sorted, no white space, no
// escaping that JSON does not ask for.
func encode(doc map[string]any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decode reads raw and refuses what no later step should have to meet.
func decode(raw []byte, r *report) (map[string]any, bool) {
	if len(raw) > MaxBytes {
		r.fail("", "limits.size", "The manifest has more than %d bytes.", MaxBytes)
		return nil, false
	}
	if nesting(raw) > maxNesting {
		r.fail("", "limits.depth", "The JSON is nested more than %d levels deep.", maxNesting)
		return nil, false
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&v); err != nil {
		r.fail("", "json.invalid", "The manifest is not valid JSON: %s.", syntaxMessage(err))
		return nil, false
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		r.fail("", "json.invalid", "There is more after the end of the manifest.")
		return nil, false
	}
	doc, ok := v.(map[string]any)
	if !ok {
		r.fail("", "schema.type", "Must be object, not %s.", jsonType(v))
		return nil, false
	}
	c := cleaner{report: r}
	c.clean(doc, nil)
	if c.values > maxValues {
		r.fail("", "limits.size", "The manifest has more than %d values.", maxValues)
	}
	if screens, _ := doc["screens"].([]any); len(screens) > MaxScreens {
		r.fail("/screens", "limits.screens", "Has %d screens, at most %d are allowed.", len(screens), MaxScreens)
	}
	if n := countLayers(doc["screens"]); n > MaxLayers {
		r.fail("/screens", "limits.layers", "Has %d layers, at most %d are allowed.", n, MaxLayers)
	}
	return doc, len(r.problems) == 0
}

func syntaxMessage(err error) string {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("%s at byte %d", syntax.Error(), syntax.Offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	}
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return fmt.Sprintf("%s at byte %d is out of range", mismatch.Value, mismatch.Offset)
	}
	return err.Error()
}

// nesting returns the depth of brackets in raw, strings left out.
func nesting(raw []byte) int {
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{', c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}', c == ']':
			depth--
		}
	}
	return deepest
}

// countLayers counts the elements that stand where layers do, before anything
// looks at them closely.
func countLayers(v any) int {
	n := 0
	switch v := v.(type) {
	case []any:
		for _, value := range v {
			n += countLayers(value)
		}
	case map[string]any:
		for name, value := range v {
			switch name {
			case "children", "slides":
				list, _ := value.([]any)
				n += len(list) + countLayers(value)
			case "header", "body", "footer":
				n += 1 + countLayers(value)
			case "regions":
				n += countLayers(value)
			}
		}
	}
	return n
}

// cleaner walks a decoded document once, before validation.
type cleaner struct {
	report *report
	values int
}

// clean refuses NUL characters, which PostgreSQL cannot store in JSON, and
// returns v with −0 written as 0, as JavaScript does. It changes v in place.
func (c *cleaner) clean(v any, path []any) any {
	c.values++
	switch v := v.(type) {
	case float64:
		if v == 0 {
			return 0.0
		}
	case string:
		if strings.ContainsRune(v, 0) {
			c.report.fail(at("", path...), "json.nul", "The text holds a NUL character.")
		}
	case map[string]any:
		for name, value := range v {
			if strings.ContainsRune(name, 0) {
				c.report.fail(at("", path...), "json.nul", "A member name holds a NUL character.")
			}
			v[name] = c.clean(value, append(path, name))
		}
	case []any:
		for i, value := range v {
			v[i] = c.clean(value, append(path, i))
		}
	}
	return v
}

// withSteps names the step that holds each problem and sorts the problems.
func (r *report) withSteps(doc map[string]any) []Problem {
	return r.finish(func(collection string, i int) string {
		nodes, _ := doc[collection].([]any)
		if i >= len(nodes) {
			return ""
		}
		node, _ := nodes[i].(map[string]any)
		id, _ := node["id"].(string)
		return id
	})
}
