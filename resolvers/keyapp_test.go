package resolvers_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// A key of one app, as OAuth clients may have, gets of other apps what it would get of those that do not exist.
func TestAKeyOfOneAppReachesNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	type owned struct{ app, flow, channel, experiment string }
	own := func(name string) owned {
		app := w.app(name)
		made := owned{app: app, channel: w.channel(app)}
		made.flow = w.as("owner").text(`query($v: ID!) { flowVersion(id: $v) { flow { id } } }`,
			vars{"v": w.version(app)}, "flowVersion", "flow", "id")
		made.experiment = w.as("owner").text(
			`mutation($c: ChannelID!) { createExperiment(input: {channelId: $c, name: "X"}) { id } }`,
			vars{"c": made.channel}, "createExperiment", "id")
		return made
	}
	its, others := own("Its"), own("Other")
	const create = `mutation($w: ID!, $s: [Capability!]!, $a: ID) {
		createApiKey(input: {workspaceId: $w, name: "test", scopes: $s, appId: $a}) { secret apiKey { app { id } } } }`
	asked := vars{"w": w.workspace, "a": its.app, "s": enumNames([]string{
		"analytics:read", "customers:read", "studio:read", "flow:edit", "flow:publish", "view:manage", "app:settings",
		"app:manage", "channel:manage",
	})}
	made := w.as("owner").must(create, asked)
	require.Equal(t, its.app, made.at(t, "createApiKey", "apiKey", "app", "id"))
	key := &client{w: w, http: &http.Client{}, key: made.at(t, "createApiKey", "secret").(string)}
	asked["a"] = uuid.NewString()
	refused := w.as("owner").do(create, asked)
	require.Len(t, refused.Errors, 1)
	require.Equal(t, "not_found", refused.Errors[0].code())

	operations := map[string]string{
		"app":     `query($app: ID!) { app(id: $app) { name productAnalytics { summary { visitors } } } }`,
		"flow":    `query($flow: ID!) { flow(id: $flow) { id app { id } problems { code } } }`,
		"draft":   `query($flow: ID!) { draft(flowId: $flow) { revision } }`,
		"channel": `query($channel: ChannelID!) { channel(id: $channel) { id explanation { reason } } }`,
		"revenue": `query($app: ID!) { revenue(scope: {appId: $app}) { totals { gross } } }`,
		"reports": `query($flow: ID!) { flowAnalytics(scope: {flowId: $flow}) { overview { starts } } }`,
		"note": `mutation($app: ID!, $at: Time!) { createNote(input: {appId: $app, environment: LIVE, at: $at, text: "x"}) {
			id } }`,
		"create": `mutation($app: ID!) { createFlow(input: {appId: $app, name: "New"}) { id } }`,
	}
	ask := func(document string, of owned) answer {
		return key.do(document, vars{
			"app": of.app, "flow": of.flow, "channel": of.channel, "experiment": of.experiment, "at": time.Now(),
			"client": uuid.NewString(),
		})
	}
	for name, document := range operations {
		require.Empty(t, ask(document, its).Errors, name)
		refused := ask(document, others)
		require.Len(t, refused.Errors, 1, name)
		require.Equal(t, "not_found", refused.Errors[0].code(), name)
	}
	for name, document := range map[string]string{
		"simulate": `query($flow: ID!) { simulateDraft(flowId: $flow, environment: LIVE, runs: 10) { __typename } }`,
		"results":  `query($experiment: ID!) { experimentResults(id: $experiment, timeZone: "UTC") { __typename } }`,
		"edit": `mutation($flow: ID!, $client: ID!) { editDraft(input: {flowId: $flow, baseRevision: 1, clientId: $client,
			sequence: 1, steps: [{name: "x", operations: []}]}) { revision } }`,
		"publish": `mutation($flow: ID!) { requestPublish(input: {flowId: $flow, revision: 1}) { __typename } }`,
	} {
		refused := ask(document, others)
		require.Len(t, refused.Errors, 1, name)
		require.Equal(t, "not_found", refused.Errors[0].code(), name)
		for _, answered := range ask(document, its).Errors { // such as that a draft has no results
			require.NotContains(t, []string{"not_found", "forbidden"}, answered.code(), name)
		}
	}

	listed := key.must(`{ viewer { workspaces { nodes { capabilities workspace { name apps { totalCount nodes { id } } } } } } }`, nil)
	text, err := json.Marshal(listed.Data)
	require.NoError(t, err)
	require.Contains(t, string(text), its.app)
	require.NotContains(t, string(text), others.app)

	// What no tool asks for is refused, also on the way over what is its own.
	for _, document := range []string{
		`query($app: ID!) { app(id: $app) { workspace { members { totalCount } } } }`,
		`query($app: ID!) { app(id: $app) { workspace { auditLog { totalCount } } } }`,
		`{ viewer { email } }`, `{ __schema { queryType { name } } }`,
		`query($experiment: ID!) { experiment(id: $experiment) { id } }`,
		`mutation($app: ID!) { updateApp(input: {id: $app, name: "y"}) { id } }`,
		`mutation($flow: ID!) { publishFlow(input: {id: $flow}) { version { id } } }`,
		`mutation($app: ID!) { createChannel(input: {appId: $app, environment: LIVE, name: "y"}) { id } }`,
	} {
		refused := ask(document, its)
		require.NotEmpty(t, refused.Errors, document)
		for _, fault := range refused.Errors {
			require.Equal(t, "forbidden", fault.code(), document)
		}
	}

	keys := w.as("owner").must(`query($w: ID!) { workspace(id: $w) { apiKeys { nodes { name app { id } } } } }`,
		vars{"w": w.workspace})
	text, err = json.Marshal(keys.Data)
	require.NoError(t, err)
	require.Contains(t, string(text), its.app)
}
