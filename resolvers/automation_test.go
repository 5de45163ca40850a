package resolvers_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Editors draft and publish; admins let work; viewers look; strangers know nothing.
func TestAutomationsOverGraphQL(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	made := w.as("editor").must(`mutation($i: CreateWebhookEndpointInput!) {
		createWebhookEndpoint(input: $i) { secret endpoint { id enabled } } }`,
		vars{"i": vars{"appId": app, "environment": "LIVE", "name": "Receiver", "url": "https://example.com/hook"}})
	endpoint := made.at(t, "createWebhookEndpoint", "endpoint", "id")
	require.Contains(t, made.at(t, "createWebhookEndpoint", "secret"), "whsec_")
	create := func(who, definition string) answer {
		return w.as(who).do(`mutation($i: CreateAutomationInput!) { createAutomation(input: $i) {
			id state version problems { pointer code } } }`, vars{"i": vars{
			"appId": app, "environment": "LIVE", "name": "Carts", "definition": json.RawMessage(definition),
		}})
	}
	definition := strings.ReplaceAll(`{"trigger": {"type": "event", "event": "cart"}, "nodes": [
		{"id": "send", "type": "webhook", "endpointId": "ENDPOINT", "messageType": "cart"}]}`, "ENDPOINT", endpoint.(string))
	require.Equal(t, "forbidden", create("viewer", definition).code())
	require.Equal(t, "not_found", create("stranger", definition).code())
	require.Equal(t, "invalid_input", create("editor", `[]`).code())

	draft := create("editor", `{"trigger": {"type": "event"}, "nodes": [{"id": "a", "type": "delay", "next": "b"}], "x": 1}`)
	id := draft.at(t, "createAutomation", "id")
	var pointers []string
	for _, problem := range draft.at(t, "createAutomation", "problems").([]any) {
		pointers = append(pointers, problem.(map[string]any)["pointer"].(string))
	}
	require.Equal(t, []string{"/trigger/event", "/nodes/0", "/x"}, pointers)
	do := func(who, mutation string) answer {
		return w.as(who).do(`mutation($i: AutomationInput!) { `+mutation+`(input: $i) { state version } }`, vars{"i": vars{"id": id}})
	}
	require.Equal(t, "publish_blocked", do("editor", "publishAutomation").code())
	require.Equal(t, "conflict", do("admin", "activateAutomation").code())
	w.as("editor").must(`mutation($i: SaveAutomationInput!) { saveAutomation(input: $i) { id } }`,
		vars{"i": vars{"id": id, "definition": json.RawMessage(definition)}})
	require.Equal(t, json.Number("1"), do("editor", "publishAutomation").at(t, "publishAutomation", "version"))
	require.Equal(t, "forbidden", do("editor", "activateAutomation").code())
	require.Equal(t, "ACTIVE", do("admin", "activateAutomation").at(t, "activateAutomation", "state"))

	enrolled := w.as("admin").must(`mutation($i: EnrolPeopleInput!) { addPeopleToAutomation(input: $i) { entered } }`,
		vars{"i": vars{"automationId": id, "appUserIds": []string{"ana", "ben", "ana"}}})
	require.Equal(t, json.Number("2"), enrolled.at(t, "addPeopleToAutomation", "entered"))
	const setLimits = `mutation($i: SetAutomationLimitsInput!) { setAutomationLimits(input: $i) { cap quietFrom timeZone } }`
	wanted := vars{"i": vars{"appId": app, "environment": "LIVE", "cap": 3, "quietFrom": "22:00", "quietUntil": "08:30", "timeZone": "Europe/Berlin"}}
	require.Equal(t, "forbidden", w.as("editor").do(setLimits, wanted).code(), "one is active")
	limits := w.as("admin").must(setLimits, wanted)
	require.Equal(t, "22:00", limits.at(t, "setAutomationLimits", "quietFrom"))
	read := w.as("viewer").must(`query($id: ID!, $a: ID!) {
		app(id: $a) {
			automations { totalCount nodes { id name environment segmentEvaluation { problem } } }
			automationLimits { cap capDays quietFrom quietUntil timeZone }
			webhookEndpoints { name pending deliveries { webhookId } } }
		automation(id: $id) { state versions { number definition } figures { entered running nodes { node waiting } }
			explanation(appUserId: "ana") { never entries { state node steps { result } } }
			testRun(days: 1) { events complete messages examples { body } } } }`, vars{"id": id, "a": app})
	require.Equal(t, json.Number("2"), read.at(t, "automation", "figures", "entered"))
	require.Equal(t, true, read.at(t, "automation", "explanation", "never"))
	require.Equal(t, "08:30", read.at(t, "app", "automationLimits", "quietUntil"))
	require.Equal(t, "not_found", w.as("stranger").do(`query($id: ID!) { automation(id: $id) { name } }`, vars{"id": id}).code())
	audit := w.as("admin").must(`query($w: ID!) { workspace(id: $w) { auditLog(first: 1) { nodes { action } } } }`, vars{"w": w.workspace})
	require.Equal(t, "automation.limits", audit.at(t, "workspace", "auditLog", "nodes", 0, "action"))
}

