// Package docs holds the pages of this folder, so that a server can show and search the documentation of its own
// version.
package docs

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed *.md sdk/*.md images/*.webp sql/*.json
var files embed.FS

// Files returns the pages, Markdown, the pictures on them, and the files for other tools, at their paths in this
// folder.
func Files() embed.FS { return files }

// Section is a part of a page under one heading.
type Section struct {
	// Page is the path of the file in this folder, such as sdk/consent.md.
	Page    string `json:"page"`
	Heading string `json:"heading"`
	// Text is Markdown, without the heading, of at most 1,500 bytes.
	Text string `json:"text"`

	words string // lower case, of heading and text
}

// maxText bounds the text of a section that is found.
const maxText = 1500

var sections = sync.OnceValue(func() []Section {
	var all []Section
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		text, err := files.ReadFile(name)
		all = append(all, split(name, string(text))...)
		return err
	})
	if err != nil {
		panic(fmt.Errorf("read the documentation: %w", err)) // it is in the binary
	}
	return all
})

// split cuts a page at its headings; lines of code that look like one are none.
func split(page, text string) []Section {
	var list []Section
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if heading := strings.TrimLeft(line, "#"); len(heading) < len(line) && !code || len(list) == 0 {
			list = append(list, Section{Page: page, Heading: strings.TrimSpace(heading)})
			continue
		}
		list[len(list)-1].Text += line
	}
	for i := range list {
		list[i].Text = strings.TrimSpace(list[i].Text)
		list[i].words = strings.ToLower(list[i].Heading + "\n" + list[i].Text)
	}
	return list
}

// Search returns at most so many sections that have a word of the query, those with most of its words first, then those
// with one in the heading.
func Search(query string, most int) []Section {
	words := strings.Fields(strings.ToLower(query))
	type match struct {
		Section
		score int
	}
	var found []match
	for _, section := range sections() {
		m := match{Section: section}
		for _, word := range words {
			if n := strings.Count(section.words, word); n > 0 {
				m.score += 100 + min(n, 9)
			}
			if strings.Contains(strings.ToLower(section.Heading), word) {
				m.score += 50
			}
		}
		if m.score > 0 {
			found = append(found, m)
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	list := []Section{}
	for _, m := range found[:min(most, len(found))] {
		if len(m.Text) > maxText {
			m.Text = strings.ToValidUTF8(m.Text[:maxText], "") + "…"
		}
		list = append(list, m.Section)
	}
	return list
}
