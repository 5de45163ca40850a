package resolvers_test

import (
	"encoding/json"
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

	enrolled := w.as("admin").must(`mutation($i: EnrolPeopleInput!) { enrolPeople(input: $i) { entered } }`,
		vars{"i": vars{"automationId": id, "appUserIds": []string{"ana", "ben", "ana"}}})
	require.Equal(t, json.Number("2"), enrolled.at(t, "enrolPeople", "entered"))
	limits := w.as("editor").must(`mutation($i: SetAutomationLimitsInput!) { setAutomationLimits(input: $i) { cap quietFrom timeZone } }`,
		vars{"i": vars{"appId": app, "environment": "LIVE", "cap": 3, "quietFrom": "22:00", "quietUntil": "08:30", "timeZone": "Europe/Berlin"}})
	require.Equal(t, "22:00", limits.at(t, "setAutomationLimits", "quietFrom"))
	read := w.as("viewer").must(`query($id: ID!, $a: ID!) {
		app(id: $a) { automations { id name environment } automationLimits { cap capDays quietFrom quietUntil timeZone }
			webhookEndpoints { name pending deliveries { webhookId } } }
		automation(id: $id) { state versions { number definition } figures { entered running nodes { node waiting } }
			explanation(appUserId: "ana") { never enrolments { state node steps { result } } }
			rehearsal(days: 1) { events complete messages examples { body } } } }`, vars{"id": id, "a": app})
	require.Equal(t, json.Number("2"), read.at(t, "automation", "figures", "entered"))
	require.Equal(t, true, read.at(t, "automation", "explanation", "never"))
	require.Equal(t, "08:30", read.at(t, "app", "automationLimits", "quietUntil"))
	require.Equal(t, "not_found", w.as("stranger").do(`query($id: ID!) { automation(id: $id) { name } }`, vars{"id": id}).code())
	audit := w.as("admin").must(`query($w: ID!) { workspace(id: $w) { auditLog(first: 1) { nodes { action } } } }`, vars{"w": w.workspace})
	require.Equal(t, "automation.limits", audit.at(t, "workspace", "auditLog", "nodes", 0, "action"))
}
