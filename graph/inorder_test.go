package graph

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
)

// A list in order is the list that gqlgen makes with goroutines, and tells of the same errors.
func TestListsInOrderAreTheSame(t *testing.T) {
	t.Parallel()
	fails := func(context.Context, int) graphql.Marshaler { panic("broken") }
	for name, elements := range map[string][]func(context.Context, int) graphql.Marshaler{
		"none": {}, "one": {number}, "some": {number, null, number}, "one that fails": {fails},
		"some that fail": {number, fails, number},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := func(
				marshal func(
					context.Context, int, int64, bool, func(context.Context, int) graphql.Marshaler,
				) graphql.Array,
			) (graphql.Array, string, []string) {
				ctx := graphql.WithResponseContext(t.Context(), graphql.DefaultErrorPresenter, broken)
				ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{
					Field: graphql.CollectedField{Field: &ast.Field{Alias: "points"}},
				})
				made := marshal(ctx, len(elements), 0, false, func(ctx context.Context, i int) graphql.Marshaler {
					return elements[i](ctx, i)
				})
				var text bytes.Buffer
				made.MarshalGQL(&text)
				var told []string
				for _, err := range graphql.GetErrors(ctx) {
					told = append(told, err.Error())
				}
				return made, text.String(), told
			}
			want, wantText, wantTold := list(graphql.MarshalSliceConcurrently)
			got, text, told := list(marshalInOrder)
			require.Equal(t, want == nil, got == nil)
			require.Equal(t, wantText, text)
			require.Equal(t, wantTold, told)
		})
	}
}

func number(ctx context.Context, _ int) graphql.Marshaler {
	return graphql.MarshalInt(*graphql.GetFieldContext(ctx).Index)
}

func broken(_ context.Context, reason any) error { return fmt.Errorf("%v", reason) }

func null(context.Context, int) graphql.Marshaler { return graphql.Null }

// What waits for others, such as a batch of ids, is marshalled at once; what a chart has thousands of, in order.
func TestListsThatAreInOrder(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("*.generated.go")
	require.NoError(t, err)
	list := regexp.MustCompile(`\) marshal[NO](\w+?)2ᚕ.*\n(?:.*\n){0,4}?\tret := (marshalInOrder|graphql\.)`)
	found := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range list.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = m[2]
		}
	}
	for name, want := range map[string]string{
		"ValuePoint": "marshalInOrder", "ValueSeries": "marshalInOrder", "SeriesPoint": "marshalInOrder",
		"RetentionCohort": "marshalInOrder", "Person": "graphql.", "Experiment": "graphql.", "Flow": "graphql.",
		"TimelineEntry": "graphql.",
	} {
		require.Equal(t, want, found[name], name)
	}
}
