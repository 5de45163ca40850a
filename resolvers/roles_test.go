package resolvers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Anonymous requests and members of other workspaces learn nothing.
func TestForeignThingsDoNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	channel := w.channel(app)
	for _, query := range []string{
		`query($a: ID!) { app(id: $a) { name } }`,
		`mutation($a: ID!) { createFlow(input: {appId: $a, name: "F"}) { id } }`,
		`mutation($a: ID!, $c: ChannelID!) { renameChannel(input: {id: $c, name: "x"}) { id } updateApp(input: {id: $a}) { id } }`,
	} {
		got := w.as("stranger").do(query, vars{"a": app, "c": channel})
		require.Equal(t, "not_found", got.code(), query)
		got = w.as("anonymous").do(query, vars{"a": app, "c": channel})
		require.Equal(t, "unauthenticated", got.code(), query)
	}
	require.Nil(t, w.as("anonymous").must(`{ viewer { email } }`, nil).Data["viewer"])
}

// An API key has its scopes cut to its maker's live role.
func TestKeysFollowTheirMakersRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	reader := w.keyed("editor", "analytics:read")
	require.Equal(t, "Shop", reader.text(`query($a: ID!) { app(id: $a) { name } }`, vars{"a": app}, "app", "name"))
	require.Equal(
		t, "forbidden", reader.do(`query($a: ID!) { app(id: $a) { flows { nodes { id } } } }`, vars{"a": app}).code(),
	)
	require.Equal(
		t, "forbidden",
		reader.do(`mutation($a: ID!) { createFlow(input: {appId: $a, name: "F"}) { id } }`, vars{"a": app}).code(),
	)

	const create = `mutation($a: ID!) { createFlow(input: {appId: $a, name: "F"}) { id } }`
	writer := w.keyed("editor", "flow:edit", "studio:read")
	writer.must(create, vars{"a": app})
	got := w.as("editor").do(
		`mutation($w: ID!) { createApiKey(input: {workspaceId: $w, name: "k", scopes: [APP_MANAGE]}) { secret } }`,
		vars{"w": w.workspace},
	)
	require.Equal(t, "forbidden", got.code())

	editor := w.as("editor").text(`{ viewer { userId } }`, nil, "viewer", "userId")
	w.as("owner").must(
		`mutation($w: ID!, $u: ID!) { changeMemberRole(input: {workspaceId: $w, userId: $u, role: VIEWER}) { role } }`,
		vars{"w": w.workspace, "u": editor},
	)
	require.Equal(t, "forbidden", writer.do(create, vars{"a": app}).code())
	w.as("owner").must(
		`mutation($w: ID!, $u: ID!) { removeMember(input: {workspaceId: $w, userId: $u}) }`,
		vars{"w": w.workspace, "u": editor},
	)
	require.Equal(t, "unauthenticated", writer.do(create, vars{"a": app}).code())

	mine := w.keyed("owner", "analytics:read")
	mine.key = strings.Replace(mine.key, mine.key[len(mine.key)-1:], "_", 1)
	require.Equal(t, "unauthenticated", mine.do(`{ viewer { email } }`, nil).code())
}

// Whoever finds a key can't make themselves another that outlives it.
func TestAKeyCannotMakeKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	scopes := []string{"analytics:read", "members:manage"}
	leaked := w.keyed("owner", scopes...)
	const create = `mutation($w: ID!, $s: [Capability!]!) { createApiKey(input: {workspaceId: $w, name: "clone", scopes: $s}) { secret } }`
	require.Equal(t, "forbidden", leaked.do(create, vars{"w": w.workspace, "s": enumNames(scopes[:1])}).code())
	require.Equal(t, "forbidden", leaked.do(`mutation($w: ID!) { inviteMember(input: {workspaceId: $w, email: "x@example.com", role: VIEWER}) { setupToken } }`,
		vars{"w": w.workspace}).code())
	require.Equal(t, "forbidden", leaked.do(`mutation { createWorkspace(input: {name: "x"}) { id } }`, nil).code())
	require.Equal(
		t, "forbidden",
		leaked.do(
			`mutation { changePassword(input: {currentPassword: "x", newPassword: "another horse"}) { email } }`, nil,
		).code(),
	)
	require.Equal(t, "forbidden", leaked.do(`mutation { acceptInvitation(input: {token: "x"}) { role } }`, nil).code())
}

