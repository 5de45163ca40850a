package resolvers_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFunnelsFollowVisitors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, owner := w.shop(), w.as("owner")
	number := func(text string) json.Number { return json.Number(text) }
	signUp := owner.text(`mutation($a: ID!) {
		createGoal(input: {appId: $a, name: "Sign up", condition: {event: {name: "sign_up"}}}) { id } }`,
		vars{"a": app}, "createGoal", "id")
	input := vars{
		"steps": []vars{
			{"name": "Home", "condition": vars{"page": vars{"name": "/"}}}, {"goalId": signUp},
		},
		"windowMinutes": 60,
	}
	reports := `query($a: ID!, $i: FunnelInput!, $s: ScopeInput!) { app(id: $a) { productAnalytics(scope: $s) {
		funnel(input: $i) { entered converted open rate medianSeconds p90Seconds steps { name entered fromPrevious fromFirst
			medianSeconds p90Seconds dropped open nothingNext next { kind name count } } }
		funnelSeries(input: $i) { bucket entered converted open rate }
		funnelBreakdown(input: $i, dimension: SOURCE) {
			rows { value country region entered converted open rate steps } other { value } }
		funnelVisitors(input: $i, step: 1) { totalCount nodes { appUserId } }
		open: funnelVisitors(input: $i, step: 1, outcome: OPEN) { totalCount nodes { appUserId } } } } }`
	got := w.as("viewer").must(reports, vars{"a": app, "i": input, "s": vars{}})
	report := func(path ...any) any { return got.at(t, append([]any{"app", "productAnalytics"}, path...)...) }
	// v1 saw the page yesterday and today: of two attempts that came as far the earlier counts.
	require.Equal(t, map[string]any{
		"name": "Home", "entered": number("2"), "fromPrevious": nil, "fromFirst": number("1"), "medianSeconds": nil,
		"p90Seconds": nil, "dropped": number("1"), "open": number("0"), "nothingNext": number("0"),
		"next": []any{map[string]any{"kind": "PAGE_VIEW", "name": "/pricing", "count": number("1")}},
	}, report("funnel", "steps", 0))
	require.Equal(t, "Sign up", report("funnel", "steps", 1, "name"), "the goal's, where the step has none")
	require.Equal(t, number("10"), report("funnel", "medianSeconds"))
	require.Equal(t, map[string]any{
		"value": "news", "country": "", "region": "", "entered": number("1"), "converted": number("1"), "open": number("0"),
		"rate": number("1"), "steps": []any{number("1"), number("1")},
	}, report("funnelBreakdown", "rows", 1))
	require.Len(t, report("funnelSeries"), 7)
	require.Equal(t, number("1"), report("funnelVisitors", "totalCount"))
	require.Equal(t, "v1", report("funnelVisitors", "nodes", 0, "appUserId"))
	require.Equal(t, number("0"), report("open", "totalCount"))

	// Steps after the first may lie after the range.
	end := time.Now().Add(-55 * time.Second)
	window := vars{"range": vars{"start": end.Add(-time.Minute), "end": end}}
	got = owner.must(reports, vars{"a": app, "i": input, "s": window})
	require.Equal(t, number("1"), report("funnel", "converted"))
	require.Equal(t, number("1"), report("funnel", "open"), "v1, who has an hour")
	require.Equal(t, "v1", report("open", "nodes", 0, "appUserId"))

	stored := owner.text(`mutation($a: ID!, $i: FunnelInput!) {
		createFunnel(input: {appId: $a, name: "Way in", funnel: $i}) { id definition app { id } } }`,
		vars{"a": app, "i": input}, "createFunnel", "id")
	list := owner.must(`query($a: ID!) { app(id: $a) { funnels { totalCount nodes { id name definition } } } }`,
		vars{"a": app})
	require.Equal(t, number("60"), list.at(t, "app", "funnels", "nodes", 0, "definition", "windowMinutes"))
	owner.must(`mutation($f: ID!) { updateFunnel(input: {id: $f, name: "Renamed"}) { name } }`, vars{"f": stored})
	owner.must(`mutation($f: ID!) { deleteFunnel(input: {id: $f}) }`, vars{"f": stored})

	for field, wrong := range map[string]vars{
		"input.steps":            {"steps": []vars{{"goalId": signUp}}},
		"input.steps[1]":         {"steps": []vars{{"goalId": signUp}, {}}},
		"input.steps[1].goalId":  {"steps": []vars{{"goalId": signUp}, {"goalId": app}}},
		"input.windowMinutes":    {"steps": input["steps"], "windowMinutes": 129_601},
		"input.exclusions[0]":    {"steps": input["steps"], "exclusions": []vars{{}}},
		"input.exclusions: must": {"steps": input["steps"], "exclusions": []vars{{}, {}, {}, {}, {}, {}}},
	} {
		refused := owner.do(`query($a: ID!, $i: FunnelInput!) { app(id: $a) { productAnalytics {
			funnel(input: $i) { entered } } } }`, vars{"a": app, "i": wrong})
		require.Equal(t, "invalid_input", refused.code(), field)
		require.Contains(t, refused.Errors[0].Message, field)
	}
}

