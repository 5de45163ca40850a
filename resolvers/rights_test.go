package resolvers_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/customer"
)

// secretOf makes an API key of somebody in a workspace and returns it.
func secretOf(t *testing.T, c *client, workspace any, scopes ...string) *client {
	t.Helper()
	made := c.must(
		`mutation($w: ID!, $s: [Capability!]!) { createApiKey(input: {workspaceId: $w, name: "k", scopes: $s}) { secret } }`,
		vars{"w": workspace, "s": enumNames(scopes)},
	)
	return &client{w: c.w, http: &http.Client{}, key: made.at(t, "createApiKey", "secret").(string)}
}

// Everything that tells of people or changes what is kept of them, tried by everybody who may not: strangers, keys of
// another workspace, the keys that apps carry, keys with every scope but the one, members of a role too weak, and
// members who were removed.
func TestWhoHasNoRightToPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	people := customer.New(w.db.Pool, customer.Options{})
	_, err := people.Identify(t.Context(), customer.Change{
		EnvironmentID: w.environment(app), AppUserID: "v2", CustomUserID: "ada", Email: "ada@example.com",
	})
	require.NoError(t, err)
	owner := w.as("owner")
	segment := owner.text(`mutation($a: ID!) { createSegment(input: {appId: $a, name: "S", rules: {where: {
		person: {field: EMAIL, op: CONTAINS, texts: ["ada"]}}}}) { id } }`, vars{"a": app}, "createSegment", "id")
	erasure := owner.text(`mutation($a: ID!) {
		erasePerson(input: {appId: $a, environment: LIVE, appUserId: "gone"}) { id } }`, vars{"a": app}, "erasePerson", "id")
	variables := vars{"a": app, "s": segment, "e": erasure}

	// The scopes without which a key is refused, and the weakest role that may; any of several scopes is enough.
	operations := []struct {
		query  string
		scopes []string
		least  string
	}{
		{`query($a: ID!) { app(id: $a) { people { totalCount } } }`, []string{"customers:read"}, "viewer"},
		{`query($a: ID!) { app(id: $a) { people(search: "ada") { nodes { email } } } }`,
			[]string{"customers:read"}, "viewer"},
		{`query($a: ID!) { app(id: $a) { person(appUserId: "v2") { email consentLog { at } } } }`,
			[]string{"customers:read"}, "viewer"},
		{`query($a: ID!) { app(id: $a) { person(customUserId: "ada") { activity { starts } timeline { totalCount } } } }`,
			[]string{"customers:read"}, "viewer"},
		{`query($s: ID!) { segment(id: $s) { members { totalCount } } }`, []string{"customers:read"}, "viewer"},
		{`query($a: ID!) { app(id: $a) { segmentEstimate(rules: {where: {
			person: {field: EMAIL, op: IS, texts: ["ada@example.com"]}}}) } }`, []string{"customers:read"}, "viewer"},
		{`query($a: ID!, $e: ID!) { app(id: $a) { erasure(id: $e) { devices } } }`, []string{"people:manage"}, "admin"},
		{`query($a: ID!) { app(id: $a) { retention { days } } }`, []string{"studio:read"}, "viewer"},
		{`query($a: ID!) { app(id: $a) { segments { totalCount nodes { name rules } } } }`,
			[]string{"analytics:read"}, "viewer"},
		{`mutation($a: ID!) { exportPerson(input: {appId: $a, environment: LIVE, appUserId: "v2"}) { devices } }`,
			[]string{"people:manage"}, "admin"},
		{`mutation($a: ID!) { setRetention(input: {appId: $a, kind: FLOW, days: 90}) { id } }`,
			[]string{"app:settings"}, "admin"},
		{`mutation($a: ID!) { createSegment(input: {appId: $a, name: "T"}) { id } }`, []string{"segment:manage"}, "editor"},
		{`mutation($s: ID!) { updateSegment(input: {id: $s, name: "S"}) { id } }`, []string{"segment:manage"}, "editor"},
		{`mutation($a: ID!) { erasePerson(input: {appId: $a, environment: LIVE, appUserId: "v3"}) { id } }`,
			[]string{"people:manage"}, "admin"},
		{`mutation($s: ID!) { deleteSegment(input: {id: $s}) }`, []string{"segment:manage"}, "editor"},
	}

	var all []string
	for _, scope := range owner.must(`{ __type(name: "Capability") { enumValues { name } } }`, nil).
		at(t, "__type", "enumValues").([]any) {
		if name := scope.(map[string]any)["name"].(string); name != "PLAN_MANAGE" {
			all = append(all, name)
		}
	}
	require.Contains(t, all, "PEOPLE_MANAGE")
	stranger := w.as("stranger")
	elsewhere := stranger.must(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil).
		at(t, "viewer", "workspaces", "nodes", 0, "workspace", "id")
	public := owner.text(`query($a: ID!) { app(id: $a) { environments { publishableKeys { nodes { key } } } } }`,
		vars{"a": app}, "app", "environments", 0, "publishableKeys", "nodes", 0, "key")
	left := w.invite("left@example.com", "admin")
	theirs := secretOf(t, left, w.workspace, "customers:read", "people:manage", "segment:manage", "app:settings")
	leftID := left.text(`{ viewer { userId } }`, nil, "viewer", "userId")
	owner.must(`mutation($w: ID!, $u: ID!) { removeMember(input: {workspaceId: $w, userId: $u}) }`,
		vars{"w": w.workspace, "u": leftID})
	ofStranger := secretOf(t, stranger, elsewhere, "customers:read", "people:manage", "segment:manage", "app:settings",
		"analytics:read", "studio:read")
	outsiders := map[string]struct {
		client *client
		code   string
	}{
		"anonymous":                  {w.as("anonymous"), "unauthenticated"},
		"the admin of another":       {stranger, "not_found"},
		"a key of another workspace": {ofStranger, "not_found"},
		"the key that apps carry":    {&client{w: w, http: &http.Client{}, key: public}, "unauthenticated"},
		"who was removed":            {left, "not_found"},
		"a key of who was removed":   {theirs, "unauthenticated"},
	}
	weaker := map[string][]string{"viewer": nil, "editor": {"viewer"}, "admin": {"viewer", "editor"}}
	for _, operation := range operations {
		for name, outsider := range outsiders {
			got := outsider.client.do(operation.query, variables).code()
			require.Equal(t, outsider.code, got, "%s: %s", name, operation.query)
		}
		for _, role := range weaker[operation.least] {
			require.Equal(t, "forbidden", w.as(role).do(operation.query, variables).code(), "%s: %s", role, operation.query)
		}
		without := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
			return slices.Contains(enumNames(operation.scopes), name)
		})
		made := owner.must(
			`mutation($w: ID!, $s: [Capability!]!) { createApiKey(input: {workspaceId: $w, name: "k", scopes: $s}) { secret } }`,
			vars{"w": w.workspace, "s": without},
		)
		lacking := &client{w: w, http: &http.Client{}, key: made.at(t, "createApiKey", "secret").(string)}
		require.Equal(t, "forbidden", lacking.do(operation.query, variables).code(), operation.query)
	}
	// All of it is there and works for who may.
	for _, operation := range operations {
		w.as(operation.least).must(operation.query, variables)
	}
}

