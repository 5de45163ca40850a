package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-dev/svc/internal/docstest"
)

// looked runs svc and fails where a report is empty: what a page asks for, the demo has.
const looked = `set -eu
svc() {
	local out
	out=$(command svc "$@") || { echo "failed: svc $*" >&2; return 1; }
	case "$*" in
	*" compare "*) grep -q '"starts": [1-9]' <<< "$out" || { echo "finds nobody: svc $*" >&2; return 1; } ;;
	analytics*) [ -n "$out" ] || { echo "prints nothing: svc $*" >&2; return 1; } ;;
	esac
	printf '%s\n' "$out"
}
`

// What pages have of the command line is pasted into a shell beside the demo, each page from its top to its end, after
// the variables of docs/command-line.md.
func TestCommandsAreRunAsTheDocsSay(t *testing.T) {
	d := StartDev(t, nil, "--demo=small")
	t.Setenv("PATH", filepath.Dir(Binary(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("SVC_API_URL", d.BaseURL)
	t.Setenv("SVC_API_KEY", d.APIKey)
	t.Setenv("SVC_DATABASE_URL", d.DatabaseURL) // rates and replays are the operator's
	variables := docstest.Examples(t, "../../..", "sh", "docs/command-line.md")[1].Text
	if !strings.HasPrefix(variables, "APP=") {
		t.Fatalf("docs/command-line.md begins with other variables: %s", variables)
	}
	for _, tried := range []struct {
		page     string
		commands int
	}{{"graphql", 0}, {"experiments", 13}, {"automations", 9}, {"command-line", 100}} {
		page := tried.page
		script := strings.Builder{}
		for _, block := range docstest.Examples(t, "../../..", "sh", "docs/"+page+".md") {
			if block.Text != variables && !regexp.MustCompile(`^(export|git) `).MatchString(block.Text) {
				script.WriteString(block.Text)
			}
		}
		if commands := strings.Count(script.String(), "svc "); commands < tried.commands {
			t.Errorf("%s has %d commands", page, commands)
		}
		shell := exec.CommandContext(t.Context(), "bash", "-c", looked+variables+script.String())
		shell.Dir = t.TempDir()
		if output, err := shell.CombinedOutput(); err != nil {
			t.Errorf("docs/%s.md: %v\n%s", page, err, output[max(0, len(output)-3000):])
		}
	}
}
