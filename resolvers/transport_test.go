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

func (c *client) get(values url.Values) answer {
	c.w.t.Helper()
	return c.send(http.MethodGet, "/graphql?"+values.Encode(), nil, nil)
}

func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

func persisted(hash string) string {
	return fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":%q}}`, hash)
}

func TestQueriesByGETAndPersistedDocuments(t *testing.T) {
	w := newWorld(t)
	owner, anonymous := w.as("owner"), w.as("anonymous")
	require.Equal(
		t, "owner@example.com", owner.get(url.Values{"query": {`{ viewer { email } }`}}).at(t, "viewer", "email"),
	)
	refused := owner.get(url.Values{"query": {`mutation { signOut { email } }`}})
	require.Equal(t, http.StatusMethodNotAllowed, refused.status)
	require.Equal(t, "method_not_allowed", refused.code())
	require.NotNil(t, owner.must(`{ viewer { email } }`, nil).Data["viewer"])

	const document = `query Who { viewer { email } }`
	extensions := persisted(hashOf(document))
	require.Equal(t, "PERSISTED_QUERY_NOT_FOUND", owner.get(url.Values{"extensions": {extensions}}).code())
	require.Empty(t, anonymous.get(url.Values{"query": {document}, "extensions": {extensions}}).Errors)
	require.Equal(
		t, "PERSISTED_QUERY_NOT_FOUND", owner.get(url.Values{"extensions": {extensions}}).code(),
		"nothing is kept for anybody",
	)
	require.Empty(t, owner.get(url.Values{"query": {document}, "extensions": {extensions}}).Errors)
	require.Equal(t, "owner@example.com", owner.get(url.Values{"extensions": {extensions}}).at(t, "viewer", "email"))
	require.Empty(t, anonymous.get(url.Values{"extensions": {extensions}}).Errors)

	for _, wrong := range []string{
		`{ viewer { emil } }`, `{ viewer { `, `{ ` + aliases(600, `app(id: "`+w.workspace+`") { id }`) + `}`,
	} {
		require.NotEmpty(t, owner.get(url.Values{"query": {wrong}, "extensions": {persisted(hashOf(wrong))}}).Errors)
		require.Equal(
			t, "PERSISTED_QUERY_NOT_FOUND", owner.get(url.Values{"extensions": {persisted(hashOf(wrong))}}).code(), wrong,
		)
	}
	mismatch := owner.get(url.Values{"query": {document}, "extensions": {persisted(hashOf("{}"))}})
	require.Equal(t, http.StatusBadRequest, mismatch.status)
	require.Equal(t, "PERSISTED_QUERY_HASH_MISMATCH", mismatch.code())
	require.Equal(t, "invalid_request", owner.get(url.Values{"extensions": {persisted("zz")}}).code())
}

// aliases asks for a field so often.
func aliases(n int, field string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "f%d: %s ", i, field)
	}
	return b.String()
}

