package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/manifest/examples"
)

// flowWorld is a world with one flow whose events tests send.
type flowWorld struct {
	*world
	app, flow, version, channel string
	channelID                   int64
	at                          time.Time // an hour ago
}

func newFlowWorld(t *testing.T) *flowWorld {
	t.Helper()
	f := &flowWorld{world: newWorld(t), at: time.Now().UTC().Truncate(time.Second).Add(-time.Hour)}
	f.app = f.world.app("Plants")
	manifest, err := examples.Files.ReadFile("branching-onboarding.json")
	require.NoError(t, err)
	f.flow = f.as("owner").text(`mutation($a: ID!, $m: JSON) { createFlow(input: {appId: $a, name: "Flow", manifest: $m}) { id } }`,
		vars{"a": f.app, "m": json.RawMessage(manifest)}, "createFlow", "id")
	f.version = f.publish(f.flow)
	f.channel = f.world.channel(f.app)
	found, err := f.db.Ent().Channel.Query().Only(context.Background())
	require.NoError(t, err)
	f.channelID = found.ID
	return f
}

// flowEvent is a flow event as a client sends it, after seconds from the world's time.
type flowEvent struct {
	name, step string
	after      float64
	properties vars
	more       vars
}

func answered(name, step, field, value string, after float64) flowEvent {
	return flowEvent{name: name, step: step, after: after, properties: vars{"field_key": field, "value": value}}
}

// runOf sends the events of a run and returns its id; context is what each says of its client.
func (f *flowWorld) runOf(person string, context vars, events ...flowEvent) string {
	f.t.Helper()
	id := uuid.NewString()
	list := []vars{}
	for i, e := range events {
		sent := vars{
			"eventId": uuid.NewString(), "name": e.name, "flowId": f.flow, "versionId": f.version, "runId": id, "seq": i,
			"timestamp": f.at.Add(time.Duration(e.after * float64(time.Second))).Format("2006-01-02T15:04:05.000Z"),
			"identity":  vars{"appUserId": person, "sessionId": "s"}, "context": context,
		}
		if e.step != "" {
			sent["stepId"] = e.step
		}
		if e.properties != nil {
			sent["properties"] = e.properties
		}
		for key, value := range e.more {
			sent[key] = value
		}
		list = append(list, sent)
	}
	f.send(list)
	return id
}

func (f *flowWorld) send(list []vars) {
	f.t.Helper()
	body, err := json.Marshal(vars{"events": list})
	require.NoError(f.t, err)
	got, err := f.writer.Flow(context.Background(), body, ingest.Request{
		EnvironmentID: f.environment(f.app), ChannelID: f.channelID, ReceivedAt: time.Now(),
	})
	require.NoError(f.t, err)
	require.Empty(f.t, got.Rejected)
}

const responsesQuery = `query($s: FlowAnalyticsScope!) { flowAnalytics(scope: $s) { responses(first: 100) { runs complete totalCount
	nodes { fieldKey stepId kind answered skipped redacted unreadable distinct
		choices { value people share } spread { min p25 median p75 max mean } buckets { from to people }
		months { value people } texts { value people share } } } } }`

// responsesOf returns what people answered, by field.
func (f *flowWorld) responsesOf(scope vars) map[string]map[string]any {
	f.t.Helper()
	scope["flowId"] = f.flow
	got := f.keyed("viewer", "analytics:read").must(responsesQuery, vars{"s": scope})
	fields := map[string]map[string]any{}
	nodes, _ := got.at(f.t, "flowAnalytics", "responses", "nodes").([]any)
	for _, node := range nodes {
		field, _ := node.(map[string]any)
		fields[fmt.Sprint(field["fieldKey"])] = field
	}
	return fields
}

// shares writes a list of shares as value:people.
func shares(list any) (texts []string) {
	entries, _ := list.([]any)
	for _, entry := range entries {
		share, _ := entry.(map[string]any)
		texts = append(texts, fmt.Sprintf("%v:%v", share["value"], share["people"]))
	}
	return texts
}