// A key ends itself without a scope, and others only with members:manage.
func TestWhichKeysAKeyRevokes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	weak, strong := w.keyed("editor", "analytics:read"), w.keyed("admin", "members:manage", "studio:read")
	id := func(c *client) any { return c.must(`{ viewer { apiKeyId } }`, nil).at(t, "viewer", "apiKeyId") }
	revoke := func(by *client, key any) string {
		return by.do(`mutation($k: ID!) { revokeApiKey(input: {id: $k}) { revokedAt } }`, vars{"k": key}).code()
	}
	other := w.keyed("editor", "analytics:read")
	require.Equal(t, "forbidden", revoke(weak, id(other)), "its maker's others are not its own")
	require.Empty(t, revoke(strong, id(other)))
	require.Empty(t, revoke(weak, id(weak)))
	require.Equal(t, "unauthenticated", weak.do(`mutation { createWorkspace(input: {name: "x"}) { id } }`, nil).code())
	require.Empty(t, revoke(w.as("admin"), id(strong)), "people revoke their own")
}

// The scopes of an app's name and of its settings are two (docs/roles.md).
func TestRenamingAnAppNeedsAppManageOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	change := func(c *client, input string) string {
		return c.do(`mutation($a: ID!) { updateApp(input: {id: $a, `+input+`}) { name } }`, vars{"a": app}).code()
	}
	manager, settler := w.keyed("owner", "app:manage"), w.keyed("owner", "app:settings")
	for input, allowed := range map[string][2]string{
		`name: "Store"`:                    {"", "forbidden"},
		`ignoreBots: false`:                {"forbidden", ""},
		`allowedOrigins: []`:               {"forbidden", ""},
		`name: "Store", ignoreBots: false`: {"forbidden", "forbidden"},
		``:                                 {"forbidden", ""},
	} {
		require.Equal(t, allowed[0], change(manager, input), "app:manage, %s", input)
		require.Equal(t, allowed[1], change(settler, input), "app:settings, %s", input)
	}
	both := w.keyed("owner", "app:manage", "app:settings")
	require.Empty(t, change(both, `name: "Store", ignoreBots: false`))
}

