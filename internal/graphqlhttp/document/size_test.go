package document

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/rules"
	"pgregory.net/rapid"
)

// spreadOut counts fields and their depth by walking every spread anew, as the
// server once did. It gives up after a number of steps.
type spreadOut struct {
	fragments            ast.FragmentDefinitionList
	fields, depth, steps int
}

func (o *spreadOut) walk(set ast.SelectionSet, depth int) bool {
	for _, selection := range set {
		if o.steps--; o.steps < 0 || depth > 10_000 {
			return false
		}
		switch selection := selection.(type) {
		case *ast.Field:
			o.fields++
			o.depth = max(o.depth, depth+1)
			if !o.walk(selection.SelectionSet, depth+1) {
				return false
			}
		case *ast.InlineFragment:
			if !o.walk(selection.SelectionSet, depth) {
				return false
			}
		case *ast.FragmentSpread:
			if fragment := o.fragments.ForName(selection.Name); fragment != nil && !o.walk(fragment.SelectionSet, depth) {
				return false
			}
		}
	}
	return true
}

// The size that is computed once a fragment is that of the fragments spread out.
func FuzzSize(f *testing.F) {
	f.Add("{ a { b c } ...f } fragment f on T { a ... on T { b } }")
	f.Add("{...f0 ...f0} fragment f0 on T{...f1 ...f1} fragment f1 on T{...f2 ...f2 x} fragment f2 on T{a{b}}")
	f.Add("{...a} fragment a on T{...b} fragment b on T{...a}")
	f.Add("{a a a{b} a{b c}} query x{...f} fragment f on T{a} fragment f on T{a b c}")
	f.Add("query($a:[Int]=[1 2]){a(b:{c:[$a {d:1}]}) @skip(if:true)}")
	f.Add(strings.Repeat("{a", 100) + strings.Repeat("}", 100))
	f.Fuzz(func(t *testing.T, text string) {
		if scan(text) != nil {
			return
		}
		doc, err := parser.ParseQuery(&ast.Source{Input: text})
		if err != nil {
			return
		}
		naive := spreadOut{fragments: doc.Fragments, steps: 100_000}
		whole := true
		for _, operation := range doc.Operations {
			whole = whole && naive.walk(operation.SelectionSet, 0)
		}
		for _, fragment := range doc.Fragments {
			whole = whole && naive.walk(fragment.SelectionSet, 0)
		}
		err = checkSize(doc)
		switch {
		case err == nil:
			require.True(t, whole, "what is too large to walk has passed")
			require.LessOrEqual(t, naive.fields, MaxFields)
			require.LessOrEqual(t, naive.depth, MaxDepth)
		case !whole || naive.fields > MaxFields || naive.depth > MaxDepth:
		default:
			require.Regexp(
				t, "values and spreads|operations and fragments|variables", err.Error(), "%d fields, depth %d", naive.fields,
				naive.depth,
			)
		}
	})
}

// Read comes to an end for anything, without a panic.
func FuzzRead(f *testing.F) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: mergeSchema})
	f.Add("{ a b { a } ...f } fragment f on Query { a }")
	f.Add("{a(x:1) a(x:2) __schema{types{name}} unknown @skip}")
	f.Add(`subscription{a b} mutation($x:Y){z}`)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = Read(schema, text) })
}

const mergeSchema = `type Query { a(x: Int, y: Int): Int b: Query c: [Query!]! } `

// mergeable draws selections of a few kinds, so that equal response names are
// often, and often not, the same field.
func mergeable(t *rapid.T, kinds []string, depth int) string {
	var b strings.Builder
	for range rapid.IntRange(1, 3).Draw(t, "selections") {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		if strings.HasSuffix(kind, "{") {
			if depth == 0 {
				continue
			}
			kind += mergeable(t, kinds, depth-1) + "}"
		}
		b.WriteString(" " + kind)
	}
	return b.String() + " __typename"
}

var allKinds = []string{
	"a", "x:a", "a(x:1)", "a(x:1 y:2)", "a(y:2 x:1)", "x:a(x:2)", "...F", "...G", "b{", "x:b{", "c{", "y:c{",
	"... on Query{",
}

// canMerge is FieldsInSetCanMerge as the specification writes it: every two fields
// with one response name are compared, and then what is inside of both.
func canMerge(doc *ast.QueryDocument, sets ...ast.SelectionSet) bool {
	var fields []*ast.Field
	var collect func(set ast.SelectionSet)
	collect = func(set ast.SelectionSet) {
		for _, selection := range set {
			switch selection := selection.(type) {
			case *ast.Field:
				fields = append(fields, selection)
			case *ast.InlineFragment:
				collect(selection.SelectionSet)
			case *ast.FragmentSpread:
				collect(doc.Fragments.ForName(selection.Name).SelectionSet)
			}
		}
	}
	for _, set := range sets {
		collect(set)
	}
	arguments := func(field *ast.Field) map[string]string {
		values := map[string]string{}
		for _, argument := range field.Arguments {
			values[argument.Name] = argument.Value.String()
		}
		return values
	}
	for i, a := range fields {
		if len(a.SelectionSet) > 0 && !canMerge(doc, a.SelectionSet) {
			return false
		}
		for _, b := range fields[i+1:] {
			if a.Alias == b.Alias && (a.Name != b.Name || !maps.Equal(arguments(a), arguments(b)) ||
				!canMerge(doc, a.SelectionSet, b.SelectionSet)) {
				return false
			}
		}
	}
	return true
}

// The rule finds a conflict exactly where the specification does, and everywhere
// where gqlparser does, which overlooks some.
func TestFieldsMergeAsSpecified(t *testing.T) {
	t.Parallel()
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: mergeSchema})
	refused, passed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SliceOfN(rapid.SampledFrom(allKinds), 2, 5).Draw(t, "kinds")
		text := "{" + mergeable(t, kinds, 3) + " ...F ...G} fragment F on Query {" +
			strings.NewReplacer("...F", "a", "...G", "a").Replace(mergeable(t, kinds, 2)) + "} fragment G on Query {" +
			strings.NewReplacer("...G", "a", "...F", "b{a}").Replace(mergeable(t, kinds, 2)) + "}"
		doc, err := parser.ParseQuery(&ast.Source{Input: text})
		require.NoError(t, err)
		can := canMerge(doc, doc.Operations[0].SelectionSet)
		_, errs := Read(schema, text)
		require.Equal(t, can, len(errs) == 0, "%s: %v", text, errs)
		if can {
			passed++
			_, errs := gqlparser.LoadQueryWithRules(schema, text, rules.NewRules(rules.OverlappingFieldsCanBeMergedRule))
			require.Empty(t, errs, text)
		} else {
			refused++
			require.Equal(t, "OverlappingFieldsCanBeMerged", errs[0].Rule, "%s: %v", text, errs)
		}
	})
	require.NotZero(t, refused)
	require.NotZero(t, passed)
}
