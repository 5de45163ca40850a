package resolvers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// running is an app with an active automation that a segment enrols into, an endpoint that it sends to, and another
// endpoint and segment that nothing uses.
type running struct {
	*world
	app, endpoint, idleEndpoint, segment, idleSegment, automation string
}

func newRunning(t *testing.T) *running {
	t.Helper()
	r := &running{world: newWorld(t)}
	r.app = r.world.app("Shop")
	r.endpoint, r.idleEndpoint = r.addEndpoint("Used"), r.addEndpoint("Idle")
	r.segment, r.idleSegment = r.addSegment("Followed"), r.addSegment("Idle")
	// Ids may be written in other ways than they are shown.
	r.automation = r.addAutomation(strings.ReplaceAll(`{"trigger": {"type": "segment", "segmentId": "SEGMENT"}, "nodes": [
		{"id": "send", "type": "webhook", "endpointId": "`+strings.ToUpper(r.endpoint)+`", "messageType": "x"}]}`,
		"SEGMENT", strings.ReplaceAll(r.segment, "-", "")))
	r.turn("publishAutomation")
	r.turn("activateAutomation")
	return r
}

func (r *running) addEndpoint(name string) string {
	return r.as("owner").text(`mutation($a: ID!, $n: String!) { createWebhookEndpoint(input: {
		appId: $a, environment: LIVE, name: $n, url: "https://example.com"}) { endpoint { id } } }`,
		vars{"a": r.app, "n": name}, "createWebhookEndpoint", "endpoint", "id")
}

func (r *running) addSegment(name string) string {
	return r.as("owner").text(`mutation($a: ID!, $n: String!) { createSegment(input: {appId: $a, name: $n}) { id } }`,
		vars{"a": r.app, "n": name}, "createSegment", "id")
}

func (r *running) addAutomation(definition string) string {
	return r.as("owner").text(`mutation($a: ID!, $d: JSON!) { createAutomation(input: {
		appId: $a, environment: LIVE, name: "A", definition: $d}) { id } }`,
		vars{"a": r.app, "d": json.RawMessage(definition)}, "createAutomation", "id")
}

func (r *running) turn(mutation string) {
	r.t.Helper()
	r.as("owner").must(`mutation($i: ID!) { `+mutation+`(input: {id: $i}) { state } }`, vars{"i": r.automation})
}

func (r *running) variables(dryRun bool) vars {
	return vars{
		"a": r.app, "e": r.endpoint, "f": r.idleEndpoint, "s": r.segment, "u": r.idleSegment, "i": r.automation,
		"dry": dryRun,
	}
}