func TestResponsesCountThePeopleByTheirLastAnswer(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	web := vars{"platform": "web", "locale": "en-GB", "customProperties": vars{"tier": "gold"}}
	f.runOf("a", web,
		flowEvent{name: "flow_started"},
		answered("choice_selected", "scr_goal", "goal", "opt_x", 1),
		flowEvent{name: "step_completed", step: "scr_goal", after: 2},
		answered("choice_selected", "scr_symptoms", "symptoms", "dry", 3),
		answered("choice_selected", "scr_symptoms", "symptoms", "wet", 3),
		flowEvent{name: "step_completed", step: "scr_symptoms", after: 4},
		answered("text_submitted", "scr_rooms", "brightness", "3", 5),
		answered("text_submitted", "scr_size", "plant_count", "7", 6),
		answered("text_submitted", "scr_birth", "start_year", "2026-03-05", 7),
		answered("text_submitted", "scr_contact", "call_consent", "true", 8),
		answered("text_submitted", "scr_email", "permission:notifications", "granted", 9),
		flowEvent{name: "text_submitted", step: "scr_email", after: 10, properties: vars{"field_key": "email", "value": "a@b.c"},
			more: vars{"fieldClassification": "sensitive"}},
	)
	// Who answers again is counted with the last answer, of a multiple choice with its last options alone.
	f.runOf("a", web, flowEvent{name: "flow_started", after: 100},
		answered("choice_selected", "scr_goal", "goal", "opt_y", 101),
		flowEvent{name: "step_completed", step: "scr_goal", after: 102},
		answered("choice_selected", "scr_symptoms", "symptoms", "dry", 103),
		flowEvent{name: "step_completed", step: "scr_symptoms", after: 104},
		answered("text_submitted", "scr_size", "plant_count", "many", 105),
	)
	f.runOf("b", vars{"platform": "ios", "locale": "de"}, flowEvent{name: "flow_started"},
		answered("choice_selected", "scr_goal", "goal", "opt_y", 1),
		flowEvent{name: "step_completed", step: "scr_goal", after: 2},
		flowEvent{name: "step_skipped", step: "scr_symptoms", after: 3},
		answered("text_submitted", "scr_rooms", "brightness", "5", 4),
		answered("text_submitted", "scr_size", "plant_count", "2.5", 5),
		answered("text_submitted", "scr_x", "note", "hello", 6),
		answered("text_submitted", "scr_x", "app_review:lyr", "dismissed", 7),
		flowEvent{name: "step_skipped", step: "scr_email", after: 8, properties: vars{"field_key": "email", "empty_capture": true}},
	)
	f.runOf("c", vars{"platform": "ios"}, flowEvent{name: "flow_started"}, answered("text_submitted", "scr_x", "note", "hello", 1))

	all := f.responsesOf(vars{})
	number := func(field, name string) string { return fmt.Sprint(all[field][name]) }
	require.Equal(t, []string{"opt_y:2"}, shares(all["goal"]["choices"]))
	require.Equal(t, []string{"dry:1"}, shares(all["symptoms"]["choices"]), "of the last answer, not of both runs")
	require.Equal(t, "1", number("symptoms", "skipped"), "a skip that names no field passes those of its step")
	require.Equal(t, "CHOICE", all["symptoms"]["kind"])
	require.Equal(t, "SCALE", all["brightness"]["kind"])
	require.Equal(t, "scr_rooms", all["brightness"]["stepId"])
	require.Equal(t, map[string]any{
		"min": json.Number("3"), "p25": json.Number("3"), "median": json.Number("3"), "p75": json.Number("5"),
		"max": json.Number("5"), "mean": json.Number("4"),
	}, all["brightness"]["spread"])
	require.Len(t, all["brightness"]["buckets"], 3)
	require.Equal(t, "1", number("plant_count", "unreadable"), "many is no number")
	require.Equal(t, "DATE", all["start_year"]["kind"])
	require.Equal(t, []string{"2026-03:1"}, shares(all["start_year"]["months"]))
	require.Equal(t, []string{"true:1"}, shares(all["call_consent"]["choices"]))
	require.Equal(t, []string{"granted:1"}, shares(all["permission:notifications"]["choices"]))
	require.Equal(t, []string{"dismissed:1"}, shares(all["app_review:lyr"]["choices"]))
	require.Equal(t, []string{"hello:2"}, shares(all["note"]["texts"]))
	require.Equal(t, "1", number("note", "distinct"))
	require.Equal(t, []string{"1", "1", "1", "0"}, []string{
		number("email", "answered"), number("email", "redacted"), number("email", "skipped"), number("email", "distinct"),
	})
	require.Empty(t, all["email"]["texts"])
	require.Equal(t, "0", number("shipping", "answered"), "a field that nobody answered is listed")

	for name, c := range map[string]struct {
		scope vars
		want  []string
	}{
		"platform":        {vars{"platform": "MOBILE"}, []string{"opt_y:1"}},
		"language":        {vars{"filters": vars{"language": vars{"values": []string{"en"}}}}, []string{"opt_y:1"}},
		"not a locale":    {vars{"filters": vars{"locale": vars{"op": "IS_NOT", "values": []string{"en-GB", "de"}}}}, nil},
		"custom property": {vars{"customProperty": vars{"key": "tier", "values": []string{"gold"}}}, []string{"opt_y:1"}},
		"version":         {vars{"versions": []string{f.version}}, []string{"opt_y:2"}},
		"channel":         {vars{"channels": []string{f.channel}}, []string{"opt_y:2"}},
		"range of the first runs": {
			vars{"range": vars{"start": f.at, "end": f.at.Add(time.Minute)}}, []string{"opt_x:1", "opt_y:1"},
		},
	} {
		require.Equal(t, c.want, shares(f.responsesOf(c.scope)["goal"]["choices"]), name)
	}
	// What names nothing is an error: zeros would be believed.
	nothing := uuid.NewString()
	for message, named := range map[string]vars{
		"versions: the flow has no version " + nothing:          {"versions": []string{f.version, nothing}},
		"experimentId: the app has no experiment " + nothing:    {"experimentId": nothing},
		"channels: the environment has no channel ch_live_none": {"channels": []string{"ch_live_none"}},
	} {
		named["flowId"] = f.flow
		refused := f.as("viewer").do(
			`query($s: FlowAnalyticsScope!) { flowAnalytics(scope: $s) { overview { starts } } }`, vars{"s": named})
		require.Len(t, refused.Errors, 1, message)
		require.Contains(t, refused.Errors[0].Message, message)
		if message[0] != 'c' {
			require.Equal(t, "not_found", refused.Errors[0].code(), message)
		}
	}
}

