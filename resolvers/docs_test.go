package resolvers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/internal/docstest"
)

// Whoever copies a document from the documentation gets an answer.
func TestDocumentsOfTheDocumentationAreAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Docs")
	channel, version := w.channel(app), w.version(app)
	w.ingest(app,
		event{visitor: "u", session: "s", name: "page_view", page: "/docs/start", source: "news", at: time.Now().Add(-time.Hour)},
		event{visitor: "u", session: "s", name: "page_view", page: "/pricing", at: time.Now().Add(-time.Minute)},
	)
	flow := w.as("owner").text(`query($v: ID!) { flowVersion(id: $v) { flow { id } } }`, vars{"v": version}, "flowVersion",
		"flow", "id")
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	values := vars{"app": app, "channel": channel, "version": version, "flow": flow}
	for _, example := range docstest.Examples(t, "..", "graphql", "docs/*.md") {
		document, err := parser.ParseQuery(&ast.Source{Input: example.Text})
		require.NoError(t, err, "%s: %s", example.Page, example.Text)
		require.Len(t, document.Operations, 1, "%s: %s", example.Page, example.Text)
		if document.Operations[0].Operation == ast.Subscription { // answered in parts, as TestDraftsAreFollowed has them
			_, faults := gqlparser.LoadQueryWithRules(schema, example.Text, rules.NewDefaultRules())
			require.Empty(t, faults, "%s: %s", example.Page, example.Text)
			continue
		}
		used := vars{}
		for _, variable := range document.Operations[0].VariableDefinitions {
			require.Contains(t, values, variable.Variable, "%s: %s", example.Page, example.Text)
			used[variable.Variable] = values[variable.Variable]
		}
		got := w.as("owner").must(example.Text, used)
		require.NotEmpty(t, got.Data, "%s: %s", example.Page, example.Text)
		for name, field := range got.Data {
			require.NotNil(t, field, "%s: %s", example.Page, name)
		}
	}
}