// A dry run makes every check, answers what would be, and leaves no trace: no row, no audit entry, nothing sent.
func TestDryRunsOfAutomationsChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app, owner := w.app("Shop"), w.as("owner")
	w.as("viewer")
	w.as("stranger") // who exist from here on
	endpoint := owner.text(`mutation($a: ID!) { createWebhookEndpoint(input: {appId: $a, environment: LIVE, name: "Receiver",
		url: "https://example.com"}) { endpoint { id } } }`, vars{"a": app}, "createWebhookEndpoint", "endpoint", "id")
	definition := json.RawMessage(`{"trigger": {"type": "manual"}, "nodes": [
		{"id": "send", "type": "webhook", "endpointId": "` + endpoint + `", "messageType": "cart"}]}`)
	id := owner.text(`mutation($a: ID!, $d: JSON!) { createAutomation(input: {appId: $a, environment: LIVE, name: "Carts", definition: $d}) { id } }`,
		vars{"a": app, "d": definition}, "createAutomation", "id")
	variables := vars{"a": app, "i": id, "e": endpoint, "d": definition}
	tables := []string{
		"automation", "automation_version", "automation_enrolment", "automation_entry", "automation_limit", "automation_intake",
		"webhook_endpoint", "webhook_endpoint_secret", "webhook_delivery", "audit_entries", "automation_revision",
	}
	state := func() map[string]string {
		rows := map[string]string{}
		for _, table := range tables {
			var text string
			require.NoError(t, w.db.Pool.QueryRow(t.Context(),
				`select coalesce(string_agg(t::text, E'\n' order by t::text), '') from `+table+` t`).Scan(&text))
			rows[table] = text
		}
		return rows
	}
	// declare declares the variables that an input has.
	declare := func(input string) string {
		declared := "$dry: Boolean!"
		for name, kind := range map[string]string{"$a": "ID!", "$i": "ID!", "$e": "ID!", "$d": "JSON!"} {
			if strings.Contains(input, name) {
				declared += ", " + name + ": " + kind
			}
		}
		return declared
	}
	// try runs a mutation dry, and then for good; both answer alike but for what is made anew.
	try := func(field, input, selection string) (dry any) {
		t.Helper()
		run := func(by string, dryRun bool) answer {
			asked := vars{"dry": dryRun}
			maps.Copy(asked, variables)
			return w.as(by).do(
				`mutation(`+declare(input)+`) { x: `+field+`(input: {`+input+`, dryRun: $dry}) { `+selection+` } }`, asked,
			)
		}
		before := state()
		require.Equal(t, "forbidden", run("viewer", true).code(), field)
		require.Equal(t, "not_found", run("stranger", true).code(), field)
		tried := run("owner", true)
		require.Empty(t, tried.Errors, field)
		require.Equal(t, before, state(), field)
		real := run("owner", false)
		require.Empty(t, real.Errors, field)
		require.NotEqual(t, before, state(), field)
		require.Equal(t, real.at(t, "x"), tried.at(t, "x"), field)
		return tried.at(t, "x")
	}
	try("createAutomation", `appId: $a, environment: LIVE, name: "More", definition: $d`, `name state version draft problems { code }`)
	try("saveAutomation", `id: $i, name: "Baskets"`, `name draft`)
	require.Equal(t, map[string]any{"state": "PUBLISHED", "version": json.Number("1")},
		try("publishAutomation", `id: $i`, `state version`))
	require.Equal(t, map[string]any{"state": "ACTIVE"}, try("activateAutomation", `id: $i`, `state`))
	require.Equal(t, map[string]any{"entered": json.Number("2")},
		try("enrolPeople", `automationId: $i, appUserIds: ["ana", "ben", "ana"]`, `entered`))
	try("setAutomationLimits", `appId: $a, environment: LIVE, cap: 4, capDays: 2`, `cap capDays`)
	try("pauseAutomation", `id: $i`, `state`)
	try("archiveAutomation", `id: $i`, `state`)
	try("createWebhookEndpoint", `appId: $a, environment: LIVE, name: "Another", url: "https://example.com"`,
		`endpoint { name url enabled secrets }`)
	require.Equal(t, map[string]any{"endpoint": map[string]any{"secrets": json.Number("2")}},
		try("rotateWebhookSecret", `id: $e`, `endpoint { secrets }`))
	try("retireWebhookSecret", `id: $e`, `secrets`)
	try("updateWebhookEndpoint", `id: $e, name: "Mine", enabled: false`, `name enabled disabledReason`)
	_, err := w.db.Pool.Exec(t.Context(), `
		insert into webhook_delivery (environment_id, id, endpoint_id, node, app_user_id, body, state)
		select environment_id, gen_random_uuid(), id, '', '', '{}', 'failed' from webhook_endpoint where id = $1`, endpoint)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"deliveries": json.Number("1")}, try("replayWebhooks",
		`endpointId: $e, from: "2020-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z"`, `deliveries`))

	// A secret of a dry run would be none.
	for mutation, input := range map[string]string{
		"createWebhookEndpoint": `appId: $a, environment: LIVE, name: "Third", url: "https://example.com"`, "rotateWebhookSecret": `id: $e`,
	} {
		asked := vars{"dry": true, "a": app, "e": endpoint}
		got := owner.must(
			`mutation(`+declare(input)+`) { x: `+mutation+`(input: {`+input+`, dryRun: $dry}) { secret } }`, asked,
		)
		require.Empty(t, got.at(t, "x", "secret"), mutation)
	}
}

