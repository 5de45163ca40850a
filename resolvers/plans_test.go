package resolvers_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// operator returns a program with the operator's key.
func (w *world) operator() *client { return &client{w: w, http: &http.Client{}, key: operatorKey} }

const (
	savePlan           = `mutation($i: SavePlanInput!) { savePlan(input: $i) { key name features activeApps liveUsers } }`
	changeSubscription = `mutation($i: ChangeSubscriptionInput!) {
		changeSubscription(input: $i) { workspace { id } plan { key } status pastDueSince } }`
)

// Plans are the operator's: nobody else reads or changes them, and the operator enters no workspace.
func TestOnlyTheOperatorManagesPlans(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for role, code := range map[string]string{
		"owner": "forbidden", "viewer": "forbidden", "anonymous": "unauthenticated",
	} {
		for document, variables := range map[string]vars{
			`{ plans { key } }`: nil, `{ subscriptions { totalCount } }`: nil,
			savePlan:           {"i": vars{"key": "free", "name": "Free", "features": []string{}}},
			changeSubscription: {"i": vars{"workspaceId": w.workspace, "plan": "self_hosted"}},
		} {
			require.Equal(t, code, w.as(role).do(document, variables).code(), role, document)
		}
	}
	wrong := &client{w: w, http: &http.Client{}, key: operatorKey + "0"}
	require.Equal(t, "unauthenticated", wrong.do(`{ plans { key } }`, nil).code())

	operator := w.operator()
	entered := operator.do(`query($w: ID!) { workspace(id: $w) { name } }`, vars{"w": w.workspace})
	require.Equal(t, "not_found", entered.code())
	require.Equal(t, "forbidden", operator.do(`mutation { createWorkspace(input: {name: "Mine"}) { id } }`, nil).code())

	saved := operator.must(savePlan, vars{"i": vars{
		"key": "indie", "name": "Indie", "features": []string{"motion", "motion"}, "activeApps": 1, "liveUsers": 400,
	}})
	require.Equal(t, []any{"motion"}, saved.at(t, "savePlan", "features"))
	require.EqualValues(t, "400", fmt.Sprint(saved.at(t, "savePlan", "liveUsers")))
	for field, input := range map[string]vars{
		"key":        {"key": "self_hosted", "name": "Mine", "features": []string{}},
		"name":       {"key": "indie", "name": " ", "features": []string{}},
		"features.0": {"key": "indie", "name": "Indie", "features": []string{"magic"}},
		"liveUsers":  {"key": "indie", "name": "Indie", "features": []string{}, "liveUsers": -1},
	} {
		refused := operator.do(savePlan, vars{"i": input})
		require.Equal(t, "invalid_input", refused.code(), field)
		require.Equal(t, field, refused.Errors[0].Extensions["field"])
	}
	changed := operator.must(changeSubscription, vars{"i": vars{"workspaceId": w.workspace, "plan": "indie"}})
	require.Equal(t, "indie", changed.at(t, "changeSubscription", "plan", "key"))
	require.Equal(t, w.workspace, changed.at(t, "changeSubscription", "workspace", "id"))
	require.Equal(t, "invalid_input",
		operator.do(changeSubscription, vars{"i": vars{"workspaceId": w.workspace, "plan": "none"}}).code())
	require.Equal(t, "not_found", operator.do(changeSubscription, vars{"i": vars{
		"workspaceId": "00000000-0000-0000-0000-000000000001", "plan": "indie",
	}}).code())
	listed := operator.must(`{ subscriptions { totalCount nodes { plan { key } status workspace { name } } } }`, nil)
	require.Equal(t, "Acme", listed.at(t, "subscriptions", "nodes", 0, "workspace", "name"))
	audit := w.as("owner").must(
		`query($w: ID!) { workspace(id: $w) { auditLog(first: 1) { nodes { action user { id } } } } }`,
		vars{"w": w.workspace},
	)
	require.Equal(t, "plan.change", audit.at(t, "workspace", "auditLog", "nodes", 0, "action"))
	require.Nil(t, audit.at(t, "workspace", "auditLog", "nodes", 0, "user"))
}

