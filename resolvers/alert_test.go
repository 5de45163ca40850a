package resolvers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAlertsAreOfTheirEnvironment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, owner := w.shop(), w.as("owner")
	create := `mutation($a: ID!, $n: String!, $r: AlertRuleInput!) {
		createAlert(input: {appId: $a, name: $n, rule: $r}) { id environment { kind } rule state { firing since judged } } }`
	few := vars{"condition": vars{"below": 5}, "cross": vars{"page": vars{"values": []string{"/"}}}, "platform": "WEB"}
	made := owner.must(create, vars{"a": app, "n": "<b>Few</b>", "r": few})
	id := made.at(t, "createAlert", "id").(string)
	require.Equal(t, "LIVE", made.at(t, "createAlert", "environment", "kind"))
	require.Equal(t, false, made.at(t, "createAlert", "state", "firing"))
	rule := made.at(t, "createAlert", "rule").(map[string]any)
	require.Equal(t, map[string]any{"page": map[string]any{"op": "IS", "values": []any{"/"}}}, rule["cross"])

	// What is given back can be given again, and says what would have been.
	preview := `query($a: ID!, $r: AlertRuleInput!) { app(id: $a) { alertPreview(rule: $r) {
		points { start value low high breach } firings { start end } } } }`
	got := w.as("viewer").must(preview, vars{"a": app, "r": rule})
	points := got.at(t, "app", "alertPreview", "points").([]any)
	require.InDelta(t, 90*24, len(points), 25)
	require.Len(t, got.at(t, "app", "alertPreview", "firings"), 1)
	require.Equal(t, json.Number("5"), points[0].(map[string]any)["low"])
	silent := owner.must(preview, vars{"a": app, "r": vars{"condition": vars{"silent": vars{"minutes": 60}}}})
	require.Len(t, silent.at(t, "app", "alertPreview", "firings"), 1, "between yesterday and now")

	// Others neither see nor change it, nor look into the app by a rule.
	for _, c := range []*client{w.as("stranger"), w.as("anonymous")} {
		require.NotEmpty(t, c.do(preview, vars{"a": app, "r": few}).code())
		require.NotEmpty(t, c.do(`mutation($i: ID!) { deleteAlert(input: {id: $i}) }`, vars{"i": id}).code())
		require.NotEmpty(t, c.do(`mutation($i: ID!) { updateAlert(input: {id: $i, paused: true}) { id } }`, vars{"i": id}).code())
	}
	require.Equal(t, "forbidden", w.as("viewer").do(create, vars{"a": app, "n": "V", "r": few}).code())
	other := w.app("Other")
	goal := owner.text(`mutation($a: ID!) { createGoal(input: {appId: $a, name: "G", condition: {event: {name: "sign_up"}}}) {
		id } }`, vars{"a": app}, "createGoal", "id")
	ofGoal := vars{"metric": "CONVERSIONS", "goalId": goal, "condition": vars{"above": 10}}
	require.Contains(t, owner.do(create, vars{"a": other, "n": "G", "r": ofGoal}).Errors[0].Message, "rule.goalId")
	owner.must(create, vars{"a": app, "n": "G", "r": ofGoal})
	owner.must(preview, vars{"a": app, "r": ofGoal})
	kept := owner.do(`mutation($g: ID!) { deleteGoal(input: {id: $g}) }`, vars{"g": goal})
	require.Equal(t, "conflict", kept.code())

	// Errors name their field, and rules have a size.
	for field, wrong := range map[string]vars{
		"rule.condition": {"condition": vars{}}, "rule.timeZone": {"timeZone": "Mars", "condition": vars{"above": 1}},
		"rule.grain": {"grain": "WEEK", "condition": vars{"above": 1}},
		"rule.of":    {"of": 25, "condition": vars{"above": 1}},
		"cross.page": {"condition": vars{"above": 1}, "cross": vars{"page": vars{
			"values": strings.Split(strings.Repeat("x", 5000), ""),
		}}},
		"rule": {"condition": vars{"above": 1}, "cross": vars{"page": vars{
			"values": strings.Split(strings.Repeat(strings.Repeat("y", 900)+" ", 20), " ")[:20],
		}}},
	} {
		for _, query := range []string{preview, create} {
			failed := owner.do(query, vars{"a": app, "n": "W", "r": wrong})
			require.Equal(t, "invalid_input", failed.code(), field)
			require.Contains(t, failed.Errors[0].Message, field+": ", field)
		}
	}
	require.Equal(t, "invalid_input", owner.do(create, vars{"a": app, "n": "G", "r": few}).code(), "a name that is there")

	// Another rule starts it anew; pausing keeps where it stands.
	owner.must(`mutation($i: ID!, $r: AlertRuleInput) {
		updateAlert(input: {id: $i, rule: $r, name: "Many", paused: true}) { name paused rule } }`,
		vars{"i": id, "r": vars{"condition": vars{"above": 7}}})
	owner.must(`mutation($i: ID!) { updateAlert(input: {id: $i, paused: false}) { name paused } }`, vars{"i": id})
	for i := range 98 {
		owner.must(create, vars{"a": app, "n": fmt.Sprint(i), "r": few})
	}
	full := owner.do(create, vars{"a": app, "n": "one more", "r": few})
	require.Contains(t, full.Errors[0].Message, "has 100 alerts already")
	owner.must(`mutation($i: ID!) { deleteAlert(input: {id: $i}) }`, vars{"i": id})
	require.Equal(t, json.Number("99"),
		owner.must(`query($a: ID!) { app(id: $a) { alerts { totalCount } } }`, vars{"a": app}).at(t, "app", "alerts", "totalCount"))
}