// Whom a report of a funnel or of paths counts can be a segment, whose count is that of the report.
func TestSegmentsOfFunnelsAndPathsHaveWhomTheirReportsCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, owner := w.shop(), w.as("owner")
	page := func(name string) vars { return vars{"condition": vars{"page": vars{"name": name}}} }
	funnel := vars{"steps": []vars{page("/"), {"condition": vars{"event": vars{"name": "sign_up"}}}}, "windowMinutes": 60}
	anchor := vars{"kind": "PAGE", "name": "/"}
	got := owner.must(`query($a: ID!, $f: FunnelInput!, $p: PathsInput!) { app(id: $a) {
		productAnalytics(scope: {}) { funnelVisitors(input: $f, step: 1) { totalCount }
			paths(input: $p) { nodes { step kind name sessions } } } } }`,
		vars{"a": app, "f": funnel, "p": vars{"anchor": anchor}})
	estimate := func(where vars) json.Number {
		return owner.must(`query($a: ID!, $r: SegmentRulesInput!) { app(id: $a) {
			segmentEstimate(environment: LIVE, rules: $r, windowDays: 7) } }`,
			vars{"a": app, "r": vars{"where": where}}).at(t, "app", "segmentEstimate").(json.Number)
	}
	dropped := vars{"funnel": vars{"funnel": funnel, "step": 1}}
	require.Equal(t, got.at(t, "app", "productAnalytics", "funnelVisitors", "totalCount"), estimate(dropped))
	node := got.at(t, "app", "productAnalytics", "paths", "nodes", 1).(map[string]any)
	took := vars{"path": vars{"path": vars{"anchor": anchor}, "nodes": []vars{
		{"step": node["step"], "kind": node["kind"], "name": node["name"]},
	}}}
	require.Equal(t, node["sessions"], estimate(took), "each user here has one such session")

	stored := owner.must(`mutation($a: ID!, $r: SegmentRulesInput!) {
		createSegment(input: {appId: $a, name: "Lost", rules: $r, windowDays: 7}) { estimate rules } }`,
		vars{"a": app, "r": vars{"where": vars{"all": []vars{dropped, {"not": took}}}}})
	rules := stored.at(t, "createSegment", "rules").(map[string]any)
	again := owner.must(`query($a: ID!, $r: SegmentRulesInput!) { app(id: $a) {
		segmentEstimate(environment: LIVE, rules: $r, windowDays: 7) } }`, vars{"a": app, "r": rules})
	require.Equal(t, stored.at(t, "createSegment", "estimate"), again.at(t, "app", "segmentEstimate"),
		"what is stored can be asked again")

	many := make([]vars, 11)
	for i := range many {
		many[i] = dropped
	}
	for field, where := range map[string]vars{
		"where.funnel.step":                   {"funnel": vars{"funnel": funnel, "step": 3}},
		"where.funnel.funnel.steps":           {"funnel": vars{"funnel": vars{"steps": []vars{page("/")}}, "step": 1}},
		"where.funnel.funnel.steps[0].goalId": {"funnel": vars{"funnel": vars{"steps": []vars{{"goalId": app}, page("/")}}, "step": 1}},
		"where.path.nodes":                    {"path": vars{"path": vars{"anchor": anchor}, "nodes": []vars{}}},
		"where.path.nodes[0].step": {"path": vars{"path": vars{"anchor": anchor, "steps": 2}, "nodes": []vars{
			{"step": 3, "kind": "PAGE", "name": "/"},
		}}},
		"where.path.path.anchor": {"path": vars{"path": vars{"anchor": vars{"kind": "PAGE", "name": ""}}, "nodes": []vars{
			{"step": 1, "kind": "PAGE", "name": "/"},
		}}},
		"where.all[10].funnel.funnel": {"all": many},
	} {
		refused := owner.do(`query($a: ID!, $r: SegmentRulesInput!) { app(id: $a) {
			segmentEstimate(environment: LIVE, rules: $r) } }`, vars{"a": app, "r": vars{"where": where}})
		require.Equal(t, "invalid_input", refused.code(), field)
		require.Contains(t, refused.Errors[0].Message, field)
	}
}
