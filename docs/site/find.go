package site

import (
	"regexp"
	"strings"

	"github.com/svc-dev/svc/docs"
)

// results bounds how many sections a search finds.
const results = 20

// result is a section that a search found.
type result struct {
	Page, Heading, Address string
	// Excerpt is the beginning of the section's text, or what stands around the first word that was searched for.
	Excerpt string
}

// find returns the sections that have words of a query, the best first.
func (s *Site) find(query string) []result {
	var list []result
	for _, section := range docs.Search(query, results) {
		on := s.pages[nameOf(section.Page)]
		if on == nil {
			continue
		}
		address := "/docs/" + on.Name
		if anchor := on.anchors[section.Heading]; anchor != "" {
			address += "#" + anchor
		}
		list = append(list, result{
			Page: on.Title, Heading: strings.ReplaceAll(section.Heading, "`", ""), Address: address,
			Excerpt: excerpt(section.Text, strings.Fields(strings.ToLower(query))),
		})
	}
	return list
}

// What Markdown has beside words.
var (
	fence = regexp.MustCompile("(?m)^```.*$")
	link  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	marks = strings.NewReplacer("`", "", "**", "", "|", " ", "---", "")
)

// excerptBytes is about how long an excerpt is.
const excerptBytes = 220

// excerpt cuts a text around the first of the words that it has, at spaces.
func excerpt(text string, words []string) string {
	text = marks.Replace(link.ReplaceAllString(fence.ReplaceAllString(text, ""), "$1"))
	text = strings.Join(strings.Fields(text), " ")
	at, lower := 0, strings.ToLower(text)
	for _, word := range words {
		if found := strings.Index(lower, word); found >= 0 {
			at = max(0, found-excerptBytes/3)
			break
		}
	}
	at = min(at, len(text))
	if at > 0 {
		at += strings.IndexByte(text[at:], ' ') + 1
	}
	cut := strings.ToValidUTF8(text[at:min(len(text), at+excerptBytes)], "")
	if at+excerptBytes < len(text) {
		cut = cut[:max(strings.LastIndexByte(cut, ' '), 0)] + " …"
	}
	if at > 0 {
		cut = "… " + cut
	}
	return cut
}
