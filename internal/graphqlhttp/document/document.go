// Package document reads GraphQL documents that anybody may have written. A
// document is bounded before work is spent on it: the work of every step, in
// time and in memory, is at most proportional to what the steps before it have
// let through. Whatever is sent, Read answers within some tens of milliseconds
// of processor time.
//
// It knows the schema's types, but neither what fields cost nor who asks.
package document

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/svc-dev/svc/internal/fault"
)

// Bounds on a document. Each is several times what the largest document of a
// dashboard needs, and small enough that the step it protects is cheap.
const (
	// MaxBytes bounds the text, and with it everything that is read of it. Data,
	// such as a manifest, travels in variables.
	MaxBytes = 64 << 10
	// MaxTokens bounds the parsed document, comments included: a token becomes a
	// node of about 200 bytes.
	MaxTokens = 15_000
	// MaxNesting bounds braces, brackets and parentheses within each other: the
	// parser calls itself for each.
	MaxNesting = 50
	// MaxName bounds a name in bytes. Names are repeated in errors, and looking
	// for a similar one that exists takes time by their length.
	MaxName = 128
	// MaxDefinitions bounds the fragments and operations of a document, and the
	// variables of an operation: validation looks through them for every use of one.
	MaxDefinitions = 250
	// MaxFields bounds the fields of all definitions with their fragments spread
	// out, as the cost and the answer are computed. Fragments that spread others
	// twice double with each level.
	MaxFields = 5_000
	// MaxValues bounds arguments, their values, directives and spreads, counted in
	// the same way.
	MaxValues = 20_000
	// MaxDepth bounds fields within each other, fragments spread out.
	// Introspection by common tools needs 15.
	MaxDepth = 25
	// MaxNames bounds the response names in one place of the answer: gqlgen looks
	// through them for every field.
	MaxNames = 250
	// maxErrors ends the validation of a document that is wrong throughout.
	maxErrors = 10
)

// Read parses text and validates it against the schema. Its errors carry a code:
// document_too_large for a bound, GRAPHQL_PARSE_FAILED or
// GRAPHQL_VALIDATION_FAILED for what the GraphQL specification forbids.
func Read(schema *ast.Schema, text string) (*ast.QueryDocument, gqlerror.List) {
	if err := scan(text); err != nil {
		return nil, refuse(err)
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil {
		return nil, withCode(fault.ParseFailed, gqlerror.List{gqlerror.WrapIfUnwrapped(err)})
	}
	if len(doc.Operations) == 0 {
		return nil, refuse(fault.New(fault.ValidationFailed, "the document has no operation"))
	}
	if err := checkSize(doc); err != nil {
		return nil, refuse(err)
	}
	if errs := validate(schema, doc); len(errs) > 0 {
		return nil, withCode(fault.ValidationFailed, errs)
	}
	return doc, nil
}

// tooLarge reports which bound a document exceeds.
func tooLarge(format string, args ...any) error {
	return fault.New(fault.DocumentTooLarge, "the document "+format, args...)
}

func refuse(err error) gqlerror.List {
	return gqlerror.List{{Err: err, Message: err.Error()}}
}

// withCode gives gqlparser's errors a code.
func withCode(code fault.Code, errs gqlerror.List) gqlerror.List {
	for _, err := range errs {
		err.Extensions = map[string]any{"code": code}
	}
	return errs
}
