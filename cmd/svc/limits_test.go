package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every row of the table of limits names tests that hold it, and they are there.
func TestTheTableOfLimitsNamesItsTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "## Limits of requests\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var sources strings.Builder
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		sources.Write(text)
		return err
	}))
	rows := 0
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| request ") {
			continue
		}
		rows++
		tests := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(line, -1)
		require.NotEmpty(t, tests, line)
		for _, test := range tests {
			require.Contains(t, sources.String(), "func "+test[1]+"(t *testing.T)", line)
		}
	}
	require.Greater(t, rows, 10)
}
