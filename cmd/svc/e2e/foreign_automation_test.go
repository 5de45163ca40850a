package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command about automations and endpoints, with the key of one workspace and ids of another: none tells anything
// or changes anything.
func TestCommandsFindNoAutomationsOfOthers(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	var elsewhere struct {
		CreateWorkspace struct{ ID string }
	}
	studio.Query(`mutation { createWorkspace(input: {name: "Elsewhere"}) { id } }`, nil, &elsewhere)
	var app struct{ CreateApp struct{ ID string } }
	studio.Query(`mutation($w: ID!) { createApp(input: {workspaceId: $w, name: "Theirs"}) { id } }`,
		map[string]any{"w": elsewhere.CreateWorkspace.ID}, &app)
	var made struct {
		CreateWebhookEndpoint struct{ Endpoint struct{ ID string } }
		CreateAutomation      struct{ ID string }
	}
	studio.Query(`mutation($a: ID!) {
		createWebhookEndpoint(input: {appId: $a, environment: LIVE, name: "Their receiver", url: "https://example.com"}) { endpoint { id } }
		createAutomation(input: {appId: $a, environment: LIVE, name: "Their automation", definition: {}}) { id } }`,
		map[string]any{"a": app.CreateApp.ID}, &made)
	file := filepath.Join(t.TempDir(), "definition.json")
	if err := os.WriteFile(file, []byte(`{"trigger": {"type": "manual"}, "nodes": [{"id": "end", "type": "exit"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	theirs, id, endpoint := app.CreateApp.ID, made.CreateAutomation.ID, made.CreateWebhookEndpoint.Endpoint.ID
	environ := []string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey}
	for _, command := range []string{
		"list " + theirs, "create " + theirs + " Mine " + file, "pull " + id, "push " + id + " " + file, "publish " + id,
		"activate " + id, "pause " + id, "archive " + id, "enrol " + id + " --user ana", "figures " + id,
		"explain " + id + " --user ana", "dry-run " + id, "limits " + theirs, "limits " + theirs + " --cap 1",
		"endpoints list " + theirs, "endpoints create " + theirs + " Mine https://example.com", "endpoints enable " + endpoint,
		"endpoints disable " + endpoint, "endpoints notify " + endpoint, "endpoints mute " + endpoint,
		"endpoints rotate " + endpoint, "endpoints retire " + endpoint, "endpoints deliveries " + endpoint,
		"endpoints replay " + endpoint + " --from 2020-01-01T00:00:00Z --to 2100-01-01T00:00:00Z",
	} {
		exit, stdout, stderr := Run(t, environ, append([]string{"automations"}, strings.Fields(command)...)...)
		var failed struct{ Code string }
		if err := json.Unmarshal([]byte(stderr), &failed); err != nil || exit == 0 || stdout != "" ||
			strings.Contains(stderr, "Their") {
			t.Errorf("%s: exit %d, %s %s", command, exit, stdout, stderr)
		}
		// The key is an editor's: what editors may not do is forbidden to it in its own workspace, and theirs is not there.
		if failed.Code != "not_found" {
			t.Errorf("%s: code %s", command, failed.Code)
		}
	}
	var after struct {
		App struct {
			Automations struct {
				Nodes []struct{ Name, State string }
			}
			WebhookEndpoints []struct {
				Name    string
				Secrets int
				Enabled bool
			}
		}
	}
	studio.Query(`query($a: ID!) { app(id: $a) { automations(includeArchived: true) { nodes { name state } }
		webhookEndpoints { name secrets enabled } } }`, map[string]any{"a": theirs}, &after)
	if a := after.App; len(a.Automations.Nodes) != 1 || a.Automations.Nodes[0].State != "DRAFT" ||
		len(a.WebhookEndpoints) != 1 || a.WebhookEndpoints[0].Secrets != 1 || !a.WebhookEndpoints[0].Enabled {
		t.Errorf("something changed: %+v", after.App)
	}
}
