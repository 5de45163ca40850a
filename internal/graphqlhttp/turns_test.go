package graphqlhttp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/turns"
)

// Documents are read turn by turn of clients: the many that one has sent at once do not stand before the only one of
// another.
func TestDocumentsAreReadTurnByTurn(t *testing.T) {
	t.Parallel()
	const many = maxStreamsEach - 1
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: `type Query { a: Int }`})
	s := New(Config{
		Schema: &graphql.ExecutableSchemaMock{SchemaFunc: func() *ast.Schema { return schema }},
		Caller: func(context.Context) (string, error) { return "", nil },
		Maker:  func(context.Context) string { return "" },
		Bodies: bodylimit.New(0),
		Client: func(r *http.Request) string { return r.Header.Get("Client") },
	})
	s.reading = turns.New[string](1, 1)
	free, err := s.reading.Take(t.Context(), "first")
	require.NoError(t, err)
	answered := make(chan string, many+1)
	send := func(client string, inLine int) {
		go func() {
			// With a mistake: it is read, and nothing else is done for it.
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql",
				strings.NewReader(fmt.Sprintf(`{"query":"{ mistake%d }"}`, inLine)))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", eventStream)
			r.Header.Set("Client", client)
			answer := httptest.NewRecorder()
			s.ServeHTTP(answer, r)
			if !strings.Contains(answer.Body.String(), "mistake") {
				t.Errorf("%d %s", answer.Code, answer.Body)
			}
			answered <- client
		}()
		require.Eventually(t, func() bool { return s.reading.Waiting(client) == inLine }, time.Minute, time.Millisecond)
	}
	for i := range many {
		send("greedy", i+1)
	}
	send("modest", 1)
	held := make(chan func(), 1)
	go func() { // whose turn is the one after
		hold, err := s.reading.Take(t.Context(), "last")
		assert.NoError(t, err)
		held <- hold
	}()
	require.Eventually(t, func() bool { return s.reading.Waiting("last") == 1 }, time.Minute, time.Millisecond)
	free()
	require.ElementsMatch(t, []string{"greedy", "modest"}, []string{<-answered, <-answered})
	require.Equal(t, many-1, s.reading.Waiting("greedy"))
	(<-held)()
	for range many - 1 {
		require.Equal(t, "greedy", <-answered)
	}
}
