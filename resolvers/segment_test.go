package resolvers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/people"
)

// Conditions choose the same people for an estimate of unsaved rules, for the stored segment, and for reports under it.
func TestSegmentsOfConditions(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	f.ingest(f.app,
		event{visitor: "ann", session: "s", name: "page_view", page: "/", at: f.at},
		event{visitor: "ann", session: "s", name: "buy", at: f.at},
		event{visitor: "bob", session: "s", name: "page_view", page: "/", at: f.at},
		event{visitor: "cid", session: "s", name: "page_view", page: "/", at: f.at},
	)
	f.runOf("bob", vars{"platform": "web"}, flowEvent{name: "flow_started"}, flowEvent{name: "flow_completed", after: 9})
	f.runOf("dan", vars{"platform": "web"}, flowEvent{name: "flow_started"})
	records := people.New(f.db.Pool, people.Options{})
	for _, id := range []string{"ann", "eve"} {
		_, err := records.Identify(t.Context(), people.Change{
			EnvironmentID: f.environment(f.app), AppUserID: id,
			Attributes: map[string]json.RawMessage{"plan": []byte(`"pro"`)},
		})
		require.NoError(t, err)
	}
	owner, viewer := f.as("owner"), f.as("viewer")
	for _, c := range []struct {
		where    string
		want     []string
		visitors int // of them, with sessions
	}{
		{`{attribute: {key: "plan", op: IS, texts: ["pro"]}}`, []string{"ann", "eve"}, 1},
		{`{not: {attribute: {key: "plan", op: EXISTS}}}`, []string{"bob", "cid"}, 2},
		{`{event: {name: "buy"}}`, []string{"ann"}, 1},
		{`{event: {name: "buy", properties: [{key: "plan", op: IS, texts: ["pro"]}]}}`, []string{"ann"}, 1},
		{`{event: {name: "buy", properties: [{key: "plan", op: IS_NOT, texts: ["pro"]}]}}`, nil, 0},
		{`{any: [{flow: {outcome: STARTED}}, {event: {name: "buy", withinDays: 1827}}]}`, []string{"ann", "bob", "dan"}, 2},
		{fmt.Sprintf(`{all: [{flow: {flowId: %q, outcome: COMPLETED}}, {seen: {which: LAST, withinDays: 2}}]}`, f.flow),
			[]string{"bob"}, 1},
	} {
		id := owner.text(`mutation($a: ID!) { createSegment(input: {appId: $a, name: "some", rules: {where: `+c.where+
			`}}) { id } }`, vars{"a": f.app}, "createSegment", "id")
		got := viewer.must(`query($a: ID!, $s: ID!) { segment(id: $s) { rules estimate members { totalCount nodes { appUserId } } }
			app(id: $a) { segmentEstimate(rules: {where: `+c.where+`})
				productAnalytics(scope: {segmentId: $s}) { summary { visitors } } } }`, vars{"a": f.app, "s": id})
		var ids []string
		for _, node := range got.at(t, "segment", "members", "nodes").([]any) {
			ids = append(ids, node.(map[string]any)["appUserId"].(string))
		}
		require.Equal(t, c.want, ids, c.where)
		count := fmt.Sprint(len(c.want))
		require.Equal(t, count, asJSON(t, got.at(t, "segment", "members", "totalCount")), c.where)
		require.Equal(t, count, asJSON(t, got.at(t, "segment", "estimate")), c.where)
		require.Equal(t, count, asJSON(t, got.at(t, "app", "segmentEstimate")), c.where)
		require.Equal(t, fmt.Sprint(c.visitors),
			asJSON(t, got.at(t, "app", "productAnalytics", "summary", "visitors")), c.where)
		require.NotNil(t, got.at(t, "segment", "rules", "where"))

		members := `query($s: ID!, $n: Int, $f: String) { segment(id: $s) { members(first: $n, after: $f) {
			nodes { appUserId } pageInfo { hasNextPage endCursor } } } }`
		if len(c.want) > 1 {
			first := viewer.must(members, vars{"s": id, "n": 1})
			require.Equal(t, true, first.at(t, "segment", "members", "pageInfo", "hasNextPage"))
			second := viewer.must(members, vars{"s": id, "n": 1,
				"f": first.at(t, "segment", "members", "pageInfo", "endCursor")})
			require.Equal(t, c.want[1], second.at(t, "segment", "members", "nodes", 0, "appUserId"))
		}
		require.Equal(t, "forbidden", f.keyed("viewer", "analytics:read").do(members, vars{"s": id}).code())
		require.Equal(t, "not_found", f.as("stranger").do(members, vars{"s": id}).code())

		reader := f.keyed("viewer", "analytics:read").do(`query($a: ID!) { app(id: $a) {
			segmentEstimate(rules: {where: `+c.where+`}) } }`, vars{"a": f.app})
		if strings.Contains(c.where, "attribute") {
			require.Equal(t, "forbidden", reader.code())
		} else {
			require.Equal(t, count, asJSON(t, reader.at(t, "app", "segmentEstimate")))
		}

		owner.must(`mutation($s: ID!) { deleteSegment(input: {id: $s}) }`, vars{"s": id})
		gone := viewer.do(`query($a: ID!, $s: ID!) { app(id: $a) { productAnalytics(scope: {segmentId: $s}) {
			summary { visitors } } } }`, vars{"a": f.app, "s": id})
		require.Equal(t, "invalid_input", gone.code())
	}
}

