package resolvers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What an app sets about its runs holds at once for every report: when a run has lapsed, in reports of flows, in the
// filters and segments of product reports and in time lines, and how long figures are incomplete.
func TestReportsUseTheWindowsOfTheApp(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	f.ingest(f.app, event{visitor: "ann", session: "s", name: "page_view", page: "/", at: f.at})
	f.runOf("ann", vars{"platform": "web"}, flowEvent{name: "flow_started"})
	owner, reader := f.as("owner"), f.keyed("viewer", "analytics:read")
	segment := owner.text(`mutation($a: ID!) { createSegment(input: {appId: $a, name: "Lapsed", rules: {cross: {flowOutcome: {values: ["lapsed"]}}}}) { id } }`,
		vars{"a": f.app}, "createSegment", "id")
	set := func(input string) {
		t.Helper()
		owner.must(`mutation($a: ID!) { updateApp(input: {id: $a, `+input+`}) { id } }`, vars{"a": f.app})
	}
	states := func() string {
		t.Helper()
		got := reader.must(`query($a: ID!, $f: ID!, $g: ID!) {
			flowAnalytics(scope: {flowId: $f}) { overview { lapsed open } recent { complete nodes { state } } }
			app(id: $a) {
				appFlowOverview(scope: {}) { totals { lapsed open } }
				lapsed: productAnalytics(scope: {cross: {flowOutcome: {values: ["lapsed"]}}}) { summary { visitors } }
				open: productAnalytics(scope: {cross: {flowOutcome: {values: ["open"]}}}) { summary { visitors } }
				segment: productAnalytics(scope: {segmentId: $g}) { summary { visitors } }
				productAnalytics(scope: {}) { timeline(appUserId: "ann") { nodes { run { state } } } } } }`,
			vars{"a": f.app, "f": f.flow, "g": segment})
		return asJSON(t, []any{
			got.at(t, "flowAnalytics", "overview"), got.at(t, "flowAnalytics", "recent"),
			got.at(t, "app", "appFlowOverview", "totals"), got.at(t, "app", "lapsed", "summary", "visitors"),
			got.at(t, "app", "open", "summary", "visitors"), got.at(t, "app", "segment", "summary", "visitors"),
			got.at(t, "app", "productAnalytics", "timeline", "nodes", 0, "run", "state"),
		})
	}
	lapsed := `[{"lapsed": 1, "open": 0}, {"complete": true, "nodes": [{"state": "LAPSED"}]}, {"lapsed": 1, "open": 0},
		1, 0, 1, "LAPSED"]`
	require.JSONEq(t, lapsed, states())
	set("lapseMinutes: 120")
	require.JSONEq(t, `[{"lapsed": 0, "open": 1}, {"complete": true, "nodes": [{"state": "OPEN"}]},
		{"lapsed": 0, "open": 1}, 0, 1, 0, "OPEN"]`, states())
	set("lapseMinutes: 5")
	require.JSONEq(t, lapsed, states())

	incomplete := func() string {
		t.Helper()
		end := time.Now().Add(-5 * 24 * time.Hour)
		got := reader.must(`query($f: ID!, $r: RangeInput!) { flowAnalytics(scope: {flowId: $f, range: $r}) {
			overview { incomplete } dropoff { incomplete } purchases { incomplete } } }`,
			vars{"f": f.flow, "r": vars{"start": end.Add(-24 * time.Hour), "end": end}})
		return asJSON(t, got.at(t, "flowAnalytics"))
	}
	all := func(overview, dropoff, purchases string) string {
		return `{"overview": {"incomplete": ` + overview + `}, "dropoff": {"incomplete": ` + dropoff + `},
			"purchases": {"incomplete": ` + purchases + `}}`
	}
	require.JSONEq(t, all("false", "false", "false"), incomplete())
	set("purchaseWindowDays: 7")
	require.JSONEq(t, all("true", "false", "true"), incomplete())
	set("purchaseWindowDays: 1, completionWindowDays: 14")
	require.JSONEq(t, all("true", "true", "true"), incomplete())
	list := owner.must(`query($w: ID!) { workspace(id: $w) { auditLog(first: 1) { nodes { action detail } } } }`,
		vars{"w": f.workspace})
	require.JSONEq(t, `{"action": "app.update", "detail": {"purchaseWindowDays": 1, "completionWindowDays": 14}}`,
		asJSON(t, list.at(t, "workspace", "auditLog", "nodes", 0)))
	require.Equal(t, "forbidden", f.keyed("owner", "app:manage").do(
		`mutation($a: ID!) { updateApp(input: {id: $a, lapseMinutes: 5}) { id } }`, vars{"a": f.app}).code())
}