// Every mutation of authoring, with who may do it. A step that an editor may do
// is tried by everybody weaker first.
func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	flow := w.as("owner").text(`mutation($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "Flow", manifest: $m}) { id } }`,
		vars{"a": app, "m": json.RawMessage(publishable)}, "createFlow", "id")
	empty := w.as("owner").text(`mutation($a: ID!) { createFlow(input: {appId: $a, name: "Empty"}) { id } }`,
		vars{"a": app}, "createFlow", "id")
	version, channel := w.publish(flow), w.channel(app)
	variables := vars{"w": w.workspace, "a": app, "f": flow, "e": empty, "v": version, "c": channel}

	for _, step := range []struct{ least, query string }{
		{"editor", `mutation($a: ID!) { createFlow(input: {appId: $a, name: "Mine"}) { id } }`},
		{"editor", `mutation($f: ID!) { renameFlow(input: {id: $f, name: "Flow"}) { id } }`},
		{"editor", `mutation($f: ID!) { duplicateFlow(input: {id: $f}) { name } }`},
		{"editor", `mutation($e: ID!) { fillFlow(input: {flowId: $e, template: {id: "three-plans"}}) { flow { name } } }`},
		{"editor", `mutation($f: ID!, $v: ID!) { createPreviewLink(input: {flowId: $f, versionId: $v, hours: 1}) { token expiresAt } }`},
		{"editor", `mutation($f: ID!) { createPreviewLink(input: {flowId: $f}) { token } }`},
		{"editor", `mutation($f: ID!) { requestPublish(input: {flowId: $f, revision: 1}) { id } }`},
		{"editor", `mutation($f: ID!) { declinePublish(input: {flowId: $f}) { id } }`},
		{"editor", `mutation($f: ID!) { publishFlow(input: {id: $f, label: "again"}) { version { label } } }`},
		{"editor", `mutation($a: ID!) { createChannel(input: {appId: $a, environment: TEST, name: "Mine"}) { id } }`},
		{"editor", `mutation($c: ChannelID!) { renameChannel(input: {id: $c, name: "Main"}) { id } }`},
		{"editor", `mutation($c: ChannelID!, $v: ID!) { pinChannel(input: {id: $c, versionId: $v}) { channel { id } } }`},
		{"editor", `mutation($c: ChannelID!) { unassignChannel(input: {id: $c}) { id } }`},
		{"editor", `mutation($c: ChannelID!) { archiveChannel(input: {id: $c, confirmName: "Main"}) { archivedAt } }`},
		{"editor", `mutation($c: ChannelID!) { unarchiveChannel(input: {id: $c}) { archivedAt } }`},
		{"editor", `mutation($c: ChannelID!) { createExperiment(input: {channelId: $c, name: "X"}) { id } }`},
		{"editor", `mutation($f: ID!) { archiveFlow(input: {id: $f}) { archivedAt } }`},
		{"editor", `mutation($f: ID!) { unarchiveFlow(input: {id: $f}) { archivedAt } }`},
		{"admin", `mutation($w: ID!) { createApp(input: {workspaceId: $w, name: "Other"}) { id } }`},
		{
			"admin",
			`mutation($a: ID!) { updateApp(input: {id: $a, allowedOrigins: ["https://www.example.com"], ignoreBots: false}) { allowedOrigins } }`,
		},
		{"admin", `mutation($a: ID!) { rotatePublishableKey(input: {appId: $a, environment: TEST}) { key } }`},
		{
			"admin",
			`mutation($a: ID!) { updateBranding(input: {appId: $a, branding: {colorPresets: [{name: "Red", value: "#f00"}]}}) { branding } }`,
		},
		{
			"admin",
			`mutation($a: ID!) { updateIntegrations(input: {appId: $a, stripe: {enabled: true}}) { integrations { stripe { enabled } } } }`,
		},
		{"admin", `mutation($a: ID!) { updateCanvas(input: {appId: $a, lottie: false}) { canvas { key on } } }`},
		{
			"admin",
			`mutation($w: ID!) { inviteMember(input: {workspaceId: $w, email: "new@example.com", role: VIEWER}) { setupToken } }`,
		},
		{"admin", `mutation($w: ID!) { renameWorkspace(input: {id: $w, name: "Acme"}) { name } }`},
		{
			"admin",
			`query($w: ID!) { workspace(id: $w) { auditLog(first: 5) { nodes { action user { email } } pageInfo { hasNextPage endCursor } } } }`,
		},
		{"viewer", `query($w: ID!, $f: ID!, $c: ChannelID!, $v: ID!) { workspace(id: $w) { members { nodes { role user { email } } } apiKeys { nodes { id } } media { nodes { id } } plan { key } }
			flow(id: $f) { problems { code } versions { nodes { number } } } channel(id: $c) { app { name } environment { kind } experiments { nodes { status } } } flowVersion(id: $v) { manifest createdBy { email } } }`},
		{"admin", `mutation($a: ID!) { archiveApp(input: {id: $a, confirmName: "Shop"}) { archivedAt } }`},
		{"admin", `mutation($a: ID!) { unarchiveApp(input: {id: $a}) { archivedAt } }`},
	} {
		allowed := false
		for _, role := range []string{"viewer", "editor", "admin"} {
			allowed = allowed || role == step.least
			got := w.as(role).do(step.query, variables)
			if !allowed {
				require.Equal(t, "forbidden", got.code(), "%s: %s", role, step.query)
				continue
			}
			if role == step.least {
				require.Empty(t, got.Errors, "%s: %s\n%s", role, step.query, w.log)
			}
		}
	}
}

// One stale or foreign id leaves the rest of a page standing: its field is null, and an error at its path says why.
func TestAStaleIdDoesNotBlankThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	for field, query := range map[string]string{
		"app":         `app(id: "00000000-0000-7000-8000-000000000000") { name }`,
		"flow":        `flow(id: "00000000-0000-7000-8000-000000000000") { name }`,
		"flowVersion": `flowVersion(id: "00000000-0000-7000-8000-000000000000") { number }`,
		"channel":     `channel(id: "ch_live_nothing") { name }`,
		"experiment":  `experiment(id: "00000000-0000-7000-8000-000000000000") { name }`,
		"segment":     `segment(id: "00000000-0000-7000-8000-000000000000") { name }`,
		"workspace":   `workspace(id: "00000000-0000-7000-8000-000000000000") { name }`,
	} {
		got := w.as("owner").do(`query($app: ID!) { viewer { email } `+query+` shop: app(id: $app) { name } }`,
			vars{"app": app})
		require.Len(t, got.Errors, 1, field)
		require.Equal(t, "not_found", got.code(), field)
		require.Equal(t, []any{field}, got.Errors[0].Path)
		require.Contains(t, got.Data, field)
		require.Nil(t, got.Data[field])
		require.Equal(t, "owner@example.com", got.at(t, "viewer", "email"), field)
		require.Equal(t, "Shop", got.at(t, "shop", "name"), field)
	}
	got := w.as("stranger").do(`query($app: ID!) { viewer { email } app(id: $app) { name } }`, vars{"app": app})
	require.Equal(t, "not_found", got.code())
	require.Equal(t, "stranger@example.com", got.at(t, "viewer", "email"))
}