// What is refused before an operation begins says why by its status and a code,
// and nothing of it is in the log.
func TestRefusedRequestsHaveACode(t *testing.T) {
	w := newWorld(t)
	type request struct {
		who, method, kind, accept, body string
		status                          int
		code                            string
	}
	const json, secret = "application/json", `"variables":{"p":"hunter2-secret"}`
	form := "multipart/form-data; boundary=b"
	part := func(name, text string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + text + "\r\n"
	}
	const upload = `{"query":"mutation($f:Upload!){uploadMedia(input:{workspaceId:\"x\",type:IMAGE,file:$f}){id}}","variables":{"f":null}}`
	before := len(w.log.String())
	for name, c := range map[string]request{
		"trailing comma": {
			"anonymous", "POST", json, "", `{"query":"{viewer{email}}",` + secret + `,}`, 400, "invalid_json",
		},
		"trailing comma, stream": {
			"owner", "POST", json, "text/event-stream", `{"query":"{viewer{email}}",` + secret + `,}`, 400, "invalid_json",
		},
		"unfinished": {
			"anonymous", "POST", json, "", `{"query":"{viewer{email}}",` + secret, 400, "invalid_json",
		},
		"batch": {
			"anonymous", "POST", json, "", `[{"query":"{viewer{email}}",` + secret + `}]`, 400, "invalid_request",
		},
		"mistyped": {"anonymous", "POST", json, "", `{"query":7,` + secret + `}`, 400, "invalid_request"},
		"wrong hash": {
			"owner", "POST", json, "", `{"query":"{viewer{email}}","extensions":` + persisted(hashOf("x")) + `,` + secret + `}`,
			400, "PERSISTED_QUERY_HASH_MISMATCH",
		},
		"large, not signed in": {
			"anonymous", "POST", json, "",
			`{"query":"{viewer{email}}","x":"` + strings.Repeat("x", 300<<10) + `",` + secret + `}`, 413, "payload_too_large",
		},
		"too large": {
			"owner", "POST", json, "", `{"query":"{viewer{email}}","x":"` + strings.Repeat("x", 17<<20) + `",` + secret + `}`,
			413, "payload_too_large",
		},
		"document too large": {
			"owner", "POST", json, "", `{"query":"{viewer{email}} #` + strings.Repeat("x", 65<<10) + `",` + secret + `}`, 413,
			"document_too_large",
		},
		"no JSON": {
			"owner", "POST", "text/plain", "", `{"query":"{viewer{email}}",` + secret + `}`, 415, "unsupported_media_type",
		},
		"no method": {
			"owner", "PUT", json, "", `{"query":"{viewer{email}}",` + secret + `}`, 405, "method_not_allowed",
		},
		"no stream": {
			"owner", "POST", json, "", `{"query":"subscription{live(appId:\"` + w.workspace + `\"){count}}",` + secret + `}`,
			400, "invalid_request",
		},
		"stream, not signed in": {
			"anonymous", "POST", json, "text/event-stream", `{"query":"{viewer{email}}",` + secret + `}`, 401, "unauthenticated",
		},
		"upload, not signed in": {
			"anonymous", "POST", form, "", part("operations", upload) + "--b--\r\n", 401, "unauthenticated",
		},
		"upload without a map": {
			"owner", "POST", form, "", part("operations", upload) + "--b--\r\n", 400, "invalid_request",
		},
		"upload without a file": {
			"owner", "POST", form, "", part("operations", upload) + part("map", `{"0":["variables.f"]}`) + "--b--\r\n", 400,
			"invalid_request",
		},
		"half an upload": {"owner", "POST", form, "", part("operations", upload), 400, "invalid_request"},
		"parse": {
			"owner", "POST", json, "", `{"query":"{viewer{",` + secret + `}`, 422, "GRAPHQL_PARSE_FAILED",
		},
		"parse, new media type": {
			"owner", "POST", json, "application/graphql-response+json", `{"query":"{viewer{",` + secret + `}`, 400,
			"GRAPHQL_PARSE_FAILED",
		},
		"deferred": {
			"owner", "POST", json, "", `{"query":"{...@defer{viewer{email}}}",` + secret + `}`, 422, "GRAPHQL_VALIDATION_FAILED",
		},
	} {
		header := http.Header{"Content-Type": {c.kind}}
		if c.accept != "" {
			header.Set("Accept", c.accept)
		}
		got := w.as(c.who).send(c.method, "/graphql", strings.NewReader(c.body), header)
		require.Equal(t, c.code, got.code(), name)
		require.Equal(t, c.status, got.status, name)
		require.NotContains(t, got.Errors[0].Message, "hunter2", name)
	}
	require.Empty(t, w.log.String()[before:])
}

func TestHostileDocumentsAreRefused(t *testing.T) {
	w := newWorld(t)
	got := w.as("anonymous").do(`{ `+strings.Repeat("viewer{email}", 3_000)+`}`, nil)
	require.Equal(t, "document_too_large", got.code())
	got = w.as("anonymous").do(`query { app(id: "not an id") { name } }`, nil)
	require.Equal(t, "invalid_input", got.code())
	require.Contains(t, got.Errors[0].Extensions["field"], "id")
	require.NotEmpty(t, w.as("anonymous").must(`{ __schema { queryType { name } } }`, nil).Data, "introspection is open")
	require.NotContains(t, fmt.Sprint(w.as("anonymous").must(`{ __schema { directives { name } } }`, nil).Data), "defer")
}