const recentQuery = `query($s: FlowAnalyticsScope!, $first: Int, $after: String) { flowAnalytics(scope: $s) {
	recent(first: $first, after: $after) { pageInfo { hasNextPage endCursor } nodes { id appUserId customUserId startedAt
		state hasStart versionId channelId platform locale customProperties path { stepId seconds } } } } }`

func TestRecentRunsAndOneWithAllItsEvents(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	f.runOf("done", vars{"platform": "web", "customProperties": vars{"tier": "gold"}}, flowEvent{name: "flow_started"},
		flowEvent{name: "step_viewed", step: "scr_goal", after: 1, more: vars{"fromStepId": nil}},
		answered("choice_selected", "scr_goal", "goal", "opt_x", 2),
		flowEvent{name: "step_viewed", step: "scr_email", after: 3.5, more: vars{"fromStepId": "scr_goal"}},
		flowEvent{name: "text_submitted", step: "scr_email", after: 4, properties: vars{"field_key": "email", "value": "a@b.c"},
			more: vars{"fieldClassification": "sensitive"}},
		flowEvent{name: "flow_completed", after: 5},
	)
	f.runOf("left", vars{"platform": "ios"}, flowEvent{name: "flow_started", after: 60},
		flowEvent{name: "flow_abandoned", after: 61})
	f.runOf("lost", vars{"platform": "ios"}, flowEvent{name: "step_viewed", step: "scr_goal", after: 120})
	f.runOf("here", vars{"platform": "ios"}, flowEvent{name: "flow_started", after: 3540})
	f.ingest(f.app, event{visitor: "done", session: "s", name: "page_view", page: "/", at: f.at, customUser: "u-1"})

	reader := f.keyed("viewer", "analytics:read")
	var people, states []string
	var done map[string]any
	after := any(nil)
	for {
		got := reader.must(recentQuery, vars{"s": vars{"flowId": f.flow}, "first": 1, "after": after})
		nodes, _ := got.at(t, "flowAnalytics", "recent", "nodes").([]any)
		for _, node := range nodes {
			run, _ := node.(map[string]any)
			people, states = append(people, fmt.Sprint(run["appUserId"])), append(states, fmt.Sprint(run["state"]))
			done = run
		}
		if got.at(t, "flowAnalytics", "recent", "pageInfo", "hasNextPage") == false {
			break
		}
		after = got.at(t, "flowAnalytics", "recent", "pageInfo", "endCursor")
	}
	require.Equal(t, []string{"here", "lost", "left", "done"}, people)
	require.Equal(t, []string{"OPEN", "LAPSED", "ABANDONED", "COMPLETED"}, states)
	require.Equal(t, "u-1", done["customUserId"])
	require.Equal(t, map[string]any{"tier": "gold"}, done["customProperties"])
	require.Equal(t, f.channel, done["channelId"])
	require.Equal(t, []any{
		map[string]any{"stepId": "scr_goal", "seconds": json.Number("2.5")},
		map[string]any{"stepId": "scr_email", "seconds": json.Number("1.5")},
	}, done["path"])

	filtered := reader.must(recentQuery, vars{"s": vars{"flowId": f.flow, "platform": "WEB"}})
	require.Len(t, filtered.at(t, "flowAnalytics", "recent", "nodes"), 1)

	one := reader.must(`query($s: FlowAnalyticsScope!, $id: String!) { flowAnalytics(scope: $s) { run(id: $id) { run { appUserId }
		hits { name seq stepId fromStepId eventId properties } } } }`, vars{"s": vars{"flowId": f.flow}, "id": done["id"]})
	hits := one.at(t, "flowAnalytics", "run", "hits")
	require.Len(t, hits, 6)
	require.Equal(t, "", one.at(t, "flowAnalytics", "run", "hits", 1, "fromStepId"))
	require.Nil(t, one.at(t, "flowAnalytics", "run", "hits", 0, "fromStepId"))
	require.Equal(t, "scr_goal", one.at(t, "flowAnalytics", "run", "hits", 3, "fromStepId"))
	require.Equal(t, map[string]any{"field_key": "goal", "value": "opt_x"},
		one.at(t, "flowAnalytics", "run", "hits", 2, "properties"))
	require.Equal(t, "__redacted__", one.at(t, "flowAnalytics", "run", "hits", 4, "properties", "value"))
	require.Nil(t, one.at(t, "flowAnalytics", "run", "hits", 5, "properties"))
}