// What a plan lacks is said with its name, the field and the place: what is cut from what is served when it is
// published, and what is refused.
func TestAPlanLimitsWhatIsPublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, operator, editor := w.app("Shop"), w.operator(), w.as("editor")
	w.as("admin").must(`mutation($a: ID!) { updateIntegrations(input: {appId: $a, stripe: {enabled: true}}) { id } }`,
		vars{"a": app})
	operator.must(savePlan, vars{"i": vars{"key": "indie", "name": "Indie", "features": []string{}, "activeApps": 1}})
	operator.must(changeSubscription, vars{"i": vars{"workspaceId": w.workspace, "plan": "indie"}})
	var draft map[string]any
	require.NoError(t, json.Unmarshal([]byte(publishable), &draft))
	draft["locales"] = []any{"en", "de"}
	draft["externalSurfaceNodes"] = []any{map[string]any{
		"id": "surf_a", "config": map[string]any{"provider": "headless"}, "outcomes": map[string]any{},
		"fallback": draft["screens"].([]any)[0].(map[string]any)["id"],
	}}
	flow := editor.text(`mutation($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "F", manifest: $m}) { id } }`,
		vars{"a": app, "m": draft}, "createFlow", "id")
	const publish = `mutation($f: ID!) { publishFlow(input: {id: $f}) { version { number } } }`
	refused := editor.do(publish, vars{"f": flow})
	require.Equal(t, "publish_blocked", refused.code())
	require.Contains(t, refused.Errors[0].Extensions["problems"], map[string]any{
		"severity": "error", "code": "plan.integrations", "pointer": "/externalSurfaceNodes",
		"message": "The plan has no paywalls and app screens of others.", "hint": "Remove them, or change the plan.",
	})
	problems := editor.must(`query($f: ID!) { flow(id: $f) { problems { code severity pointer message } } }`,
		vars{"f": flow}).at(t, "flow", "problems")
	require.Contains(t, problems, map[string]any{
		"severity": "WARNING", "code": "plan.translations", "pointer": "/locales",
		"message": "The plan indie has no translations: only en will be served.",
	})
	for _, beyond := range []struct{ role, query, code, field, says string }{
		{"admin", `mutation($w: ID!) { createApp(input: {workspaceId: $w, name: "Second"}) { id } }`,
			"plan_limit_reached", "workspaceId", "the plan indie includes 1 active apps"},
		{"editor", `mutation($c: ChannelID!) { createExperiment(input: {channelId: $c, name: "X"}) { id } }`,
			"plan_feature_missing", "channelId", "the plan indie does not include experiments"},
		{"admin", `mutation($a: ID!) { createRevenueSource(input: {appId: $a, provider: STRIPE, name: "S"}) { secret } }`,
			"plan_feature_missing", "provider", "the plan indie does not include integrations"},
		{"admin", `mutation($a: ID!) { updateIntegrations(input: {appId: $a, superwall: {enabled: true}}) { id } }`,
			"plan_feature_missing", "superwall.enabled", "the plan indie does not include integrations"},
	} {
		got := w.as(beyond.role).do(beyond.query, vars{"w": w.workspace, "a": app, "c": w.channel(app)})
		require.Equal(t, beyond.code, got.code(), beyond.query)
		require.Equal(t, beyond.field, got.Errors[0].Extensions["field"], beyond.query)
		require.Contains(t, got.Errors[0].Message, beyond.says)
	}
	operator.must(changeSubscription, vars{"i": vars{"workspaceId": w.workspace, "plan": "self_hosted"}})
	left := editor.do(publish, vars{"f": flow})
	for _, e := range left.Errors {
		require.NotContains(t, fmt.Sprint(e.Extensions["problems"]), "plan.", "self_hosted has everything")
	}
}

// A server that sells no plans says nothing of any but the name of that which has everything.
func TestWithoutPlansNothingIsSaidOfThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.app("Shop")
	for _, role := range []string{"owner", "viewer"} {
		of := w.as(role).must(`query($w: ID!) { workspace(id: $w) { plan { key } usage {
			liveUsers liveUsersLimit appsLimit pause pastDueSince graceDaysLeft } } }`, vars{"w": w.workspace}).
			at(t, "workspace")
		require.Equal(t, map[string]any{"plan": map[string]any{"key": "self_hosted"}, "usage": map[string]any{
			"liveUsers": nil, "liveUsersLimit": nil, "appsLimit": nil, "pause": nil, "pastDueSince": nil, "graceDaysLeft": nil,
		}}, of, role)
	}
}

const usageQuery = `query($w: ID!, $m: String) { workspace(id: $w) { usage(month: $m) {
	month liveUsers liveUsersLimit events apps appsLimit experiments pause pastDueSince graceDaysLeft
	days { day liveUsers newLiveUsers events } byApp { name liveUsers events } } } }`

func TestUsageOfAWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.now = time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	shop, blog := w.app("Shop"), w.app("Blog")
	ask := func(role string, variables vars) answer {
		variables["w"] = w.workspace
		return w.as(role).do(usageQuery, variables)
	}
	none := ask("viewer", vars{})
	require.Equal(t, "2026-03", none.at(t, "workspace", "usage", "month"))
	require.Nil(t, none.at(t, "workspace", "usage", "liveUsers"), "without a limit nobody is counted")
	require.Len(t, none.at(t, "workspace", "usage", "days"), 3)
	require.Equal(t, "not_found", ask("stranger", vars{}).code())
	for _, month := range []string{"2026-04", "March", "2026-3"} {
		require.Equal(t, "month", ask("owner", vars{"m": month}).Errors[0].Extensions["field"], month)
	}

	operator := w.operator()
	operator.must(savePlan, vars{"i": vars{"key": "indie", "name": "Indie", "features": []string{}, "liveUsers": 5}})
	operator.must(changeSubscription, vars{"i": vars{"workspaceId": w.workspace, "plan": "indie"}})
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := w.db.Pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	for _, day := range []struct {
		app, kind, day string
		people, events int
	}{
		{shop, "live", "2026-02-28", 9, 90}, {shop, "live", "2026-03-01", 2, 20}, {blog, "live", "2026-03-01", 1, 0},
		{shop, "live", "2026-03-03", 3, 7}, {shop, "test", "2026-03-03", 50, 500},
	} {
		exec(`insert into live_user_day select id, $3, $4 from environments where app_id = $1 and kind = $2`,
			day.app, day.kind, day.day, day.people)
		exec(`insert into ingest_stat (environment_id, path, hour, accepted)
			select id, path, $3::timestamptz + make_interval(hours => 23), $4
			from environments, unnest(array[1, 2]) path where app_id = $1 and kind = $2`,
			day.app, day.kind, day.day+" 00:00Z", day.events)
	}
	exec(`insert into live_user_total values ($1, '2026-02-01', 9), ($1, '2026-03-01', 6)`, w.workspace)
	report := ask("viewer", vars{})
	at := func(path ...any) string {
		t.Helper()
		return fmt.Sprint(report.at(t, append([]any{"workspace", "usage"}, path...)...))
	}
	require.Equal(t, "6", at("liveUsers"))
	require.Equal(t, "5", at("liveUsersLimit"))
	require.Equal(t, "54", at("events"))
	require.Equal(t, "2", at("apps"))
	require.Equal(t, "plan_limit_reached", at("pause"))
	require.Equal(t, []string{"3", "3", "6"}, []string{
		at("days", 0, "liveUsers"), at("days", 1, "liveUsers"), at("days", 2, "liveUsers"),
	})
	require.Equal(t, "3", at("days", 2, "newLiveUsers"))
	require.Equal(t, "14", at("days", 2, "events"))
	require.Equal(t, "Blog 1 0", at("byApp", 0, "name")+" "+at("byApp", 0, "liveUsers")+" "+at("byApp", 0, "events"))
	require.Equal(t, "Shop 5 54", at("byApp", 1, "name")+" "+at("byApp", 1, "liveUsers")+" "+at("byApp", 1, "events"))

	report = ask("viewer", vars{"m": "2026-02"})
	require.Equal(t, "9", at("liveUsers"))
	require.Equal(t, "<nil>", at("pause"), "a past month pauses nothing")
	require.Len(t, report.at(t, "workspace", "usage", "days"), 28)

	operator.must(savePlan, vars{"i": vars{"key": "indie", "name": "Indie", "features": []string{}}})
	for since, want := range map[string]string{
		"2026-03-03T12:00:00Z": "14 <nil>", "2026-02-17T12:00:01Z": "1 <nil>",
		"2026-02-17T11:59:59Z": "0 subscription_past_due",
	} {
		operator.must(changeSubscription, vars{"i": vars{
			"workspaceId": w.workspace, "status": "PAST_DUE", "pastDueSince": since,
		}})
		report = ask("viewer", vars{})
		require.Equal(t, want, at("graceDaysLeft")+" "+at("pause"), since)
	}
	operator.must(changeSubscription, vars{"i": vars{"workspaceId": w.workspace, "status": "ACTIVE"}})
	report = ask("viewer", vars{})
	require.Equal(t, "<nil> <nil>", at("graceDaysLeft")+" "+at("pastDueSince"))
}
