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

// testFiles reads the tests of the repository by what is not generated or installed.
func testFiles(t *testing.T) (texts []string) {
	t.Helper()
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || path != root && strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		texts = append(texts, string(text))
		return err
	}))
	return texts
}

// Every row of the limits of requests names tests, and those exist, by their parts.
func TestLimitsAreHeldByTestsThatExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| request | stranger |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(strings.TrimSpace(table), "\n")[2:] // behind the head
	require.Greater(t, len(rows), 15)
	texts := testFiles(t)
	named := regexp.MustCompile("`(Test[A-Za-z0-9]+)(?:/([a-z-]+))?`")
	for _, row := range rows {
		tests := named.FindAllStringSubmatch(row, -1)
		require.NotEmpty(t, tests, row)
		for _, test := range tests {
			exists := false
			for _, text := range texts {
				exists = exists || strings.Contains(text, "\nfunc "+test[1]+"(t *testing.T)") &&
					(test[2] == "" || strings.Contains(text, `"`+test[2]+`"`))
			}
			require.True(t, exists, test[0])
		}
	}
}
