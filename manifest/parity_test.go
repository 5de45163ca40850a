package manifest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The list in the documentation is the table.
func TestDifferencesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/command-line.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, d := range Differences() {
		where := "all"
		if slices.Equal(d.Platforms, []Platform{Mobile}) {
			where = "phones"
		} else if slices.Equal(d.Platforms, []Platform{Web}) {
			where = "web"
		}
		want = append(want, "| `"+d.Code+"` | "+d.Sentence+" | "+where+" |")
	}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| `parity.") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/command-line.md has\n%s\nthe table\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
