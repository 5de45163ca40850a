package resolvers_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/customer"
)

func TestPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	var environment int64
	require.NoError(t, w.db.Pool.QueryRow(
		t.Context(), `select id from environments where app_id = $1 and kind = 'live'`, uuid.MustParse(app),
	).Scan(&environment))
	people := customer.New(w.db.Pool, customer.Options{})
	for i := range 5 {
		for _, consent := range []customer.Consent{customer.Granted, customer.Denied} {
			_, err := people.Identify(t.Context(), customer.Change{
				EnvironmentID: environment, AppUserID: fmt.Sprintf("phone-%d", i), CustomUserID: fmt.Sprintf("user-%d", i),
				Email: fmt.Sprintf("u%d@example.com", i), MarketingConsent: consent,
				TopicConsents: map[string]customer.Consent{"news": customer.Granted},
				Attributes:    map[string]json.RawMessage{"plan": []byte(`"pro"`)},
			})
			require.NoError(t, err)
		}
	}
	const find = `query($a: ID!, $u: String, $c: String, $n: Int! = 50) { app(id: $a) {
		person(appUserId: $u, customUserId: $c) {
			customUserId email attributes devices { appUserId linkedAt } marketingConsent marketingConsentAt
			topicConsents { topic consent at } consentLog(first: $n) { at topic consent appUserId } createdAt identifiedAt } } }`
	viewer := w.as("viewer")
	found := viewer.must(find, vars{"a": app, "u": "phone-3"})
	require.Equal(t, found.Data, viewer.must(find, vars{"a": app, "c": "user-3"}).Data)
	person := func(path ...any) any { return found.at(t, append([]any{"app", "person"}, path...)...) }
	require.Equal(t, "u3@example.com", person("email"))
	require.Equal(t, "pro", person("attributes", "plan"))
	require.Equal(t, "phone-3", person("devices", 0, "appUserId"))
	require.Equal(t, "DENIED", person("marketingConsent"))
	require.Equal(t, "GRANTED", person("topicConsents", 0, "consent"))
	require.Len(t, person("consentLog"), 3)
	require.Nil(t, person("consentLog", 0, "topic"))
	require.Equal(t, "DENIED", person("consentLog", 0, "consent"))
	require.Equal(t, "news", person("consentLog", 1, "topic"))
	require.Equal(t, "phone-3", person("consentLog", 2, "appUserId"))

	seen := viewer.must(find, vars{"a": app, "u": "v2"})
	require.Nil(t, seen.at(t, "app", "person", "identifiedAt"))
	require.Equal(t, "UNKNOWN", seen.at(t, "app", "person", "marketingConsent"))
	require.Empty(t, seen.at(t, "app", "person", "consentLog"))
	require.Nil(t, viewer.must(find, vars{"a": app, "u": "nobody"}).at(t, "app", "person"))
	require.Equal(t, "invalid_input", viewer.do(find, vars{"a": app}).code())
	require.Equal(t, "invalid_input", viewer.do(find, vars{"a": app, "u": "v2", "n": 1001}).code())
	require.Equal(t, "not_found", w.as("stranger").do(find, vars{"a": app, "u": "v2"}).code())

	for search, rows := range map[string]int{"": 5, "user-": 5, "U2@": 1, "phone-4": 1, "nobody": 0} {
		ids := viewer.pages(list{
			query: `query($a: ID!, $s: String, $first: Int, $after: String) { app(id: $a) {
				people(search: $s, first: $first, after: $after) {
					nodes { id: customUserId } totalCount pageInfo { hasNextPage endCursor } } } }`,
			path: []any{"app", "people"}, rows: rows,
		}, vars{"a": app, "s": search})
		require.Len(t, ids, rows, search)
	}
}
