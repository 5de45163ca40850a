package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-dev/svc/internal/docstest"
)

// The reports of docs/command-line.md are pasted into a shell beside the demo: each prints something, and variants are
// found by their keys.
func TestReportsAreAskedForAsTheDocsSay(t *testing.T) {
	d := StartDev(t, nil, "--demo=small")
	dir := t.TempDir()
	if err := os.Symlink(Binary(t), filepath.Join(dir, "svc")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("SVC_API_URL", d.BaseURL)
	t.Setenv("SVC_API_KEY", d.APIKey)
	var variables string
	reports := 0
	for _, block := range docstest.Examples(t, "../../..", "sh", "docs/command-line.md") {
		switch {
		case strings.HasPrefix(block.Text, "APP="):
			variables = block.Text
		case strings.HasPrefix(block.Text, "svc analytics "):
			for line := range strings.Lines(block.Text) {
				line, _, _ = strings.Cut(line, " > ") // what is printed is looked at
				script := exec.CommandContext(t.Context(), "bash", "-euc", variables+line)
				output, err := script.CombinedOutput()
				if err != nil || len(output) == 0 {
					t.Errorf("%s\nprints %q: %v", line, output, err)
				}
				// The demo's other variant is another flow, which this one's reports do not have.
				if strings.Contains(line, " compare ") {
					var compared struct {
						Sides []struct{ Overview struct{ Starts int } }
					}
					if err := json.Unmarshal(output, &compared); err != nil || compared.Sides[0].Overview.Starts == 0 {
						t.Errorf("%s\nfinds nobody: %s (%v)", line, output, err)
					}
				}
				reports++
			}
		}
	}
	if reports < 15 {
		t.Errorf("the page has %d reports", reports)
	}
}