// everyFlowReport asks for every report of a flow once.
const everyFlowReport = `fragment all on FlowAnalytics {
	range { start timeZone }
	overview { starts runs completions completionRate completed abandoned lapsed open timeToComplete { n p25 median p75 }
		paywallViewers purchases trials conversionRate claimed gross revenue revenuePerStart previous { runs } incomplete }
	timeseries(grain: HOUR) { bucket starts runs completions completionRate medianSecondsToComplete purchases revenue
		incomplete }
	funnel { runs people steps { id name kind reach people fromStart completed skipped drop open medianSeconds }
		arrivals { from { id isStep } to { id } runs revenue } exits { from { id } to { id isStep } runs }
		decisions { node case runs } incomplete }
	dropoff { steps { id name kind reach drops dropRate expectedRate z outOfProportion } }
	stepDuration { steps { id name kind visits idle p25 median p75 p90 p95 mean } }
	cohorts(dimension: CHANNEL) { totalCount incomplete pageInfo { endCursor } nodes { value starts completions
		completionRate completionInterval { low high } purchases revenue revenuePerStart } }
	cohortKeys { key people values }
	timeseriesCohorts(dimension: CUSTOM_PROPERTY, key: "tier") { value points { bucket starts completions revenue } }
	heatmap { rows columns cells { row column starts completions conversionRate revenue } }
	purchases { surfaces { id name provider presented viewers outcomes { outcome runs } purchasers }
		products { product provider purchases trials gross revenue } }
	retention { people days { offset returned eligible rate } rows { value people days { offset } } }
	peopleBehind { totalCount pageInfo { hasNextPage } nodes { appUserId customUserId runs latestRunAt latestState } }
	responses { totalCount } recent { nodes { id } }
}`

