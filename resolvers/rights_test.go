package resolvers_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/people"
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

// guarded is an operation with the scopes without which a key is refused, of which any is enough, and the weakest role
// that may.
type guarded struct {
	query  string
	scopes []string
	least  string
}

// Everything that tells of people or changes what is kept of them.
func TestWhoHasNoRightToPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	records := people.New(w.db.Pool, people.Options{})
	_, err := records.Identify(t.Context(), people.Change{
		EnvironmentID: w.environment(app), AppUserID: "v2", CustomUserID: "ada", Email: "ada@example.com",
	})
	require.NoError(t, err)
	owner := w.as("owner")
	segment := owner.text(`mutation($a: ID!) { createSegment(input: {appId: $a, name: "S", rules: {where: {
		person: {field: EMAIL, op: CONTAINS, texts: ["ada"]}}}}) { id } }`, vars{"a": app}, "createSegment", "id")
	erasure := owner.text(`mutation($a: ID!) {
		erasePerson(input: {appId: $a, environment: LIVE, appUserId: "gone"}) { id } }`, vars{"a": app}, "erasePerson", "id")
	funnel := owner.text(`mutation($a: ID!) { createFunnel(input: {appId: $a, name: "F", funnel: {steps: [
		{condition: {event: {name: "e"}}}, {condition: {event: {name: "e"}}}]}}) { id } }`, vars{"a": app}, "createFunnel", "id")
	variables := vars{"a": app, "s": segment, "e": erasure, "f": funnel}

	w.tryAll(app, variables, []guarded{
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
		{`query($a: ID!) { app(id: $a) { environment { identityProof { mode secrets { createdAt } days { wrong } } } } }`,
			[]string{"studio:read"}, "viewer"},
		{`mutation($a: ID!) { rotateIdentitySecret(input: {appId: $a, environment: LIVE}) { secret } }`,
			[]string{"app:settings"}, "admin"},
		{`mutation($a: ID!) { setIdentityProof(input: {appId: $a, environment: LIVE, mode: WATCH}) { mode } }`,
			[]string{"app:settings"}, "admin"},
		{`mutation($a: ID!) { retireIdentitySecret(input: {appId: $a, environment: LIVE}) { mode } }`,
			[]string{"app:settings"}, "admin"},
		{`mutation($a: ID!) { setRetention(input: {appId: $a, kind: FLOW, days: 90}) { id } }`,
			[]string{"app:settings"}, "admin"},
		{`mutation($a: ID!) { createSegment(input: {appId: $a, name: "T"}) { id } }`, []string{"segment:manage"}, "editor"},
		{`mutation($a: ID!) { createGoal(input: {appId: $a, name: "T", condition: {event: {name: "e"}}}) { id } }`,
			[]string{"segment:manage"}, "editor"},
		{`mutation($a: ID!) { createAlert(input: {appId: $a, name: "T", rule: {condition: {above: 1}}}) { id } }`,
			[]string{"segment:manage"}, "editor"},
		{`query($a: ID!) { app(id: $a) { alerts { totalCount nodes { name rule } }
			alertPreview(rule: {condition: {above: 1}}) { firings { start } } } }`, []string{"analytics:read"}, "viewer"},
		{`mutation($a: ID!) { createFunnel(input: {appId: $a, name: "T", funnel: {steps: [
			{condition: {event: {name: "e"}}}, {condition: {event: {name: "e"}}}]}}) { id } }`,
			[]string{"segment:manage"}, "editor"},
		{`mutation($f: ID!) { updateFunnel(input: {id: $f, name: "F"}) { id } }`, []string{"segment:manage"}, "editor"},
		{`query($a: ID!) { app(id: $a) { productAnalytics { funnel(input: {steps: [
			{condition: {event: {name: "e"}}}, {condition: {event: {name: "e"}}}]}) { entered }
			paths(input: {anchor: {kind: EVENT, name: "e"}}) { sessions } } } }`, []string{"analytics:read"}, "viewer"},
		{`mutation($f: ID!) { deleteFunnel(input: {id: $f}) }`, []string{"segment:manage"}, "editor"},
		{`query($a: ID!) { app(id: $a) { funnels { totalCount nodes { name definition } } } }`,
			[]string{"analytics:read"}, "viewer"},
		{`query($a: ID!) { app(id: $a) { goals { totalCount nodes { name condition } } } }`,
			[]string{"analytics:read"}, "viewer"},
		{`mutation($s: ID!) { updateSegment(input: {id: $s, name: "S"}) { id } }`, []string{"segment:manage"}, "editor"},
		{`mutation($a: ID!) { erasePerson(input: {appId: $a, environment: LIVE, appUserId: "v3"}) { id } }`,
			[]string{"people:manage"}, "admin"},
		{`mutation($s: ID!) { deleteSegment(input: {id: $s}) }`, []string{"segment:manage"}, "editor"},
	})
}

