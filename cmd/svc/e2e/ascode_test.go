package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// folderOf reads all files below a directory but the lock.
func folderOf(t *testing.T, directory string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(directory, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "svc.lock.json" {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, directory)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// An app is read as files, made again in an empty app of the same files, and read back with the same bytes.
func TestConfigurationAsCode(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	app := d.Apps[0].ID
	author := authored{t, []string{
		"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey, "SVC_CONFIG_PATH=" + filepath.Join(d.Dir, "none.json"),
	}}
	fillForCode(t, d, studio, author)
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	author.svc(2, "pull", first) // which app?
	author.svc(0, "pull", first, "--app", app)
	author.svc(0, "diff", first)
	files := folderOf(t, first)
	for _, name := range []string{
		"flows/onboarding.json", "flows/other.json", "channels/live/welcome.json", "channels/live/tried.json",
		"experiments/live/words.json", "automations/live/remind.json", "segments/buyers.json", "goals/sign-up.json",
		"branding.json", "schemas/goals.schema.json",
	} {
		if files["/"+name] == "" {
			t.Errorf("a pull did not write %s", name)
		}
	}
	author.has(files["/goals/welcomed.json"], `"flowId": "@flows/onboarding"`)
	author.has(files["/automations/live/remind.json"], `"goalId": "@goals/welcomed"`)
	author.has(files["/experiments/live/words.json"], `"goal": "@goals/welcomed"`)
	author.has(files["/channels/live/tried.json"], `"experiment": "@experiments/live/words"`)

	// What is served needs --serve; a second push does nothing.
	var viewer struct {
		Viewer struct {
			Workspaces struct {
				Nodes []struct{ Workspace struct{ ID string } }
			}
		}
		CreateApp struct{ ID string }
	}
	studio.Query(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil, &viewer)
	studio.Query(`mutation($w: ID!) { createApp(input: {workspaceId: $w, name: "Copy"}) { id } }`,
		map[string]any{"w": viewer.Viewer.Workspaces.Nodes[0].Workspace.ID}, &viewer)
	copied := viewer.CreateApp.ID
	said, note := author.svc(0, "push", first, "--app", copied, "--dry-run")
	author.has(said, "create  flows/onboarding.json", "serve   channels/live/welcome.json (left out without --serve)")
	author.has(note, "dry run")
	said, _ = author.svc(0, "flow", "list", copied, "-o", "csv")
	if strings.Contains(said, "Onboarding") {
		t.Error("a dry run made a flow")
	}
	author.svc(0, "push", first, "--app", copied)
	said, _ = author.svc(0, "channel", "list", copied, "--jq", ".nodes[].assignment")
	if strings.Contains(said, "DIRECT") || strings.Contains(said, "EXPERIMENT") {
		t.Errorf("without --serve channels serve %q", said)
	}
	author.svc(1, "diff", first, "--app", copied)
	author.svc(0, "push", first, "--app", copied, "--serve")
	said, _ = author.svc(0, "push", first, "--app", copied, "--serve")
	author.has(said, "files and app are the same")
	author.svc(0, "pull", second, "--app", copied)
	again := folderOf(t, second)
	if len(again) != len(files) {
		t.Errorf("%d files became %d", len(files), len(again))
	}
	for name, text := range files {
		if again[name] != text {
			t.Errorf("%s is other bytes:\n%s\n%s", name, text, again[name])
		}
	}

	// What somebody changed on the server is refused by its name, and nothing of the push is done.
	author.edit(filepath.Join(second, "goals/sign-up.json"), "sign_up", "registered")
	author.edit(filepath.Join(second, "segments/buyers.json"), `"windowDays": 30`, `"windowDays": 60`)
	author.svc(1, "diff", second)
	goal, _ := author.svc(0, "goals", "list", copied, "--jq", `.nodes[] | select(.name == "Sign up") | .id`)
	author.svc(0, "goals", "update", strings.TrimSpace(goal), "--name", "Signed up")
	_, refused := author.svc(3, "push", second)
	author.has(refused, `"conflict"`, "goals/sign-up.json was changed on the server since the pull")
	author.svc(3, "diff", second)
	days, _ := author.svc(0, "segments", "list", copied, "--jq", ".nodes[].windowDays")
	if days != "30\n" {
		t.Errorf("a refused push changed a segment: %q", days)
	}
	author.svc(3, "pull", second)
	author.svc(0, "pull", second, "--force")
	author.svc(0, "diff", second)

	// What the server refuses is said with the file; a draft that was edited elsewhere is refused, too.
	author.edit(filepath.Join(second, "segments/buyers.json"), `"windowDays": 30`, `"windowDays": 0`)
	_, refused = author.svc(2, "push", second)
	author.has(refused, "segments/buyers.json: ", "windowDays")
	author.edit(filepath.Join(second, "segments/buyers.json"), `"windowDays": 0`, `"windowDays": 31`)
	author.svc(0, "push", second)
	author.edit(filepath.Join(second, "flows/onboarding.json"), `"name": "Goal"`, `"name": "New Goal"`)
	said, _ = author.svc(0, "push", second, "--dry-run")
	author.has(said, `~ screen "New Goal"`)
	author.svc(0, "push", second)
	said, _ = author.svc(1, "diff", second)
	author.has(said, "serve   channels/live/welcome.json")
	author.svc(0, "push", second, "--serve")
	author.svc(0, "diff", second)

	// Files that were deleted leave the server when that is asked for.
	if err := os.Remove(filepath.Join(second, "goals/sign-up.json")); err != nil {
		t.Fatal(err)
	}
	author.svc(0, "push", second)
	said, _ = author.svc(0, "goals", "list", copied, "--jq", ".nodes | length")
	if said != "2\n" {
		t.Errorf("without --prune %q goals are left", said)
	}
	author.svc(0, "push", second, "--prune")
	said, _ = author.svc(0, "goals", "list", copied, "--jq", ".nodes | length")
	if said != "1\n" {
		t.Errorf("after --prune %q goals are left", said)
	}
	author.svc(0, "diff", second)
}

// fillForCode makes one of each kind.
func fillForCode(t *testing.T, d *Dev, studio *Studio, author authored) {
	t.Helper()
	app := d.Apps[0].ID
	manifest := example(t, "branching-onboarding")
	flow, version := studio.Publish(app, "Onboarding", manifest)
	_, other := studio.Publish(app, "Other", manifest)
	studio.Pin(studio.CreateChannel(app, "Welcome"), version)
	var draft struct{ CreateExperiment struct{ ID string } }
	studio.Query(`mutation($c: ChannelID!, $e: Time!, $v: [VariantInput!]) { createExperiment(input: {channelId: $c, name: "Words", endsAt: $e, variants: $v}) { id } }`,
		map[string]any{"c": studio.CreateChannel(app, "Tried"), "e": time.Now().Add(24 * time.Hour), "v": []any{
			map[string]any{"key": "control", "weight": 1, "versionId": version},
			map[string]any{"key": "short", "weight": 1, "versionId": other},
		}}, &draft)
	author.svc(0, "experiment", "start", draft.CreateExperiment.ID)
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	author.svc(0, "goals", "create", app, "Sign up", write("g", `{"event": {"name": "sign_up"}}`))
	var welcomed, automation struct{ ID string }
	author.read(&welcomed, "goals", "create", app, "Welcomed", write("h", `{"flow": {"flowId": "`+flow+`", "outcome": "COMPLETED"}}`))
	author.svc(0, "experiment", "goals", draft.CreateExperiment.ID, "--goal", welcomed.ID)
	author.svc(0, "segments", "create", app, "Buyers", "--days", "30", "--rules",
		write("s", `{"where": {"money": {"kind": "PURCHASED"}}}`))
	author.read(&automation, "automations", "create", app, "Remind", write("a", `{"trigger": {"type": "goal", "goalId": "`+
		welcomed.ID+`"}, "nodes": [{"id": "wait", "type": "delay", "seconds": 60}]}`))
	author.svc(0, "automations", "publish", automation.ID)
	author.svc(0, "automations", "activate", automation.ID)
	studio.Query(`mutation($a: ID!, $b: JSON!) { updateBranding(input: {appId: $a, branding: $b}) { id } }`, map[string]any{
		"a": app, "b": map[string]any{"colorPresets": []any{map[string]any{"name": "Leaf", "value": "#00aa55"}}},
	}, nil)
}