// What PostgreSQL can't keep is refused where it stands in the input.
func TestTextsThatCannotBeStoredNameTheirField(t *testing.T) {
	w := newWorld(t)
	app := w.app("Shop")
	owner := w.as("owner")
	for _, c := range []struct {
		query string
		value any
		field string
	}{
		{`query($a: ID!, $v: String!) { app(id: $a) { recentEvents(name: $v) { nodes { eventId } } } }`, "\x00x", "name"},
		{`mutation($a: ID!, $v: String!) { createSegment(input: {appId: $a, name: $v}) { id } }`, "x\x00", "name"},
		{
			`mutation($a: ID!, $v: String!) { createSegment(input: {appId: $a, name: "s", rules: {columns: {source: $v}}}) { id } }`,
			"\x00", "rules.columns.source",
		},
		{`mutation($a: ID!, $v: [String!]!) { createSegment(input: {appId: $a, name: "s", rules: {cross: {page: {op: CONTAINS, values: $v}}}}) { id } }`,
			[]string{"a", "\x00"}, "rules.cross.page.values[1]"},
		{
			`mutation($a: ID!, $v: JSON!) { createFlow(input: {appId: $a, name: "f", manifest: $v}) { id } }`,
			vars{"screens": []any{vars{"a/b": "\x00"}}}, "manifest",
		},
		{
			`mutation($a: ID!, $v: JSON!) { createFlow(input: {appId: $a, name: "f", manifest: $v}) { id } }`, vars{"\x00": 1},
			"manifest",
		},
		{
			`query($a: ID!, $v: ScopeInput!) { app(id: $a) { productAnalytics(scope: $v) { summary { views } } } }`,
			vars{"timeZone": "\x00"}, "timeZone",
		},
		{
			`mutation($a: ID!, $v: String!) { signIn(input: {email: $v, password: "x"}) { email } updateApp(input: {id: $a}) { id } }`,
			"a\x00@example.com", "email",
		},
	} {
		got := owner.do(c.query, vars{"a": app, "v": c.value})
		require.Equal(t, "invalid_input", got.code(), "%s: %v", c.query, got.Errors)
		require.Equal(t, c.field, got.Errors[0].Extensions["field"], c.query)
	}
	got := owner.get(
		url.Values{"query": {`{ app(id: "` + app + `") { recentEvents(name: "` + "\xff" + `") { nodes { eventId } } } }`}},
	)
	require.Equal(t, "invalid_input", got.code())
	got = owner.do(`query($a: ID!) { app(id: $a) { recentEvents(name: "\u0000") { nodes { eventId } } } }`, vars{"a": app})
	require.Equal(t, "invalid_input", got.code(), "in the document itself")
	require.NotContains(t, w.log.String(), "SQLSTATE")
}

// An enum's value that is almost right is the caller's mistake, not the server's.
func TestArgumentsThatCannotBeReadAreNamed(t *testing.T) {
	w := newWorld(t)
	app := w.app("Shop")
	got := w.as("owner").do(
		`query($a: ID!, $p: Platform) { app(id: $a) { live(platform: $p) { count } } }`, vars{"a": app, "p": "web"},
	)
	require.Equal(t, "invalid_input", got.code())
	require.Equal(t, "platform", got.Errors[0].Extensions["field"])
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

// A request whose fields all fail, with long inputs, leaves little in the log.
func TestTheLogGrowsLittleByARequest(t *testing.T) {
	w := newWorld(t)
	app := w.app("Shop")
	_, err := w.db.Pool.Exec(t.Context(), `alter table flows rename to flows_away`)
	require.NoError(t, err)
	before := len(w.log.String())
	got := w.as("owner").do(
		`query($a: ID!) { app(id: $a) { `+aliases(100, `flows { nodes { id } }`)+` } }`, vars{"a": app},
	)
	require.Len(t, got.Errors, 100)
	require.Equal(t, "internal", got.code())
	grown := len(w.log.String()) - before
	require.NotZero(t, grown)
	require.Less(t, grown, 10_000)
	got = w.as("owner").do(`query { app(id: "`+strings.Repeat("x", 60_000)+`") { id } }`, nil)
	require.Equal(t, "invalid_input", got.code())
	require.Less(t, len(got.Errors[0].Message), 2_000)
}