// paid makes a flow world with a person who pays, one who leaves, and one who stays at the first screen.
func paid(t *testing.T) *flowWorld {
	t.Helper()
	f := newFlowWorld(t)
	gold := vars{"platform": "web", "locale": "en-GB", "customProperties": vars{"tier": "gold"}}
	f.runOf("payer", gold, flowEvent{name: "flow_started"},
		flowEvent{name: "step_viewed", step: "scr_goal", after: 1, more: vars{"fromStepId": nil}},
		flowEvent{name: "step_completed", step: "scr_goal", after: 3},
		flowEvent{name: "surface_presented", step: "wall", after: 3, more: vars{"fromStepId": "scr_goal"},
			properties: vars{"surface_node_id": "wall", "provider": "stripe"}},
		flowEvent{name: "surface_outcome", step: "wall", after: 9,
			properties: vars{"surface_node_id": "wall", "provider": "stripe", "outcome": "purchase_completed"}},
		flowEvent{name: "flow_completed", after: 10})
	f.runOf("leaver", vars{"platform": "ios", "locale": "de"}, flowEvent{name: "flow_started"},
		flowEvent{name: "step_viewed", step: "scr_goal", after: 1, more: vars{"fromStepId": nil}},
		flowEvent{name: "flow_abandoned", after: 2})
	f.runOf("stayer", vars{"platform": "ios", "locale": "de"}, flowEvent{name: "flow_started", after: 3590},
		flowEvent{name: "step_viewed", step: "scr_goal", after: 3591, more: vars{"fromStepId": nil}})
	f.as("owner").must(`mutation($a: ID!, $t: Time!) { recordPurchase(input: {appId: $a, environment: LIVE, provider: STRIPE,
		providerEventId: "e1", kind: ORIGINATING, appUserId: "payer", occurredAt: $t, amount: 12.5}) { duplicate } }`,
		vars{"a": f.app, "t": f.at.Add(20 * time.Second)})
	return f
}

