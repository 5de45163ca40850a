package schemadiff_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/internal/schemadiff"
)

func schema(t *testing.T, sdl string) *ast.Schema {
	t.Helper()
	loaded, err := gqlparser.LoadSchema(&ast.Source{Name: "test.graphql", Input: sdl + `
		interface Node { id: ID! } type Cat implements Node { id: ID! } type Dog implements Node { id: ID! }`})
	require.NoError(t, err)
	return loaded
}

func TestBreaks(t *testing.T) {
	t.Parallel()
	for _, step := range []struct {
		before, after string
		want          []string
	}{
		// What is added breaks nobody.
		{`type Query { a: Int }`, `type Query { a: Int b(c: Int): Int } type New { a: Int }`, nil},
		{`type Query { a(b: Int!): Int }`, `type Query { a(b: Int, c: Int! = 3, d: Int): Int! }`, nil},
		{
			`type Query { a(i: In): Int } input In { b: Int }`,
			`type Query { a(i: In): Int } input In { b: Int c: Int d: Int! = 1 }`, nil,
		},
		{`type Query { a: E } enum E { A }`, `type Query { a: E } enum E { A B }`, nil},
		{`type Query { a: [Int]! }`, `type Query { a: [Int!]! }`, nil},
		{`type Query { a(b: [Int!]!): Int }`, `type Query { a(b: [Int]): Int }`, nil},
		{`type Query { a: U } union U = Cat`, `type Query { a: U } union U = Cat | Dog`, nil},

		{`type Query { a: Old } type Old { b: Int }`, `type Query { a: Int }`,
			[]string{"field Query.a became Int from Old", "type Old was removed"}},
		{`type Query { a: Int } scalar S`, `type Query { a: Int } enum S { A }`, []string{"type S became ENUM from SCALAR"}},
		{`type Query { a: Int b: Int }`, `type Query { a: Int }`, []string{"field Query.b was removed"}},
		{`type Query { a: Int! }`, `type Query { a: Int }`, []string{"field Query.a became Int from Int!"}},
		{`type Query { a: [Int!]! }`, `type Query { a: [Int]! }`, []string{"field Query.a became [Int]! from [Int!]!"}},
		{`type Query { a: [Int] }`, `type Query { a: Int }`, []string{"field Query.a became Int from [Int]"}},
		{`type Query { a: Int }`, `type Query { a: [Int] }`, []string{"field Query.a became [Int] from Int"}},
		{`type Query { a(b: Int): Int }`, `type Query { a: Int }`, []string{"argument Query.a(b) was removed"}},
		{
			`type Query { a(b: Int): Int }`, `type Query { a(b: String): Int }`,
			[]string{"argument Query.a(b) became String from Int"},
		},
		{
			`type Query { a(b: Int): Int }`, `type Query { a(b: Int!): Int }`,
			[]string{"argument Query.a(b) became Int! from Int"},
		},
		{
			`type Query { a(b: Int): Int }`, `type Query { a(b: Int! = 1): Int }`,
			[]string{"argument Query.a(b) became Int! from Int"},
		},
		{
			`type Query { a(b: [Int]): Int }`, `type Query { a(b: [Int!]): Int }`,
			[]string{"argument Query.a(b) became [Int!] from [Int]"},
		},
		{
			`type Query { a(b: Int! = 1): Int }`, `type Query { a(b: Int!): Int }`,
			[]string{"argument Query.a(b) became required"},
		},
		{
			`type Query { a(b: Int = 1): Int }`, `type Query { a(b: Int = 2): Int }`,
			[]string{"argument Query.a(b) has the default 2, it was 1"},
		},
		{
			`type Query { a(b: Int): Int }`, `type Query { a(b: Int, c: Int!): Int }`,
			[]string{"argument Query.a(c) is new and required"},
		},
		{`type Query { a(i: In): Int } input In { b: Int c: Int }`, `type Query { a(i: In): Int } input In { b: Int! }`,
			[]string{"input field In.b became Int! from Int", "input field In.c was removed"}},
		{`type Query { a(i: In): Int } input In { b: Int }`, `type Query { a(i: In): Int } input In { b: Int c: Int! }`,
			[]string{"input field In.c is new and required"}},
		{`type Query { a: E } enum E { A B }`, `type Query { a: E } enum E { A }`, []string{"enum value E.B was removed"}},
		{
			`type Query { a: U } union U = Cat | Dog`, `type Query { a: U } union U = Cat`,
			[]string{"union U no longer has Dog"},
		},
		{`type Query { a: T } type T implements Node { id: ID! }`, `type Query { a: T } type T { id: ID! }`,
			[]string{"T no longer implements Node"}},
	} {
		require.Equal(
			t, step.want, schemadiff.Breaks(schema(t, step.before), schema(t, step.after)), "%s\n%s", step.before, step.after,
		)
	}
}