// Whatever changes what an active automation does needs the right that activating it needs; everything else is done
// without it.
func TestWhoMayChangeWhatRuns(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	manager := r.keyed("owner", "engage:manage", "segment:manage", "customers:read")
	sender := r.keyed("owner", "engage:manage", "segment:manage", "customers:read", "engage:send")
	anonymized := r.keyed("owner", "engage:manage", "engage:send")
	const publish = `mutation($i: ID!, $dry: Boolean!) { publishAutomation(input: {id: $i, dryRun: $dry}) { version } }`
	const redirect = `mutation($e: ID!, $dry: Boolean!) {
		updateWebhookEndpoint(input: {id: $e, url: "https://example.org", dryRun: $dry}) { id } }`
	changes := []string{
		publish, redirect,
		`mutation($e: ID!, $dry: Boolean!) { updateWebhookEndpoint(input: {id: $e, enabled: true, dryRun: $dry}) { id } }`,
		`mutation($e: ID!, $dry: Boolean!) { updateWebhookEndpoint(input: {id: $e, enabled: false, dryRun: $dry}) { id } }`,
		`mutation($e: ID!, $dry: Boolean!) { rotateWebhookSecret(input: {id: $e, dryRun: $dry}) { secret } }`,
		`mutation($e: ID!, $dry: Boolean!) { retireWebhookSecret(input: {id: $e, dryRun: $dry}) { id } }`,
		`mutation($a: ID!, $dry: Boolean!) {
			setAutomationLimits(input: {appId: $a, environment: LIVE, cap: 0, dryRun: $dry}) { cap } }`,
	}
	ofSegments := []string{
		`mutation($s: ID!) { updateSegment(input: {id: $s, windowDays: 7}) { id } }`,
		`mutation($s: ID!) { updateSegment(input: {id: $s, importedOnly: true}) { id } }`,
		`mutation($s: ID!) { updateSegment(input: {id: $s, rules: {where: {
			person: {field: EMAIL, op: CONTAINS, texts: ["a"]}}}}) { id } }`,
		`mutation($s: ID!) { importSegmentMembers(input: {segmentId: $s, kind: APP_USER, values: ["ana"]}) { id } }`,
		`mutation($s: ID!) { removeSegmentMembers(input: {segmentId: $s, kind: APP_USER, values: ["ana"]}) { id } }`,
	}
	remove := `mutation($s: ID!) { deleteSegment(input: {id: $s}) }`
	for _, query := range append(append(changes, ofSegments...), remove) {
		for name, who := range map[string]*client{"a key": manager, "an editor": r.as("editor")} {
			got := who.do(query, r.variables(false))
			require.Equal(t, "forbidden", got.code(), "%s: %s", name, query)
			require.Contains(t, got.Errors[0].Message, "engage:send", query)
		}
	}
	for _, query := range []string{publish, redirect} {
		got := anonymized.do(query, r.variables(false))
		require.Equal(t, "forbidden", got.code(), query)
		require.Contains(t, got.Errors[0].Message, "customers:read", query)
	}
	for _, query := range changes {
		sender.must(query, r.variables(true))
	}
	for _, query := range ofSegments {
		sender.must(query, r.variables(false))
	}
	// Names are nobody's concern, and what nothing uses is changed by who may keep it.
	for _, query := range []string{
		`mutation($e: ID!) { updateWebhookEndpoint(input: {id: $e, name: "Mine"}) { id } }`,
		`mutation($s: ID!) { updateSegment(input: {id: $s, name: "Mine"}) { id } }`,
		`mutation($i: ID!) { saveAutomation(input: {id: $i, name: "Mine"}) { id } }`,
		`mutation($f: ID!) { updateWebhookEndpoint(input: {id: $f, url: "https://example.org", enabled: false}) { id } }`,
		`mutation($f: ID!) { rotateWebhookSecret(input: {id: $f}) { secret } }`,
		`mutation($u: ID!) { importSegmentMembers(input: {segmentId: $u, kind: APP_USER, values: ["ana"]}) { id } }`,
		`mutation($u: ID!) { deleteSegment(input: {id: $u}) }`,
	} {
		manager.must(query, r.variables(false))
	}
	// Whoever is in an older version of an active automation is still sent to its endpoint.
	owner := r.as("owner")
	owner.must(`mutation($i: ID!) { enrolPeople(input: {automationId: $i, appUserIds: ["ana"]}) { entered } }`,
		r.variables(false))
	owner.must(`mutation($i: ID!) { saveAutomation(input: {id: $i, definition: {
		trigger: {type: "manual"}, nodes: [{id: "end", type: "exit"}]}}) { id } }`, r.variables(false))
	r.turn("publishAutomation")
	require.Equal(t, "forbidden", manager.do(redirect, r.variables(false)).code())
	manager.must(remove, r.variables(false)) // which nobody enters by any more
	_, err := r.db.Pool.Exec(t.Context(), `update automation_enrolment set ended_at = now(), due_at = null, state = 'completed'`)
	require.NoError(t, err)
	manager.must(redirect, r.variables(false))
	// Nor does a paused automation do anything.
	r.turn("pauseAutomation")
	manager.must(publish, r.variables(false))
	// Messages that wait go where the endpoint says.
	_, err = r.db.Pool.Exec(t.Context(), `
		insert into webhook_delivery (environment_id, id, endpoint_id, node, app_user_id, body, state, next_attempt_at)
		select environment_id, gen_random_uuid(), id, '', '', '{}', 'pending', now() + interval '1 day'
		from webhook_endpoint where id = $1`, r.endpoint)
	require.NoError(t, err)
	require.Equal(t, "forbidden", manager.do(redirect, r.variables(false)).code())
	require.Equal(t, "forbidden", anonymized.do(redirect, r.variables(false)).code())
	sender.must(redirect, r.variables(false))
}

// Another condition of a goal would start what it starts for others.
func TestWhoMayChangeAGoalThatStartsAnAutomation(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	owner := r.as("owner")
	goal := owner.text(`mutation($a: ID!) { createGoal(input: {
		appId: $a, name: "Paid", condition: {event: {name: "paid"}}}) { id } }`, vars{"a": r.app}, "createGoal", "id")
	r.automation = r.addAutomation(`{"trigger": {"type": "goal", "goalId": "` + goal + `"}, "nodes": [
		{"id": "send", "type": "webhook", "endpointId": "` + r.endpoint + `", "messageType": "x"}]}`)
	r.turn("publishAutomation")
	manager := r.keyed("owner", "segment:manage")
	sender := r.keyed("owner", "segment:manage", "engage:send")
	const (
		rename = `mutation($g: ID!) { updateGoal(input: {id: $g, name: "Mine"}) { id } }`
		change = `mutation($g: ID!) { updateGoal(input: {id: $g, condition: {event: {name: "seen"}}}) { id } }`
		remove = `mutation($g: ID!) { deleteGoal(input: {id: $g}) }`
	)
	manager.must(change, vars{"g": goal}) // nothing follows it yet
	r.turn("activateAutomation")
	for _, query := range []string{change, remove} {
		got := manager.do(query, vars{"g": goal})
		require.Equal(t, "forbidden", got.code(), query)
		require.Contains(t, got.Errors[0].Message, "engage:send", query)
	}
	manager.must(rename, vars{"g": goal})
	for _, query := range []string{change, remove} {
		sender.must(query, vars{"g": goal})
	}
}