func TestEveryFlowReportInOneRequest(t *testing.T) {
	t.Parallel()
	f := paid(t)
	got := f.keyed("viewer", "analytics:read").must(
		`query($s: FlowAnalyticsScope!) { flowAnalytics(scope: $s) { ...all } }`+everyFlowReport,
		vars{"s": vars{"flowId": f.flow}},
	)
	at := func(path ...any) string { return fmt.Sprint(got.at(t, append([]any{"flowAnalytics"}, path...)...)) }
	for path, want := range map[string]string{
		"starts": "3", "runs": "3", "completions": "1", "abandoned": "1", "open": "1", "lapsed": "0", "paywallViewers": "1",
		"purchases": "1", "conversionRate": "1", "claimed": "0", "revenue": "12.5", "revenuePerStart": "4.166667",
		"incomplete": "true",
	} {
		require.Equal(t, want, at("overview", path), path)
	}
	require.Equal(t, "10", at("overview", "timeToComplete", "median"))
	require.Equal(t, "0", at("overview", "previous", "runs"))

	require.Equal(t, []string{"scr_goal", "Goal", "SCREEN", "3"}, []string{
		at("funnel", "steps", 0, "id"), at("funnel", "steps", 0, "name"), at("funnel", "steps", 0, "kind"),
		at("funnel", "steps", 0, "reach"),
	})
	steps, _ := got.at(t, "flowAnalytics", "funnel", "steps").([]any)
	require.Greater(t, len(steps), 10, "steps that nobody reached are there")
	require.Equal(t, "1", at("dropoff", "steps", 0, "drops"))
	require.Equal(t, "2", at("stepDuration", "steps", 0, "visits"))
	require.Equal(t, []string{f.channel, "3"}, []string{at("cohorts", "nodes", 0, "value"), at("cohorts", "nodes", 0, "starts")})
	require.Equal(t, []string{"tier", "1"}, []string{at("cohortKeys", 0, "key"), at("cohortKeys", 0, "people")})
	require.Equal(t, "[de en]", at("heatmap", "rows"))
	require.Equal(t, []string{"wall", "stripe", "1", "1"}, []string{
		at("purchases", "surfaces", 0, "id"), at("purchases", "surfaces", 0, "provider"),
		at("purchases", "surfaces", 0, "presented"), at("purchases", "surfaces", 0, "purchasers"),
	})
	require.Equal(t, "12.5", at("purchases", "products", 0, "revenue"))
	require.Equal(t, []string{"3", f.version}, []string{at("retention", "people"), at("retention", "rows", 0, "value")})
	require.Equal(t, []string{"3", "stayer", "OPEN"}, []string{
		at("peopleBehind", "totalCount"), at("peopleBehind", "nodes", 0, "appUserId"), at("peopleBehind", "nodes", 0, "latestState"),
	})
}

func TestPeopleBehindACell(t *testing.T) {
	t.Parallel()
	f := paid(t)
	reader := f.as("viewer")
	for name, c := range map[string]struct {
		cell vars
		want string
	}{
		"dropped":    {vars{"figure": "DROPPED"}, "leaver"},
		"purchased":  {vars{"figure": "PURCHASED"}, "payer"},
		"value":      {vars{"values": []vars{{"dimension": "LANGUAGE", "value": "en"}}}, "payer"},
		"property":   {vars{"values": []vars{{"dimension": "CUSTOM_PROPERTY", "key": "tier", "value": "gold"}}}, "payer"},
		"channel":    {vars{"figure": "OPEN", "values": []vars{{"dimension": "CHANNEL", "value": f.channel}}}, "stayer"},
		"arrival":    {vars{"arrival": vars{"from": "scr_goal", "to": "wall"}}, "payer"},
		"exit":       {vars{"exit": vars{"from": "scr_goal", "to": "dropped"}}, "leaver"},
		"last step":  {vars{"step": vars{"id": "wall", "last": true}}, "payer"},
		"surface":    {vars{"surface": vars{"id": "wall", "provider": "stripe"}, "outcome": "purchase_completed"}, "payer"},
		"of a range": {vars{"range": vars{"start": f.at.Add(time.Minute), "end": f.at.Add(time.Hour)}}, "stayer"},
	} {
		got := reader.must(`query($s: FlowAnalyticsScope!, $c: FlowCell!) { flowAnalytics(scope: $s) {
			peopleBehind(cell: $c) { totalCount nodes { appUserId } } } }`, vars{"s": vars{"flowId": f.flow}, "c": c.cell})
		require.Equal(t, json.Number("1"), got.at(t, "flowAnalytics", "peopleBehind", "totalCount"), name)
		require.Equal(t, c.want, got.at(t, "flowAnalytics", "peopleBehind", "nodes", 0, "appUserId"), name)
	}
}