// Conditions that no editor makes by hand are refused with the field, however large they are.
func TestBadConditionsNameTheField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Plants")
	leaf := vars{"event": vars{"name": "buy"}}
	nested := leaf
	for range 5 {
		nested = vars{"not": nested}
	}
	long := strings.Repeat("a", 1024)
	many, texts := make([]any, 1000), make([]any, 64)
	for i := range many {
		many[i] = leaf
	}
	for i := range texts {
		texts[i] = long
	}
	event := func(more vars) vars {
		more["name"] = "buy"
		return vars{"event": more}
	}
	for field, where := range map[string]vars{
		"segment.where":                         {},
		"segment.where.not.not.not.not.not":     nested,
		"segment.where.all":                     {"all": []any{}},
		"segment.where.any[1].event.name":       {"any": []any{leaf, vars{"event": vars{"name": ""}}}},
		"segment.where.event.atLeast":           event(vars{"atLeast": 10_001}),
		"segment.where.event.withinDays":        event(vars{"withinDays": -1}),
		"segment.where.event.to":                event(vars{"from": time.Now()}),
		"segment.where.event.properties[0].key": event(vars{"properties": []any{vars{"key": "", "op": "EXISTS"}}}),
		"segment.where.attribute.number":        {"attribute": vars{"key": "k", "op": "MORE", "texts": []any{"a"}}},
		"segment.where.attribute.texts":         {"attribute": vars{"key": "k", "op": "CONTAINS", "texts": []any{""}}},
		"segment.where.person.op":               {"person": vars{"field": "EMAIL", "op": "LESS"}},
		"segment.where.seen":                    {"seen": vars{"which": "LAST"}},
		"segment.where.flow.answers[0].options": {"flow": vars{"outcome": "STARTED",
			"answers": []any{vars{"field": "goal", "options": []any{}}}}},
		"segment.where.money.usd":        {"money": vars{"kind": "REVENUE"}},
		"segment.where.money.withinDays": {"money": vars{"kind": "TRIALING", "withinDays": 3}},
	} {
		got := w.as("owner").do(`query($a: ID!, $w: SegmentCondition!) { app(id: $a) { segmentEstimate(rules: {where: $w}) } }`,
			vars{"a": app, "w": where})
		require.Equal(t, "invalid_input", got.code(), field)
		require.Contains(t, asJSON(t, got.Errors), fmt.Sprintf("%q", field))
	}
	for _, where := range []vars{{"all": many}, {"attribute": vars{"key": "k", "op": "IS", "texts": texts}}} {
		got := w.as("owner").do(`mutation($a: ID!, $w: SegmentCondition!) {
			createSegment(input: {appId: $a, name: "large", rules: {where: $w}}) { id } }`, vars{"a": app, "w": where})
		require.Equal(t, "invalid_input", got.code())
		require.Contains(t, asJSON(t, got.Errors), `"segment.where"`)
	}
}
