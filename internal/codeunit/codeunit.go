// Package codeunit measures text in UTF-16 code units, the unit of every length
// limit on the wire (wire.md §1): what JavaScript calls length.
package codeunit

import "unicode/utf8"

// Count returns the length of s. A byte that is not UTF-8 counts as one.
func Count(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// Clip cuts s to at most limit code units, never inside a character.
func Clip(s string, limit int) string {
	if len(s) <= limit { // a code unit is at least one byte
		return s
	}
	n := 0
	for i, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
		if n > limit {
			return s[:i]
		}
	}
	return s
}