func TestTwoVersionsSideBySide(t *testing.T) {
	t.Parallel()
	f := paid(t)
	first := f.version
	f.version = f.publish(f.flow)
	f.runOf("payer", vars{"platform": "web"}, flowEvent{name: "flow_started", after: 60}, flowEvent{name: "flow_completed", after: 61})
	got := f.as("viewer").must(`query($s: FlowAnalyticsScope!, $a: String!, $b: String!) { flowAnalytics(scope: $s) {
		compare(by: VERSION, first: $a, second: $b) { sides { value overview { runs } funnel { runs } }
			completion { first second difference interval { low high } } conversion { first } steps { id reach { first second } } } } }`,
		vars{"s": vars{"flowId": f.flow}, "a": first, "b": f.version})
	require.Equal(t, first, got.at(t, "flowAnalytics", "compare", "sides", 0, "value"))
	require.Equal(t, json.Number("1"), got.at(t, "flowAnalytics", "compare", "sides", 1, "overview", "runs"))
	require.Equal(t, json.Number("1"), got.at(t, "flowAnalytics", "compare", "completion", "second"))
}

func TestTheFlowsOfAnAppSideBySide(t *testing.T) {
	t.Parallel()
	f := paid(t)
	got := f.keyed("viewer", "analytics:read").must(`query($a: ID!) { app(id: $a) { appFlowOverview { totalCount incomplete
		totals { starts runs revenue } nodes { flowId name starts runs completions revenue timeToComplete { median } } } } }`,
		vars{"a": f.app})
	require.Equal(t, f.flow, got.at(t, "app", "appFlowOverview", "nodes", 0, "flowId"))
	require.Equal(t, "Flow", got.at(t, "app", "appFlowOverview", "nodes", 0, "name"))
	require.Equal(t, json.Number("12.5"), got.at(t, "app", "appFlowOverview", "totals", "revenue"))
	require.Equal(t, json.Number("3"), got.at(t, "app", "appFlowOverview", "totals", "starts"))
}

// A flow's figures are its workspace's: others can't tell that it exists, and a key needs the capability.
func TestFlowReportsAreForThoseWhoMayReadThem(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	query := `query($s: FlowAnalyticsScope!) { flowAnalytics(scope: $s) { recent { nodes { id } } } }`
	scope := vars{"s": vars{"flowId": f.flow}}
	require.Equal(t, "unauthenticated", f.as("anonymous").do(query, scope).code())
	require.Equal(t, "not_found", f.as("stranger").do(query, scope).code())
	require.Equal(t, "forbidden", f.keyed("owner", "studio:read").do(query, scope).code())
	require.Empty(t, f.as("viewer").do(query, scope).Errors)
	for name, c := range map[string]struct {
		scope vars
		field string
	}{
		"zone":       {vars{"timeZone": "Mars"}, "timeZone"},
		"range":      {vars{"range": vars{"start": f.at, "end": f.at.Add(-time.Hour)}}, "range.end"},
		"variants":   {vars{"variants": []string{"a"}}, "variants"},
		"channel":    {vars{"channels": []string{"ch_live_nowhere"}}, "channels"},
		"segment":    {vars{"segmentId": uuid.NewString()}, "segmentId"},
		"operator":   {vars{"filters": vars{"country": vars{"op": "IS", "values": []string{}}}}, "filters.country"},
		"properties": {vars{"customProperty": vars{"key": "", "values": []string{"x"}}}, "customProperty.key"},
	} {
		c.scope["flowId"] = f.flow
		got := f.as("viewer").do(query, vars{"s": c.scope})
		require.Len(t, got.Errors, 1, name)
		require.Equal(t, c.field, got.Errors[0].Extensions["field"], name)
	}
	for _, arguments := range []string{`recent(first: 0)`, `recent(after: "x")`, `responses(after: "x")`, `run(id: "x")`} {
		wrong := f.as("viewer").do(`query($s: FlowAnalyticsScope!) { flowAnalytics(scope: $s) { `+arguments+` { __typename } } }`, scope)
		require.Equal(t, "invalid_input", wrong.code(), arguments)
	}
}