// The notifications of a workspace go nowhere else by whoever may not send them there in the first place.
func TestWhoMayRedirectNotifications(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	r.as("owner").must(`mutation($f: ID!) { updateWebhookEndpoint(input: {id: $f, notifications: true}) { id } }`,
		r.variables(false))
	const redirect = `mutation($f: ID!) { updateWebhookEndpoint(input: {id: $f, url: "https://example.org"}) { id } }`
	for name, who := range map[string]*client{
		"an editor": r.as("editor"), "a key": r.keyed("owner", "engage:manage", "engage:send", "customers:read"),
	} {
		got := who.do(redirect, r.variables(false))
		require.Equal(t, "forbidden", got.code(), name)
		require.Contains(t, got.Errors[0].Message, "workspace:manage", name)
	}
	r.keyed("owner", "engage:manage", "workspace:manage").must(redirect, r.variables(false))
}

// Whoever may not read people sends nothing of them: not by a template, a condition, or the data that is sent without
// one.
func TestWhoMayPublishWhatTellsOfPeople(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	blind, seeing := r.keyed("owner", "engage:manage"), r.keyed("owner", "engage:manage", "customers:read")
	send := func(rest string) string {
		return `{"id": "send", "type": "webhook", "endpointId": "` + r.endpoint + `", "messageType": "x"` + rest + `}`
	}
	trigger := `{"type": "flow", "outcome": "any"}`
	for _, c := range []struct {
		nodes  string
		people bool
	}{
		{send(``), true},
		{send(`, "data": {"to": ["{{person.email}}"]}`), true},
		{send(`, "data": {"tier": "{{attributes.tier}}"}`), true},
		{send(`, "data": {"goal": "{{answers.goal}}"}`), true},
		{`{"id": "if", "type": "condition", "if": {"not": {"of": "person", "property": "email", "op": "contains", "value": "a"}},
			"then": "send"}, ` + send(`, "data": {}`), true},
		{`{"id": "wait", "type": "delay", "untilProperty": {"of": "attributes", "property": "at"}, "next": "send"}, ` +
			send(`, "data": {}`), true},
		{send(`, "data": {"total": "{{event.total}}"}`), false},
		{`{"id": "if", "type": "condition", "if": {"of": "event", "property": "total", "op": "gt", "value": 1},
			"then": "send"}, ` + send(`, "data": "x"`), false},
		{`{"id": "end", "type": "exit"}`, false},
	} {
		id := r.addAutomation(`{"trigger": ` + trigger + `, "nodes": [` + c.nodes + `]}`)
		const publish = `mutation($i: ID!) { publishAutomation(input: {id: $i}) { version } }`
		got := blind.do(publish, vars{"i": id})
		if c.people {
			require.Equal(t, "forbidden", got.code(), c.nodes)
			require.Contains(t, got.Errors[0].Message, "customers:read", c.nodes)
		} else {
			require.Empty(t, got.Errors, c.nodes)
		}
		seeing.must(publish, vars{"i": id})
	}
}

// An experiment takes a live channel over, and a promotion of any version pins it: both need the right to pin.
func TestWhoMayReplaceWhatAChannelServes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	channel, version := w.channel(app), w.version(app)
	tester := w.keyed("owner", "experiment:manage")
	both := w.keyed("owner", "experiment:manage", "channel:manage")
	id := tester.text(`mutation($c: ChannelID!, $v: ID!) { createExperiment(input: {
		channelId: $c, name: "X", endsAt: "2100-01-01T00:00:00Z",
		variants: [{key: "a", weight: 1, versionId: $v}, {key: "b", weight: 1, versionId: $v}]}) { id } }`,
		vars{"c": channel, "v": version}, "createExperiment", "id")
	const start = `mutation($x: ID!) { startExperiment(input: {id: $x}) { status } }`
	const promote = `mutation($x: ID!, $v: ID!) { promoteExperiment(input: {id: $x, versionId: $v}) { status } }`
	variables := vars{"x": id, "v": version}
	require.Equal(t, "forbidden", tester.do(start, variables).code())
	both.must(start, variables)
	require.Equal(t, "forbidden", tester.do(promote, variables).code())
	both.must(promote, variables)
}
