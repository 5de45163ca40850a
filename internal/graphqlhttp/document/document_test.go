package document_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/graphqlhttp/document"
)

// theSchema is the schema of the server, read from its files: the generated code
// takes long to build for fuzzing.
var theSchema = sync.OnceValue(func() *ast.Schema {
	var sources []*ast.Source
	for _, pattern := range []string{"schema.graphql", "graph/*.graphql", "resolvers/*.graphql"} {
		paths, err := filepath.Glob("../../../" + pattern)
		if err != nil {
			panic(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				panic(err)
			}
			sources = append(sources, &ast.Source{Name: path, Input: string(text)})
		}
	}
	return gqlparser.MustLoadSchema(sources...)
})

// doubling returns fragments that spread the next one twice: two to the power of
// levels fields.
func doubling(levels int) string {
	var b strings.Builder
	b.WriteString("query { ...f0 }")
	for i := range levels {
		fmt.Fprintf(&b, " fragment f%d on Query { ...f%d ...f%d }", i, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment f%d on Query { viewer { userId } }", levels)
	return b.String()
}

// numbered repeats a format with the numbers from 0.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestDocumentsBeyondABoundAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, reason string }{
		"bytes":          {"{ viewer { userId } } #" + strings.Repeat("A", 15_000_000), "bytes"},
		"tokens":         {"{viewer{" + strings.Repeat("a ", document.MaxTokens) + "}}", "tokens"},
		"comments":       {strings.Repeat("#\n", document.MaxTokens+1) + "{ viewer { userId } }", "tokens"},
		"braces":         {strings.Repeat("{a", 20_000), "nested"},
		"brackets":       {"{ app(id: " + strings.Repeat("[", 60_000), "nested"},
		"a name":         {"{ " + strings.Repeat("x", 60_000) + " }", "name"},
		"doubling":       {doubling(40), "fields"},
		"doubling, more": {doubling(200), "fields"},
		"equal fields":   {"{" + strings.Repeat("viewer{userId}", 3_000) + "}", "fields"},
		"fields":         {"{viewer{" + strings.Repeat("userId ", 5_800) + "}}", "fields"},
		"fragments": {
			"{" + numbered(1_200, "...f%d ") + "}" + numbered(1_200, "fragment f%d on Query{viewer{userId}} "),
			"operations and fragments",
		},
		"operations": {
			"{viewer{userId}}" + strings.Repeat(" query a{viewer{userId}}", 300), "operations and fragments",
		},
		"values in a list": {
			"query a{...f} query b{...f} fragment f on Query{app(id:[" + strings.Repeat("1 ", 12_000) + "]){name}}", "values",
		},
		"values by spreads": {
			"{" + strings.Repeat("...f ", 100) + "} fragment f on Query{app(id:[" + strings.Repeat("1 ", 5_000) + "]){name}}",
			"values",
		},
		"directives": {
			"{viewer{" + strings.Repeat("...f ", 300) + "}} fragment f on Viewer{userId" + strings.Repeat("@a", 200) + "}",
			"values",
		},
		"spreads": {
			"{" + strings.Repeat("...e ", 2_000) + "} fragment e on Query{...f ...f ...f} fragment f on Query{...g ...g " +
				"...g} fragment g on Query{__typename}",
			"fields",
		},
		"depth": {
			"{app(id:1){" + strings.Repeat("workspace{apps{", 20) + "id" + strings.Repeat("}}", 20) + "}}", "levels",
		},
		"depth by spreads": {"{...f0}" + numbered(40, "fragment f%d on Query{viewer{...") + "", "nested"},
		"variables":        {"query(" + numbered(300, "$v%d:Int ") + "){viewer{userId}}", "variables"},
	} {
		_, errs := document.Read(theSchema(), c.text)
		require.Len(t, errs, 1, name)
		require.True(t, fault.Is(errs[0], fault.DocumentTooLarge), "%s: %s", name, errs)
		require.Contains(t, errs[0].Message, c.reason, name)
	}
}

// What is just within the bounds is read: the bounds are where they say.
func TestDocumentsWithinTheBoundsAreRead(t *testing.T) {
	t.Parallel()
	product, err := os.ReadFile("../../../cmd/svc/documents/product.graphql")
	require.NoError(t, err)
	for name, text := range map[string]string{
		"every document of the command line": string(product),
		"doubling":                           doubling(8),
		"bytes":                              "{ viewer { userId } } #" + strings.Repeat("A", 60_000),
		"aliases": "{viewer{" + numbered(250, "a%d:userId ") + "} " + numbered(
			249, "b%d:viewer{"+numbered(17, "c%d:userId ")+"}",
		) + "}",
		"replacement characters": `{app(id:"\uFFFD ` + "\uFFFD \xff" + ` \\ud83c"){id}}`,
		"equal fields":           "{" + strings.Repeat("viewer{userId}", 2_400) + "}",
		"fragments": "{" + numbered(240, "...f%d ") + "}" + numbered(
			240, "fragment f%d on Query{viewer{userId email}} ",
		),
		"depth": "{app(id:1){" + strings.Repeat(
			"workspace{apps{nodes{", 7,
		) + "id" + strings.Repeat("}}}", 7) + "}}",
	} {
		doc, errs := document.Read(theSchema(), text)
		require.Empty(t, errs, name)
		require.NotEmpty(t, doc.Operations, name)
	}
}

func TestMistakesAreNamedAndNotAllOfThem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, reason string
		code         fault.Code
	}{
		"no GraphQL":      {"hello", "Unexpected", fault.ParseFailed},
		"nothing":         {"", "no operation", fault.ValidationFailed},
		"only a fragment": {"fragment f on Query{viewer{userId}}", "no operation", fault.ValidationFailed},
		"cycle": {
			"{...a} fragment a on Query{...b} fragment b on Query{...a}", "within itself", fault.ValidationFailed,
		},
		"unused cycle": {
			"{viewer{userId}} fragment a on Query{viewer{userId} ...a}", "within itself", fault.ValidationFailed,
		},
		"similar field":     {"{vewer{userId}}", `Did you mean "viewer"`, fault.ValidationFailed},
		"conflict":          {"{viewer{a:userId a:email}}", "different fields", fault.ValidationFailed},
		"conflict of lists": {`{a:app(id:["1"]){id} a:app(id:["2"]){id}}`, "conflict", fault.ValidationFailed},
		"inner conflict": {
			"{viewer{a:userId} ...f} fragment f on Query{viewer{a:email}}", "different fields", fault.ValidationFailed,
		},
		"differing arguments": {`{app(id:"a"){id} app(id:"b"){id}}`, "differing arguments", fault.ValidationFailed},
		"names": {
			"{viewer{...f " + numbered(150, "a%d:userId ") + "}} fragment f on Viewer {" + numbered(150, "b%d:userId ") + "}",
			"250 different", fault.ValidationFailed,
		},
		"surrogates": {"{\n" + `app(id:"\ud83c\udf89"){id}}`, "line 2 escapes a character that is none", fault.ParseFailed},
		"directive":  {"{... @stream{viewer{userId}}}", "stream", fault.ValidationFailed},
	} {
		_, errs := document.Read(theSchema(), c.text)
		require.NotEmpty(t, errs, name)
		require.True(t, errs[0].Extensions["code"] == c.code || fault.Is(errs[0], c.code), name)
		require.Contains(t, errs.Error(), c.reason, name)
	}
	_, errs := document.Read(theSchema(), "{"+numbered(2_000, "nothing%d ")+"}")
	require.Len(t, errs, 10)
}
