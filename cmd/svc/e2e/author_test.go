package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authored is an author's working directory and the server that the flows are pushed to.
type authored struct {
	t   *testing.T
	env []string
}

// svc runs a command and returns what it printed; the exit code must be the wanted one.
func (a authored) svc(want int, args ...string) (stdout, stderr string) {
	a.t.Helper()
	exit, stdout, stderr := Run(a.t, a.env, args...)
	if exit != want {
		a.t.Fatalf("svc %v: exit %d, want %d\n%s%s", args, exit, want, stdout, stderr)
	}
	return stdout, stderr
}

// read runs a command that succeeds and decodes what it printed.
func (a authored) read(into any, args ...string) {
	a.t.Helper()
	stdout, _ := a.svc(0, args...)
	if err := json.Unmarshal([]byte(stdout), into); err != nil {
		a.t.Fatalf("svc %v printed %q: %v", args, stdout, err)
	}
}

// edit replaces a text in a file.
func (a authored) edit(path, before, after string) {
	a.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), before) {
		a.t.Fatalf("%s has no %s: %v", path, before, err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), before, after)), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

func (a authored) has(text string, parts ...string) {
	a.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			a.t.Errorf("%q does not say %s", text, part)
		}
	}
}

// A flow goes from the server into a file and back, and from there to people, by the command line alone.
func TestAuthorsKeepFlowsInARepository(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	studio := d.SignIn(t, d.BaseURL)
	app := d.Apps[0].ID
	key := func(scopes ...string) string {
		var viewer struct {
			Viewer struct {
				Workspaces struct {
					Nodes []struct{ Workspace struct{ ID string } }
				}
			}
		}
		studio.Query(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil, &viewer)
		var made struct{ CreateAPIKey struct{ Secret string } }
		studio.Query(`mutation($w: ID!, $s: [Capability!]!) { createApiKey(input: {workspaceId: $w, name: "author", scopes: $s}) { secret } }`,
			map[string]any{"w": viewer.Viewer.Workspaces.Nodes[0].Workspace.ID, "s": scopes}, &made)
		return made.CreateAPIKey.Secret
	}
	with := func(secret string) authored {
		config := filepath.Join(d.Dir, "none.json")
		return authored{t, []string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + secret, "SVC_CONFIG_PATH=" + config}}
	}
	author := with(key("STUDIO_READ", "FLOW_EDIT", "FLOW_PUBLISH", "CHANNEL_MANAGE", "EXPERIMENT_MANAGE"))
	manifest := example(t, "branching-onboarding")
	flow, _ := studio.Publish(app, "Onboarding", manifest)
	channel := studio.CreateChannel(app, "Welcome")
	file := filepath.Join(t.TempDir(), "onboarding.json")

	// Pulled files are equal while the flow is, and valid without a server.
	author.svc(0, "flow", "pull", flow, "--out", file)
	pulled, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := author.svc(0, "flow", "pull", flow); again != string(pulled) {
		t.Error("two pulls differ")
	}
	offline := authored{t, []string{"SVC_API_URL=http://127.0.0.1:1", "SVC_CONFIG_PATH=/nowhere/config.json"}}
	offline.svc(0, "flow", "validate", file)
	author.svc(0, "flow", "diff", flow, file)

	// A change is told, tried, pushed, and told no more.
	author.edit(file, `"entryScreenId": "`, `"entryScreenId": "nowhere_`)
	said, wrong := offline.svc(1, "flow", "validate", file)
	offline.has(said, "graph.unknown_entry", "/entryScreenId")
	offline.has(wrong, "invalid_manifest", file)
	author.edit(file, `"entryScreenId": "nowhere_`, `"entryScreenId": "`)
	author.edit(file, `"name": "Goal"`, `"name": "New Goal"`)
	said, _ = author.svc(1, "flow", "diff", flow, file, "-o", "text")
	author.has(said, `~ screen "New Goal" (`, `: name "Goal" -> "New Goal"`)
	var compared struct {
		From    string
		Changes []struct{ Kind, Pointer string }
	}
	said, _ = author.svc(1, "flow", "diff", flow, file, "--version", "1")
	if err := json.Unmarshal([]byte(said), &compared); err != nil || compared.From != "version 1" ||
		len(compared.Changes) == 0 || compared.Changes[0].Kind != "changed" {
		t.Errorf("the difference is %+v: %v", compared, err)
	}
	var pushed struct {
		Flow            struct{ DraftRevision int }
		Changed, DryRun bool
		Changes         []string
	}
	author.read(&pushed, "flow", "push", flow, file, "--dry-run")
	if !pushed.Changed || !pushed.DryRun || pushed.Flow.DraftRevision != 2 ||
		len(pushed.Changes) != len(compared.Changes) {
		t.Errorf("the dry run says %+v", pushed)
	}
	author.svc(1, "flow", "diff", flow, file)
	author.read(&pushed, "flow", "push", flow, file)
	if !pushed.Changed || pushed.DryRun || pushed.Flow.DraftRevision != 2 {
		t.Errorf("the push says %+v", pushed)
	}
	author.svc(0, "flow", "diff", flow, file)
	author.read(&pushed, "flow", "push", flow, file)
	if pushed.Changed || pushed.Flow.DraftRevision != 2 || len(pushed.Changes) != 0 {
		t.Errorf("pushed twice: %+v", pushed)
	}

	// A pushed file can be edited and pushed again; what others saved since is never overwritten.
	earlier := filepath.Join(t.TempDir(), "earlier.json")
	author.svc(0, "flow", "pull", flow, "--out", earlier)
	author.edit(file, `"name": "New Goal"`, `"name": "Newer Goal"`)
	author.read(&pushed, "flow", "push", flow, file)
	if pushed.Flow.DraftRevision != 3 {
		t.Errorf("the second push says %+v", pushed)
	}
	base := filepath.Join(t.TempDir(), "base.json")
	copyFile(t, file, base)
	author.edit(earlier, `"name": "New Goal"`, `"name": "Mine Goal"`)
	before, _ := author.svc(0, "flow", "pull", flow)
	_, refused := author.svc(3, "flow", "push", flow, earlier)
	author.has(refused, `"conflict"`, "revision 3", "svc flow diff", "--revision")
	_, refused = author.svc(3, "flow", "push", flow, earlier, "--dry-run")
	author.has(refused, `"conflict"`)
	_, refused = author.svc(3, "flow", "push", flow, earlier, "--base", earlier)
	author.has(refused, `"conflict"`, earlier)
	if after, _ := author.svc(0, "flow", "pull", flow); after != before {
		t.Error("a refused push changed the draft")
	}
	author.read(&pushed, "flow", "push", flow, earlier, "--base", base)
	if !pushed.Changed || pushed.Flow.DraftRevision != 4 {
		t.Errorf("the push on a base says %+v", pushed)
	}
	author.read(&pushed, "flow", "push", flow, file, "--revision", "4")
	if pushed.Flow.DraftRevision != 5 {
		t.Errorf("the push on a revision says %+v", pushed)
	}
	other, second := studio.Publish(app, "Other", manifest)
	_, refused = author.svc(2, "flow", "push", other, file)
	author.has(refused, "svc flow pull", "--revision")

	// Publishing, pinning and explaining.
	var published struct {
		Version struct{ ID, Label string }
	}
	author.read(&published, "flow", "publish", flow, "--label", "Spring", "--dry-run")
	var listed struct {
		Nodes []struct {
			ID, Name string
			Versions struct{ TotalCount int }
		}
	}
	author.read(&listed, "flow", "list", app)
	if len(listed.Nodes) != 2 || listed.Nodes[0].Name != "Onboarding" || listed.Nodes[0].Versions.TotalCount != 1 {
		t.Errorf("the flows after a dry run are %+v", listed)
	}
	author.read(&published, "flow", "publish", flow, "--label", "Spring")
	first := published.Version.ID
	author.read(&struct{}{}, "channel", "pin", channel, flow, "--dry-run")
	var explained struct {
		Reason  string
		Refusal *string
		Bucket  *int
		Arm     *struct {
			Version struct{ ID string }
			Variant struct{ Key string }
		}
		Arms []struct{ Share float64 }
	}
	author.read(&explained, "channel", "explain", channel)
	if explained.Refusal == nil || *explained.Refusal != "channel_unassigned" || explained.Reason == "" {
		t.Errorf("a channel without a pin is explained as %+v", explained)
	}
	author.svc(0, "channel", "pin", channel, flow)
	author.read(&explained, "channel", "explain", channel)
	if explained.Refusal != nil || explained.Arm.Version.ID != first || explained.Arms[0].Share != 1 {
		t.Errorf("a pinned channel is explained as %+v", explained)
	}
	var draft struct{ CreateExperiment struct{ ID string } }
	studio.Query(`mutation($c: ChannelID!, $e: Time!, $v: [VariantInput!]) { createExperiment(input: {channelId: $c, name: "Words", endsAt: $e, variants: $v}) { id } }`,
		map[string]any{"c": channel, "e": time.Now().Add(24 * time.Hour), "v": []any{
			map[string]any{"key": "control", "weight": 1, "versionId": first},
			map[string]any{"key": "short", "weight": 1, "versionId": second},
		}}, &draft)
	experiment := draft.CreateExperiment.ID
	author.svc(0, "experiment", "start", experiment, "--dry-run")
	states := func() string {
		stdout, _ := author.svc(0, "experiment", "list", channel, "--jq", ".nodes[].status")
		return strings.TrimSpace(stdout)
	}
	if state := states(); state != "DRAFT" {
		t.Errorf("after a dry run the experiment is %s", state)
	}
	author.svc(0, "experiment", "start", experiment)
	_, refused = author.svc(3, "experiment", "start", experiment)
	author.has(refused, `"conflict"`)
	_, refused = author.svc(3, "channel", "pin", channel, flow, "--dry-run")
	author.has(refused, `"conflict"`, "experiment")
	author.read(&explained, "channel", "explain", channel, "--user", "dev-1")
	if explained.Bucket == nil || explained.Arm == nil || len(explained.Arms) != 2 {
		t.Fatalf("a person in an experiment is explained as %+v", explained)
	}
	answer, err := Do(
		Browser(), "POST", d.BaseURL+"/v1/sdk/resolve", map[string]any{"identity": map[string]any{"appUserId": "dev-1"}},
		"Authorization", "Bearer "+d.Apps[0].Environments["live"].PublishableKey, "X-Svc-Channel", channel,
	)
	var served struct {
		VersionID  string
		Experiment struct{ VariantKey string }
	}
	answer.Decode(t, &served)
	if err != nil || served.VersionID != explained.Arm.Version.ID ||
		served.Experiment.VariantKey != explained.Arm.Variant.Key {
		t.Errorf("served %+v, explained as %+v: %v", served, explained.Arm, err)
	}
	author.svc(0, "experiment", "stop", experiment)
	if state := states(); state != "STOPPED" {
		t.Errorf("after a stop the experiment is %s", state)
	}
	reasons, _ := author.svc(0, "channel", "history", channel, "--jq", ".nodes[].reason")
	if reasons != "experiment.stop\nexperiment.start\npin\n" {
		t.Errorf("the history is %q", reasons)
	}
	names, _ := author.svc(0, "channel", "list", app, "-o", "csv")
	author.has(names, "Welcome", channel)

	// Preview links open, and a key without a scope does nothing.
	var link struct{ Token, URL string }
	author.read(&link, "preview", flow, "--page", "https://app.example.com/welcome?a=b")
	author.has(link.URL, "https://app.example.com/welcome?a=b&svc.preview="+link.Token)
	reader := with(key("STUDIO_READ"))
	reader.svc(0, "flow", "pull", flow)
	for _, write := range [][]string{
		{"flow", "push", flow, earlier, "--revision", "5"}, {"flow", "publish", flow}, {"channel", "pin", channel, flow},
		{"experiment", "stop", experiment}, {"preview", flow},
	} {
		_, refused := reader.svc(4, write...)
		reader.has(refused, `"forbidden"`)
		if write[0] != "preview" {
			reader.svc(4, append(write, "--dry-run")...)
		}
	}
	with(key("ANALYTICS_READ")).svc(4, "channel", "explain", channel)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
