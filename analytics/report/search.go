package report

import (
	"strings"
	"unicode"
)

// foldCase maps letters that differ only in case to one of them, by Unicode's simple case folding
// (analytics.md §2): one letter to one letter, the same everywhere. So ς is σ and the Kelvin sign a k,
// but neither is İ an i nor ß ss.
func foldCase(text string) string { return strings.Map(foldLetter, text) }

func foldLetter(r rune) rune {
	// A letter and its other cases are a ring; its first member stands for all.
	first := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		first = min(first, other)
	}
	return first
}
