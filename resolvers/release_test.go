package resolvers_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"

	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/schemadiff"
)

const (
	releasedSchema = "../docs/schema.graphql"
	acceptedBreaks = "../docs/schema-breaks.txt"
)

// The schema keeps what the latest release promised, except for the breaks that docs/schema-breaks.txt accepts, each
// with its reason (docs/graphql.md, "Changes of the schema"). SVC_SCHEMA=release makes this schema the released one.
func TestTheSchemaKeepsWhatWasReleased(t *testing.T) {
	t.Parallel()
	current := graph.NewExecutableSchema(graph.Config{}).Schema()
	if os.Getenv("SVC_SCHEMA") == "release" {
		var text strings.Builder
		formatter.NewFormatter(&text, formatter.WithIndent("  ")).FormatSchema(current)
		require.NoError(t, os.WriteFile(releasedSchema, []byte(text.String()), 0o644))
		require.NoError(t, os.WriteFile(acceptedBreaks, nil, 0o644))
	}
	sdl, err := os.ReadFile(releasedSchema)
	require.NoError(t, err)
	released, err := gqlparser.LoadSchema(&ast.Source{Name: releasedSchema, Input: string(sdl)})
	require.NoError(t, err)
	accepted := acceptedByReason(t)
	for _, change := range schemadiff.Breaks(released, current) {
		if _, ok := accepted[change]; !ok {
			t.Errorf("a change of the schema breaks its clients: %s", change)
		}
		delete(accepted, change)
	}
	for change := range accepted {
		t.Errorf("%s accepts a break that is none: %s", acceptedBreaks, change)
	}
}

// A field that was renamed says its new name, which stands beside it with the same type and arguments.
func TestRenamedFieldsNameTheirSuccessors(t *testing.T) {
	t.Parallel()
	reason := regexp.MustCompile("^Use `(\\w+)`\\.$")
	renamed := 0
	for _, definition := range graph.NewExecutableSchema(graph.Config{}).Schema().Types {
		for _, field := range definition.Fields {
			directive := field.Directives.ForName("deprecated")
			if directive == nil {
				continue
			}
			said := directive.Arguments.ForName("reason")
			require.NotNil(t, said, "%s.%s says no reason", definition.Name, field.Name)
			names := reason.FindStringSubmatch(said.Value.Raw)
			if names == nil {
				continue
			}
			renamed++
			successor := definition.Fields.ForName(names[1])
			require.NotNil(t, successor, "%s.%s: there is no %s", definition.Name, field.Name, names[1])
			require.Equal(t, field.Type.String(), successor.Type.String(), "%s.%s", definition.Name, field.Name)
			require.Equal(t, len(field.Arguments), len(successor.Arguments), "%s.%s", definition.Name, field.Name)
		}
	}
	require.Greater(t, renamed, 20)
}

// acceptedByReason reads lines of a change, as the test names it, a colon and the reason.
func acceptedByReason(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(acceptedBreaks)
	require.NoError(t, err)
	accepted := map[string]string{}
	for line := range strings.Lines(string(text)) {
		change, reason, _ := strings.Cut(strings.TrimSpace(line), ": ")
		require.NotEmpty(t, reason, "%s: %q has no reason", acceptedBreaks, change)
		accepted[change] = reason
	}
	return accepted
}
