package resolvers_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A person's runs stand beside their sessions: as figures of the visitor list, and in their time line.
func TestVisitorsAndTimeLinesShowRuns(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	f.ingest(f.app,
		event{visitor: "ann", session: "s", name: "page_view", page: "/", at: f.at.Add(-time.Second), source: "news"},
		event{visitor: "ann", session: "s", name: "page_view", page: "/pricing", at: f.at.Add(9 * time.Second)},
		event{visitor: "ann", session: "later", name: "page_view", page: "/home", at: f.at.Add(40 * time.Minute)},
		event{visitor: "bob", session: "s", name: "page_view", page: "/", at: f.at},
	)
	web := vars{"platform": "web"}
	f.runOf("ann", web, flowEvent{name: "flow_started"}, flowEvent{name: "flow_completed", after: 12.5})
	f.runOf("ann", vars{"platform": "ios"}, flowEvent{name: "flow_started", after: 60})
	f.runOf("carl", web, flowEvent{name: "flow_started"})

	c := f.keyed("viewer", "analytics:read")
	got := c.must(`query($a: ID!) { app(id: $a) { productAnalytics(scope: {platform: WEB}) {
		visitors(orderBy: RUNS) { nodes { appUserId sessions runs completedRuns } } } } }`, vars{"a": f.app})
	require.JSONEq(t, `[
		{"appUserId": "ann", "sessions": 2, "runs": 2, "completedRuns": 1},
		{"appUserId": "bob", "sessions": 1, "runs": 0, "completedRuns": 0}]`,
		asJSON(t, got.at(t, "app", "productAnalytics", "visitors", "nodes")))

	timeline := func(user string, first int, after any) answer {
		return c.must(`query($a: ID!, $u: String!, $n: Int, $f: String) { app(id: $a) { productAnalytics(scope: {}) {
			timeline(appUserId: $u, first: $n, after: $f) { totalCount pageInfo { hasNextPage endCursor } nodes { startedAt
				session { entry exit views events seconds source channel }
				run { flowId versionId experimentId variant state lastAt seconds platform } } } } } }`,
			vars{"a": f.app, "u": user, "n": first, "f": after})
	}
	path := []any{"app", "productAnalytics", "timeline"}
	got = timeline("ann", 3, nil)
	stamp := func(after float64) string {
		return f.at.Add(time.Duration(after * float64(time.Second))).Format(time.RFC3339Nano)
	}
	require.JSONEq(t, `[
		{"startedAt": "`+stamp(2400)+`", "run": null, "session": {"entry": "/home", "exit": "/home", "views": 1,
			"events": 0, "seconds": 0, "source": "", "channel": "Direct"}},
		{"startedAt": "`+stamp(60)+`", "session": null, "run": {"flowId": "`+f.flow+`", "versionId": "`+f.version+`",
			"experimentId": null, "variant": "", "state": "LAPSED", "lastAt": "`+stamp(60)+`", "seconds": 0,
			"platform": "ios"}},
		{"startedAt": "`+stamp(0)+`", "session": null, "run": {"flowId": "`+f.flow+`", "versionId": "`+f.version+`",
			"experimentId": null, "variant": "", "state": "COMPLETED", "lastAt": "`+stamp(12.5)+`", "seconds": 12.5,
			"platform": "web"}}]`, asJSON(t, got.at(t, append(path, "nodes")...)))
	require.Equal(t, "4", asJSON(t, got.at(t, append(path, "totalCount")...)))
	got = timeline("ann", 3, got.at(t, append(path, "pageInfo", "endCursor")...))
	require.JSONEq(t, `[{"startedAt": "`+stamp(-1)+`", "run": null, "session": {"entry": "/", "exit": "/pricing",
		"views": 2, "events": 0, "seconds": 10, "source": "news", "channel": "Referral"}}]`,
		asJSON(t, got.at(t, append(path, "nodes")...)))
	require.Equal(t, false, got.at(t, append(path, "pageInfo", "hasNextPage")...))
	require.Equal(t, "1", asJSON(t, timeline("carl", 3, nil).at(t, append(path, "totalCount")...)), "somebody of runs alone")
	require.Equal(t, "0", asJSON(t, timeline("nobody", 3, nil).at(t, append(path, "totalCount")...)))
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}