// Whoever searches their own workspace for an id or an e-mail address of another finds nobody, and what they erase
// there is not this person.
func TestPeopleAreOfOneWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	stranger := w.as("stranger")
	elsewhere := stranger.must(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil).
		at(t, "viewer", "workspaces", "nodes", 0, "workspace", "id")
	theirs := stranger.text(`mutation($w: ID!) { createApp(input: {workspaceId: $w, name: "Theirs"}) { id } }`,
		vars{"w": elsewhere}, "createApp", "id")
	_, err := customer.New(w.db.Pool, customer.Options{}).Identify(t.Context(), customer.Change{
		EnvironmentID: w.environment(app), AppUserID: "v2", CustomUserID: "ada", Email: "ada@example.com",
	})
	require.NoError(t, err)
	const find = `query($a: ID!, $s: String) { app(id: $a) { people(search: $s) { totalCount } } }`
	const named = `query($a: ID!, $u: String, $c: String) {
		app(id: $a) { person(appUserId: $u, customUserId: $c) { email } } }`
	for _, search := range []string{"ada@example.com", "ada", "v2", ""} {
		require.Equal(t, json.Number("0"), stranger.must(find, vars{"a": theirs, "s": search}).at(
			t, "app", "people", "totalCount"), search)
		require.Equal(t, json.Number("1"), w.as("viewer").must(find, vars{"a": app, "s": search}).at(
			t, "app", "people", "totalCount"), search)
	}
	for _, who := range []vars{{"u": "v2"}, {"c": "ada"}} {
		who["a"] = theirs
		require.Nil(t, stranger.must(named, who).at(t, "app", "person"))
	}
	export := `mutation($i: ExportPersonInput!) { exportPerson(input: $i) { records { table } } }`
	input := func(name, value string) vars {
		return vars{"i": vars{"appId": theirs, "environment": "LIVE", name: value}}
	}
	require.Empty(t, stranger.must(export, input("appUserId", "v2")).at(t, "exportPerson", "records"))
	require.Equal(t, "not_found", stranger.do(export, input("customUserId", "ada")).code())
	const erase = `mutation($i: ErasePersonInput!) { erasePerson(input: $i) { id } }`
	stranger.must(erase, input("appUserId", "v2"))
	require.Equal(t, "not_found", stranger.do(erase, input("customUserId", "ada")).code())
	require.Equal(t, "ada@example.com", w.as("viewer").text(named, vars{"a": app, "u": "v2"}, "app", "person", "email"))
}
