package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// namedTest is a test that docs/what-others-got-wrong.md names: its file, and a text in it.
var namedTest = regexp.MustCompile("\\| `([^`]+)` \"([^\"]+)\" \\|")

// TestReportsOfOthersNameTheirTests finds each test that the table of others' faults names.
func TestReportsOfOthersNameTheirTests(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "what-others-got-wrong.md"))
	require.NoError(t, err)
	rows := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| [") {
			continue
		}
		rows++
		named := namedTest.FindStringSubmatch(line)
		require.NotNil(t, named, "no test: %s", line)
		file, err := os.ReadFile(filepath.Join(root, named[1]))
		require.NoError(t, err)
		require.Contains(t, string(file), named[2], named[1])
	}
	require.NotZero(t, rows)
}
