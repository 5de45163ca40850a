package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-dev/svc/internal/docstest"
)

// The programs of docs/backend.md send what they say: each stores its order, and reports have them.
func TestBackendsSendEventsAsTheDocsSay(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	t.Setenv("API_URL", d.BaseURL)
	t.Setenv("PUBLISHABLE_KEY", d.Apps[0].Environments["live"].PublishableKey)
	t.Setenv("PERSON", "user-42")
	dir := t.TempDir()
	var want []string
	for _, c := range []struct {
		language, file, order string
		run                   []string
	}{
		{"sh", "order.sh", "order-1001", []string{"bash", "-eu"}},
		{"js", "order.mjs", "order-1002", []string{"node"}},
		{"python", "order.py", "order-1003", []string{"python3"}},
		{"go", "order.go", "order-1004", []string{"go", "run"}},
	} {
		blocks := docstest.Examples(t, "../../..", c.language, "docs/backend.md")
		file := filepath.Join(dir, c.file)
		// The page begins with the variables, which are set above.
		if err := os.WriteFile(file, []byte(blocks[len(blocks)-1].Text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := exec.LookPath(c.run[0]); err != nil {
			t.Logf("%s is not installed: its example was not run", c.run[0])
			continue
		}
		output, err := exec.CommandContext(t.Context(), c.run[0], append(c.run[1:], file)...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", c.language, err, output)
		}
		want = append(want, c.order)
	}
	var recent struct {
		App struct {
			RecentEvents struct {
				Nodes []struct{ EventID, AppUserID string }
			}
		}
	}
	d.SignIn(t, d.BaseURL).Query(
		`query($a: ID!) { app(id: $a) { recentEvents(name: "order_paid") { nodes { eventId appUserId } } } }`,
		map[string]any{"a": d.Apps[0].ID}, &recent,
	)
	var have []string
	for _, event := range recent.App.RecentEvents.Nodes {
		if event.AppUserID == "user-42" {
			have = append(have, event.EventID)
		}
	}
	slices.Sort(have)
	if !slices.Equal(have, want) || len(want) < 3 {
		t.Errorf("stored %v, sent %v", have, want)
	}
}
