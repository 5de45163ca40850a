package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What docs/revenue.md says of setting providers up with curl works as it stands there.
func TestProvidersAreSetUpAsTheDocsSay(t *testing.T) {
	for _, tool := range []string{"curl", "jq", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	text, err := os.ReadFile("../../../docs/revenue.md")
	if err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile("(?s)```sh\n(APP=.*?)```").FindStringSubmatch(string(text))
	if script == nil {
		t.Fatal("the docs have no such commands")
	}
	d := StartDev(t, nil, "--demo=none")
	var workspace struct {
		Viewer struct {
			Workspaces struct {
				Nodes []struct{ Workspace struct{ ID string } }
			}
		}
	}
	studio := d.SignIn(t, d.BaseURL)
	studio.Query(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil, &workspace)
	var key struct{ CreateAPIKey struct{ Secret string } }
	studio.Query(`mutation($i: CreateAPIKeyInput!) { createApiKey(input: $i) { secret } }`, map[string]any{
		"i": map[string]any{
			"workspaceId": workspace.Viewer.Workspaces.Nodes[0].Workspace.ID, "name": "Docs",
			"scopes": []string{"APP_MANAGE", "STUDIO_READ", "APP_SETTINGS", "REVENUE_RECORD"},
		},
	}, &key)
	command := exec.Command("bash", "-euc", script[1])
	command.Dir = t.TempDir()
	command.Env = environment([]string{
		"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + key.CreateAPIKey.Secret, "APP=" + d.Apps[0].ID,
	})
	for i, entry := range command.Env {
		if path, is := strings.CutPrefix(entry, "PATH="); is {
			command.Env[i] = "PATH=" + filepath.Dir(Binary(t)) + ":" + path
		}
	}
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if n := strings.Count(string(output), `{"received":true}`); n != 3 {
		t.Errorf("%d deliveries were received:\n%s", n, output)
	}
	if n := strings.Count(string(output), "9.99"); n != 3 {
		t.Errorf("%d amounts are listed:\n%s", n, output)
	}
}
