// Package docstest reads the examples of the documentation, so that tests can run them.
package docstest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Example is a page, or a block of code of one.
type Example struct {
	Page string // the page's path below the repository
	Text string
}

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

// Examples returns the blocks in a language of the pages that the patterns match, such as docs/*.md. Root leads from
// the test's package to the repository. A pattern without a block fails the test: it would prove nothing.
func Examples(t testing.TB, root, language string, patterns ...string) []Example {
	t.Helper()
	var examples []Example
	for _, pattern := range patterns {
		before := len(examples)
		for _, page := range Pages(t, root, pattern) {
			for _, block := range fence.FindAllStringSubmatch(page.Text, -1) {
				if block[1] == language {
					examples = append(examples, Example{Page: page.Page, Text: block[2]})
				}
			}
		}
		if len(examples) == before {
			t.Fatalf("no page like %s has an example in %s", pattern, language)
		}
	}
	return examples
}

// Pages returns the pages that the patterns match, whole.
func Pages(t testing.TB, root string, patterns ...string) []Example {
	t.Helper()
	var pages []Example
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			pages = append(pages, Example{Page: name, Text: string(text)})
		}
	}
	return pages
}