// Ids of other workspaces name nothing, those of other apps nothing of this one, and each right is asked for.
func TestAutomationsOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.as("owner")
	make := func(app string) (endpoint, segment, automation, delivery string) {
		endpoint = owner.text(`mutation($a: ID!) { createWebhookEndpoint(input: {appId: $a, environment: LIVE, name: "R",
			url: "https://example.com"}) { endpoint { id } } }`, vars{"a": app}, "createWebhookEndpoint", "endpoint", "id")
		segment = owner.text(`mutation($a: ID!) { createSegment(input: {appId: $a, name: "Buyers"}) { id } }`,
			vars{"a": app}, "createSegment", "id")
		automation = owner.text(`mutation($a: ID!) { createAutomation(input: {appId: $a, environment: LIVE, name: "A", definition: {}}) { id } }`,
			vars{"a": app}, "createAutomation", "id")
		require.NoError(t, w.db.Pool.QueryRow(t.Context(), `
			insert into webhook_delivery (environment_id, id, endpoint_id, automation_id, node, app_user_id, body, state)
			select environment_id, gen_random_uuid(), id, $2, 'send', 'ana', '{}', 'failed' from webhook_endpoint where id = $1
			returning id::text`, endpoint, automation).Scan(&delivery))
		return endpoint, segment, automation, delivery
	}
	app, other := w.app("Shop"), w.app("Other")
	endpoint, segment, automation, delivery := make(app)
	otherEndpoint, otherSegment, _, otherDelivery := make(other)

	for _, query := range []string{
		`query($i: ID!) { automation(id: $i) { name draft } }`,
		`query($i: ID!) { automation(id: $i) { figures { entered } } }`,
		`query($i: ID!) { automation(id: $i) { explanation(appUserId: "ana") { state } } }`,
		`query($i: ID!) { automation(id: $i) { testRun { events } } }`,
		`query($i: ID!) { automation(id: $i) { rehearsal { events } } }`,
		`query($e: ID!) { webhookEndpoint(id: $e) { url } }`,
		`query($e: ID!) { webhookEndpoint(id: $e) { deliveries { body } } }`,
		`query($a: ID!) { app(id: $a) { automations { totalCount } } }`,
		`query($a: ID!) { app(id: $a) { automationLimits { cap } } }`,
		`query($a: ID!) { app(id: $a) { webhookEndpoints { url } } }`,
		`mutation($e: ID!) { replayWebhooks(input: {endpointId: $e, from: "2020-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z"}) { deliveries } }`,
	} {
		for name, value := range map[string]string{"$i": automation, "$e": endpoint, "$a": app} {
			if !strings.Contains(query, name) {
				continue
			}
			asked := vars{name[1:]: value}
			require.Equal(t, "not_found", w.as("stranger").do(query, asked).code(), query)
			require.Equal(t, "unauthenticated", w.as("anonymous").do(query, asked).code(), query)
			require.Equal(t, "forbidden", w.keyed("owner", "media:manage").do(query, asked).code(), query)
		}
	}

	// Endpoints and segments of another app are problems of a definition, and no names of theirs are told.
	saved := owner.must(`mutation($i: ID!, $d: JSON!) { saveAutomation(input: {id: $i, definition: $d}) { problems { pointer code } } }`,
		vars{"i": automation, "d": json.RawMessage(`{"trigger": {"type": "segment", "segmentId": "` + otherSegment + `"}, "nodes": [
			{"id": "a", "type": "webhook", "endpointId": "` + otherEndpoint + `", "messageType": "x", "next": "b"},
			{"id": "b", "type": "webhook", "endpointId": "` + endpoint + `", "messageType": "x"}]}`)})
	require.Equal(t, []any{
		map[string]any{"pointer": "/nodes/0/endpointId", "code": "endpoint"},
		map[string]any{"pointer": "/trigger/segmentId", "code": "segment"},
	}, saved.at(t, "saveAutomation", "problems"))
	require.NotEqual(t, segment, otherSegment)

	// A delivery is replayed through its own endpoint only, by who may send.
	replay := func(by *client, endpoint, delivery string) answer {
		return by.do(`mutation($e: ID!, $d: ID!) { replayWebhooks(input: {endpointId: $e, deliveryId: $d}) { deliveries } }`,
			vars{"e": endpoint, "d": delivery})
	}
	require.Equal(t, "forbidden", replay(w.as("viewer"), endpoint, delivery).code())
	require.Equal(t, "forbidden", replay(w.as("editor"), endpoint, delivery).code())
	require.Equal(t, "forbidden", replay(w.keyed("owner", "engage:read", "engage:manage"), endpoint, delivery).code())
	require.Equal(t, json.Number("0"), replay(owner, endpoint, otherDelivery).at(t, "replayWebhooks", "deliveries"))
	require.Equal(t, json.Number("1"), replay(owner, endpoint, delivery).at(t, "replayWebhooks", "deliveries"))
	listed := owner.must(`query($e: ID!, $d: ID) { webhookEndpoint(id: $e) { deliveries(before: $d) { id } } }`,
		vars{"e": endpoint, "d": otherDelivery})
	require.NotContains(t, fmt.Sprint(listed.Data), otherDelivery)
	// Names and bodies of people are for those who may read customers.
	require.Equal(t, "forbidden", w.keyed("owner", "engage:read").do(
		`query($e: ID!) { webhookEndpoint(id: $e) { deliveries { body } } }`, vars{"e": endpoint}).code())
}

