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

// The URL of a webhook of Slack is the secret of who manages the workspace: nothing gives it back.
func TestAlertsToSlack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, owner := w.shop(), w.as("owner")
	const create = `mutation($a: ID!, $n: String!, $u: String) {
		createAlert(input: {appId: $a, name: $n, slackUrl: $u, rule: {condition: {below: 5}}}) {
			id slackUrl slackDelivery { state reason at } } }`
	const update = `mutation($i: ID!, $u: String, $n: String) {
		updateAlert(input: {id: $i, slackUrl: $u, name: $n}) { name slackUrl } }`
	const url = "https://hooks.slack.com/services/T0/B0/secretWXYZ"
	made := owner.must(create, vars{"a": app, "n": "Few", "u": url})
	id := made.at(t, "createAlert", "id")
	require.Equal(t, "hooks.slack.com/…WXYZ", made.at(t, "createAlert", "slackUrl"))
	require.Nil(t, made.at(t, "createAlert", "slackDelivery"))

	// Who edits changes the rest of it, and learns no more than where it goes.
	editor := w.as("editor")
	require.Equal(t, "forbidden", editor.do(create, vars{"a": app, "n": "Mine", "u": url}).code())
	require.Equal(t, "forbidden", editor.do(update, vars{"i": id, "u": "https://example.com/mine"}).code())
	require.Equal(t, "forbidden", editor.do(update, vars{"i": id, "u": ""}).code())
	renamed := editor.must(update, vars{"i": id, "n": "Fewer"})
	require.Equal(t, "hooks.slack.com/…WXYZ", renamed.at(t, "updateAlert", "slackUrl"))
	require.NotEmpty(t, w.as("stranger").do(update, vars{"i": id, "u": url}).code())

	for _, wrong := range []string{"ftp://x.example", "https://a:b@hooks.slack.com/x", "https://", strings.Repeat("x", 9000)} {
		for _, query := range []string{create, update} {
			failed := owner.do(query, vars{"a": app, "n": "W", "i": id, "u": wrong})
			require.Equal(t, "invalid_input", failed.code(), wrong)
			require.Contains(t, failed.Errors[0].Message, "slackUrl: ")
		}
	}

	// What became of the latest message is told with it, also of many alerts at once.
	_, err := w.db.Pool.Exec(t.Context(), `insert into mail_outbox (id, purpose, key, workspace_id, state, error, created_at)
		select gen_random_uuid(), 'alert slack', l.id || ' ' || n, a.workspace_id, (array['sent', 'failed'])[n],
			(array['', 'the Slack channel is archived'])[n], now() + n * interval '1 second'
		from alerts l join environments e on e.id = l.environment_id join apps a on a.id = e.app_id,
			generate_series(1, 2) n where l.id = $1`, id)
	require.NoError(t, err)
	owner.must(create, vars{"a": app, "n": "Quiet", "u": nil})
	list := w.as("viewer").must(`query($a: ID!) { app(id: $a) { alerts { nodes { name slackUrl slackDelivery { state reason } } } } }`,
		vars{"a": app})
	require.Equal(t, []any{
		map[string]any{"name": "Fewer", "slackUrl": "hooks.slack.com/…WXYZ", "slackDelivery": map[string]any{
			"state": "FAILED", "reason": "the Slack channel is archived",
		}},
		map[string]any{"name": "Quiet", "slackUrl": "", "slackDelivery": nil},
	}, list.at(t, "app", "alerts", "nodes"))

	require.Empty(t, owner.must(update, vars{"i": id, "u": ""}).at(t, "updateAlert", "slackUrl"))
	var kept int
	require.NoError(t, w.db.Pool.QueryRow(t.Context(),
		`select count(*) from alerts where key_id is not null or sealed is not null`).Scan(&kept))
	require.Zero(t, kept)
	var told string
	require.NoError(t, w.db.Pool.QueryRow(t.Context(),
		`select string_agg(detail::text, ' ') from audit_entries where action like 'alert.%'`).Scan(&told))
	require.Contains(t, told, "hooks.slack.com/…WXYZ")
	require.NotContains(t, told, "secretWXYZ")
}
