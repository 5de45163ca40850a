package bodylimit

import "bytes"

// ValueBytes is about what a decoded JSON value takes of memory: an interface, and its
// entry in a map or a list.
const ValueBytes = 100

// CountValues returns how many values JSON text has, at least: one for every comma and
// every opening bracket outside of strings.
func CountValues(text []byte) int {
	count := 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ',', '[', '{':
			count++
		case '"':
			i += endOfString(text[i+1:]) + 1
		}
	}
	return count
}

// endOfString returns where the quote stands that ends a JSON string, or the length
// of a text that none ends.
func endOfString(text []byte) int {
	for i := 0; ; i++ {
		next := bytes.IndexByte(text[i:], '"')
		if next < 0 {
			return len(text)
		}
		i += next
		escapes := 0
		for escapes < i && text[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}
