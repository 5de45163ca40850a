package resolvers_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Events carry ids of variants; who asks names their keys.
func TestVariantsAreNamedByTheirKeys(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	made := f.as("owner").must(
		`mutation($c: ChannelID!, $a: [VariantInput!]) { createExperiment(input: {channelId: $c, name: "X", variants: $a}) {
			id variants { id } } }`,
		vars{"c": f.channel, "a": []vars{
			{"key": "control", "weight": 1, "versionId": f.version}, {"key": "short", "weight": 1, "versionId": f.version},
		}},
	)
	id := made.at(t, "createExperiment", "id")
	short := made.at(t, "createExperiment", "variants", 1, "id").(string)
	f.runOf("somebody", vars{"platform": "web"}, flowEvent{
		name: "flow_started", more: vars{"experimentId": id, "variantId": short},
	})
	reader := f.as("viewer")
	starts := `query($s: FlowAnalyticsScope!) { flowAnalytics(scope: $s) { overview { starts } } }`
	compare := `query($s: FlowAnalyticsScope!, $b: String!) { flowAnalytics(scope: $s) {
		compare(by: VARIANT, first: "control", second: $b) { sides { value overview { starts } } } } }`
	scope := func(variants ...string) vars {
		return vars{"s": vars{"flowId": f.flow, "experimentId": id, "variants": variants}}
	}
	for name, want := range map[string]string{"short": "1", short: "1", "control": "0"} {
		got := reader.must(starts, scope(name))
		require.Equal(t, json.Number(want), got.at(t, "flowAnalytics", "overview", "starts"), name)
	}
	got := reader.do(starts, scope("shorter"))
	require.Equal(t, "invalid_input", got.code())
	require.Contains(t, got.Errors[0].Message, `no variant "shorter", but control, short`)

	asked := scope()
	asked["b"] = "short"
	both := reader.must(compare, asked)
	require.Equal(t, "short", both.at(t, "flowAnalytics", "compare", "sides", 1, "value"))
	require.Equal(t, json.Number("1"), both.at(t, "flowAnalytics", "compare", "sides", 1, "overview", "starts"))
	asked["b"] = "longer"
	require.Equal(t, "invalid_input", reader.do(compare, asked).code())

	// Without the experiment its name comes first, since others have a control too.
	rows := `query($s: FlowAnalyticsScope!) { flowAnalytics(scope: $s) {
		cohorts(dimension: VARIANT) { nodes { value } } recent { nodes { variant } } } }`
	alone := reader.must(rows, scope())
	require.Equal(t, "short", alone.at(t, "flowAnalytics", "cohorts", "nodes", 0, "value"))
	all := reader.must(rows, vars{"s": vars{"flowId": f.flow}})
	require.Equal(t, "X: short", all.at(t, "flowAnalytics", "cohorts", "nodes", 0, "value"))
	require.Equal(t, "short", all.at(t, "flowAnalytics", "recent", "nodes", 0, "variant"))
	behind := `query($s: FlowAnalyticsScope!, $v: String!) { flowAnalytics(scope: $s) {
		peopleBehind(cell: {values: [{dimension: VARIANT, value: $v}]}) { totalCount } } }`
	for value, want := range map[string]string{"X: short": "1", short: "1", "X: control": "0"} {
		got := reader.must(behind, vars{"s": vars{"flowId": f.flow}, "v": value})
		require.Equal(t, json.Number(want), got.at(t, "flowAnalytics", "peopleBehind", "totalCount"), value)
	}
}

// Keys of variants are told to those who may read reports of the environment that the experiment is in, and to nobody
// through another environment, app or workspace.
func TestKeysOfVariantsStayInTheirEnvironment(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	id := f.as("owner").text(
		`mutation($c: ChannelID!, $a: [VariantInput!]) { createExperiment(input: {channelId: $c, name: "X", variants: $a}) {
			id } }`,
		vars{"c": f.channel, "a": []vars{
			{"key": "secret_control", "weight": 1, "versionId": f.version},
			{"key": "secret_price", "weight": 1, "versionId": f.version},
		}}, "createExperiment", "id",
	)
	asked := `query($s: FlowAnalyticsScope!) { flowAnalytics(scope: $s) { overview { starts }
		compare(by: VARIANT, first: "a", second: "b") { sides { value } } } }`
	scope := func(flow, environment string) vars {
		return vars{"s": vars{"flowId": flow, "environment": environment, "experimentId": id, "variants": []string{"guess"}}}
	}
	require.Contains(t, fmt.Sprint(f.as("viewer").do(asked, scope(f.flow, "LIVE")).Errors), "secret_control", "who may read them")

	stranger := f.as("stranger")
	theirs := stranger.text(`query { viewer { workspaces(first: 1) { nodes { workspace { id } } } } }`, nil,
		"viewer", "workspaces", "nodes", 0, "workspace", "id")
	app := stranger.text(`mutation($w: ID!) { createApp(input: {workspaceId: $w, name: "Mine"}) { id } }`,
		vars{"w": theirs}, "createApp", "id")
	flow := stranger.text(`mutation($a: ID!) { createFlow(input: {appId: $a, name: "Mine"}) { id } }`,
		vars{"a": app}, "createFlow", "id")
	for name, got := range map[string]answer{
		"another environment":         f.as("viewer").do(asked, scope(f.flow, "TEST")),
		"a flow of their own":         stranger.do(asked, scope(flow, "LIVE")),
		"a flow of another workspace": stranger.do(asked, scope(f.flow, "LIVE")),
	} {
		require.NotContains(t, fmt.Sprint(got.Data, got.Errors), "secret", name)
	}
	require.Contains(t, fmt.Sprint(stranger.do(asked, scope(flow, "LIVE")).Errors), "the app has no experiment "+id,
		"as if there were no such experiment")
}
