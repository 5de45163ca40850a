package resolvers_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQueriesByGETAndPersistedDocuments(t *testing.T) {
	w := newWorld(t)
	get := func(values url.Values) answer {
		return w.as("owner").send(http.MethodGet, "/graphql?"+values.Encode(), nil, nil)
	}
	require.Equal(t, "owner@example.com", get(url.Values{"query": {`{ viewer { email } }`}}).at(t, "viewer", "email"))
	require.NotEmpty(t, get(url.Values{"query": {`mutation { signOut }`}}).Errors, "a GET changes nothing")
	require.NotNil(t, w.as("owner").must(`{ viewer { email } }`, nil).Data["viewer"])

	document := `query Who { viewer { email } }`
	sum := sha256.Sum256([]byte(document))
	extensions := fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":%q}}`, hex.EncodeToString(sum[:]))
	require.Equal(t, "PERSISTED_QUERY_NOT_FOUND", get(url.Values{"extensions": {extensions}}).code())
	require.Empty(t, get(url.Values{"query": {document}, "extensions": {extensions}}).Errors)
	require.Equal(t, "owner@example.com", get(url.Values{"extensions": {extensions}}).at(t, "viewer", "email"))
}

func TestHostileDocumentsAreRefused(t *testing.T) {
	w := newWorld(t)
	got := w.as("anonymous").do(`{ `+strings.Repeat("viewer { email } ", 20_000)+`}`, nil)
	require.Equal(t, "GRAPHQL_PARSE_FAILED", got.code())
	got = w.as("anonymous").do(`query { app(id: "not an id") { name } }`, nil)
	require.Equal(t, "invalid_input", got.code())
	require.Contains(t, got.Errors[0].Extensions["field"], "id")
	require.NotEmpty(t, w.as("anonymous").must(`{ __schema { queryType { name } } }`, nil).Data, "introspection is open")
}

// What is not meant for clients is named by the request's id only.
func TestInternalErrorsHideTheirDetails(t *testing.T) {
	w := newWorld(t)
	_, err := w.db.Pool.Exec(t.Context(), `alter table flows rename to flows_away`)
	require.NoError(t, err)
	app := w.app("Shop")
	got := w.as("owner").do(`query($a: ID!) { app(id: $a) { flows { nodes { id } } } }`, vars{"a": app})
	require.Equal(t, "internal", got.code())
	require.Equal(t, "internal error", got.Errors[0].Message)
	id, ok := got.Errors[0].Extensions["requestId"].(string)
	require.True(t, ok)
	require.Equal(t, got.header.Get("X-Request-Id"), id)
	require.Contains(t, w.log.String(), id)
	require.Contains(t, w.log.String(), "flows")
}