// The list and the removal of suppressed addresses tell of users: each of their rights is asked for.
func TestWhoMaySeeAndRemoveSuppressedAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("Shop")
	var id string
	require.NoError(t, w.db.Pool.QueryRow(t.Context(), `insert into mail_suppression (environment_id, address_key)
		values ($1, uuid_send(gen_random_uuid())) returning id::text`, w.environment(app)).Scan(&id))
	const list = `query($a: ID!) { app(id: $a) { emailSuppressions { totalCount pageInfo { hasNextPage }
		nodes { id email reason appUserId automation { name } } } } }`
	const remove = `mutation($i: ID!, $dry: Boolean!) {
		removeEmailSuppression(input: {id: $i, dryRun: $dry}) { id email reason } }`
	for scopes, code := range map[string]string{
		"engage:read": "forbidden", "customers:read": "forbidden", "engage:read customers:read": "",
	} {
		require.Equal(t, code, w.keyed("owner", strings.Fields(scopes)...).do(list, vars{"a": app}).code(), scopes)
	}
	require.Equal(t, "", w.as("viewer").do(list, vars{"a": app}).code())
	require.Equal(t, "forbidden", w.as("editor").do(remove, vars{"i": id, "dry": false}).code())
	require.Equal(t, "not_found", w.as("stranger").do(remove, vars{"i": id, "dry": false}).code())
	require.Equal(t, "forbidden", w.keyed("owner", "engage:send").do(remove, vars{"i": id, "dry": false}).code())
	want := map[string]any{"id": id, "email": "", "reason": "UNSUBSCRIBED"}
	require.Equal(t, want, w.as("admin").must(remove, vars{"i": id, "dry": true}).at(t, "removeEmailSuppression"))
	require.Equal(t, json.Number("1"), w.as("admin").must(list, vars{"a": app}).at(t, "app", "emailSuppressions", "totalCount"))
	require.Equal(t, want, w.as("admin").must(remove, vars{"i": id, "dry": false}).at(t, "removeEmailSuppression"))
	require.Equal(t, "not_found", w.as("admin").do(remove, vars{"i": id, "dry": false}).code())
	require.Equal(t, json.Number("0"), w.as("admin").must(list, vars{"a": app}).at(t, "app", "emailSuppressions", "totalCount"))
}