// Everything that tells of money or changes where it comes from and whose it is. Figures are for every member.
func TestWhoHasNoRightToMoney(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.shop()
	owner := w.as("owner")
	made := owner.must(`mutation($a: ID!) { createRevenueSource(input: {
		appId: $a, provider: REVENUECAT, name: "C", stores: ["app_store"]}) { source { id secrets { id } } } }`,
		vars{"a": app}).at(t, "createRevenueSource", "source").(map[string]any)
	secret := made["secrets"].([]any)[0].(map[string]any)["id"]
	owner.must(`mutation($i: AddRevenueSecretInput!) { addRevenueSecret(input: $i) { secret } }`,
		vars{"i": vars{"id": made["id"]}})
	w.tryAll(app, vars{"a": app, "r": made["id"], "s": secret}, []guarded{
		{`query($a: ID!) { revenue(scope: {appId: $a}) { totals { net } series { totals { gross } }
			breakdown(dimension: COUNTRY, first: 5) { nodes { value } } subscriptions { state { mrr } }
			subscriptionSeries { state { active } } lifetimeValue { net } subscriptionRetention { periodLength } } }`,
			[]string{"analytics:read"}, "viewer"},
		{`query($a: ID!) { app(id: $a) { revenueSources { path secrets { lastFour } } } }`,
			[]string{"app:settings"}, "admin"},
		{`query($a: ID!) { app(id: $a) { unmappedRevenue { nodes { amount personIds } } } }`,
			[]string{"revenue:record"}, "admin"},
		{`mutation($a: ID!) { recordPurchase(input: {appId: $a, environment: LIVE, provider: STRIPE, providerEventId: "e",
			kind: ORIGINATING, occurredAt: "2026-01-01T00:00:00Z", amount: 1}) { duplicate } }`,
			[]string{"revenue:record"}, "admin"},
		{`mutation($a: ID!) { mapRevenue(input: {appId: $a, environment: LIVE, provider: STRIPE, subject: "s",
			appUserId: "v2"}) }`, []string{"revenue:record"}, "admin"},
		{`mutation($a: ID!) { createRevenueSource(input: {appId: $a, provider: STRIPE, name: "S", stores: ["stripe"]}) {
			secret } }`, []string{"app:settings"}, "admin"},
		{`mutation($r: ID!) { addRevenueSecret(input: {id: $r}) { secret } }`, []string{"app:settings"}, "admin"},
		{`mutation($r: ID!) { testRevenueSource(id: $r) { status } }`, []string{"app:settings"}, "admin"},
		{`mutation($r: ID!, $s: ID!) { removeRevenueSecret(id: $r, secretId: $s) { id } }`,
			[]string{"app:settings"}, "admin"},
		{`mutation($r: ID!) { archiveRevenueSource(id: $r) { id } }`, []string{"app:settings"}, "admin"},
	})
}

// tryAll lets everybody try operations who may not: strangers, keys of another workspace, the keys that apps carry,
// keys with every scope but the one, members of a role too weak, and members who were removed. Then whoever may does
// all of them.
func (w *world) tryAll(app string, variables vars, operations []guarded) {
	t, owner := w.t, w.as("owner")
	t.Helper()
	var all, wanted []string
	for _, operation := range operations {
		wanted = append(wanted, operation.scopes...)
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	for _, scope := range owner.must(`{ __type(name: "Capability") { enumValues { name } } }`, nil).
		at(t, "__type", "enumValues").([]any) {
		if name := scope.(map[string]any)["name"].(string); name != "PLAN_MANAGE" {
			all = append(all, name)
		}
	}
	require.Subset(t, all, enumNames(wanted))
	stranger := w.as("stranger")
	elsewhere := stranger.must(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil).
		at(t, "viewer", "workspaces", "nodes", 0, "workspace", "id")
	public := owner.text(`query($a: ID!) { app(id: $a) { environments { publishableKeys { nodes { key } } } } }`,
		vars{"a": app}, "app", "environments", 0, "publishableKeys", "nodes", 0, "key")
	left := w.invite("left@example.com", "admin")
	theirs := secretOf(t, left, w.workspace, wanted...)
	leftID := left.text(`{ viewer { userId } }`, nil, "viewer", "userId")
	owner.must(`mutation($w: ID!, $u: ID!) { removeMember(input: {workspaceId: $w, userId: $u}) }`,
		vars{"w": w.workspace, "u": leftID})
	ofStranger := secretOf(t, stranger, elsewhere, append(wanted, "studio:read")...)
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
	_, err := people.New(w.db.Pool, people.Options{}).Identify(t.Context(), people.Change{
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
