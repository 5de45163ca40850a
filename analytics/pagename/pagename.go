// Package pagename makes the names of pages readable: escapes of a path become the characters that they
// stand for, so that a page has one name in whatever script and however its address was written
// (docs/analytics.md, "Names of pages"). The web SDK follows the same rules and vectors (readable-paths.json).
package pagename

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/svc-dev/svc/internal/codeunit"
)

// NoLimit leaves a name as long as it is.
const NoLimit = 0

// Readable returns the readable form of the name of a view, cut to at most limit UTF-16 code units, never inside
// a character or an escape. Only a path, which begins with a slash, has escapes: other names of screens stay as
// they are, except for the cut. What is readable already stays as it is.
func Readable(name string, limit int) string {
	if !strings.HasPrefix(name, "/") || strings.IndexByte(name, '%') < 0 {
		return clip(name, limit)
	}
	decoded, whole := decode(name, limit)
	trimmed := strings.TrimRightFunc(decoded, unicode.IsSpace)
	if !whole || trimmed == decoded {
		return trimmed
	}
	// Names are trimmed wherever they are sent or stored: escaped, the space that a path ends in stays.
	escaped := trimmed
	for _, b := range []byte(decoded[len(trimmed):]) {
		escaped = string(appendEscape([]byte(escaped), b))
	}
	if limit != NoLimit && codeunit.Count(escaped) > limit {
		return trimmed
	}
	return escaped
}

// ReadableURL returns an address with a readable path, cut like one. What comes before the path, and a query or
// a fragment, stays as it is.
func ReadableURL(address string, limit int) string {
	start := strings.Index(address, "://")
	if start < 0 || strings.IndexByte(address, '%') < 0 {
		return clip(address, limit)
	}
	start += len("://")
	slash := strings.IndexAny(address[start:], "/?#")
	if slash < 0 || address[start+slash] != '/' {
		return clip(address, limit)
	}
	head, path := address[:start+slash], address[start+slash:]
	tail := ""
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path, tail = path[:end], path[end:]
	}
	return clip(head+Readable(path, NoLimit)+tail, limit)
}

// Spellings returns the values of a filter on pages with the readable forms of those that are not: filters that
// were saved with escapes, or copied from an address, find the page. A part of a name counts as well.
func Spellings(values []string) []string {
	all := values
	for _, value := range values {
		if strings.IndexByte(value, '%') < 0 {
			continue
		}
		if decoded, _ := decode(value, NoLimit); decoded != value {
			all = append(all[:len(all):len(all)], decoded)
		}
	}
	return all
}

// clip cuts a text between its characters and escapes.
func clip(text string, limit int) string {
	if limit == NoLimit || len(text) <= limit {
		return text
	}
	kept := 0 // bytes
	for n := 0; kept < len(text); {
		_, size := token(text[kept:])
		if n += codeunit.Count(text[kept : kept+size]); n > limit {
			break
		}
		kept += size
	}
	return text[:kept]
}

// decode decodes the escapes of a path and reports whether all of it is within the limit.
func decode(path string, limit int) (decoded string, whole bool) {
	out := make([]byte, 0, len(path))
	length := 0
	for rest := path; rest != ""; {
		r, size := token(rest)
		piece := rest[:size]
		rest = rest[size:]
		if piece[0] == '%' && size > 1 {
			if r == utf8.RuneError || staysEscaped(r, out, rest) {
				piece = strings.ToUpper(piece)
			} else {
				piece = string(r)
			}
		}
		if length += codeunit.Count(piece); limit != NoLimit && length > limit {
			return string(out), false
		}
		out = append(out, piece...)
	}
	return string(out), true
}

// token returns what a text begins with: a character as it is, all escapes of a character, or an escape that is
// of none, for which r is utf8.RuneError.
func token(text string) (r rune, size int) {
	if text[0] != '%' {
		return utf8.DecodeRuneInString(text)
	}
	var encoded [utf8.UTFMax]byte
	n := 0
	for n < len(encoded) && isEscape(text[3*n:]) {
		encoded[n] = unhex(text[3*n+1])<<4 | unhex(text[3*n+2])
		n++
	}
	if n == 0 {
		return '%', 1
	}
	r, size = utf8.DecodeRune(encoded[:n])
	if r == utf8.RuneError && size == 1 {
		return utf8.RuneError, 3
	}
	return r, 3 * size
}

// staysEscaped tells whether a character of a path must stay escaped: a slash, which parts a path otherwise;
// what cannot be seen or turns the text around it; and what would make an escape of its neighbors that was none,
// so that two pages would have one name.
func staysEscaped(r rune, before []byte, after string) bool {
	switch {
	case r == '/', r == utf8.RuneError, unicode.IsControl(r):
		return true
	case r == 0xAD, r == 0x61C, r == 0x200B, r == 0x200E, r == 0x200F, r >= 0x2028 && r <= 0x202E,
		r >= 0x2060 && r <= 0x2069, r == 0xFEFF:
		return true
	case r == '%':
		return isEscape("%" + after)
	case r < utf8.RuneSelf && isHex(byte(r)):
		n := len(before)
		return n > 0 && before[n-1] == '%' || n > 1 && before[n-2] == '%' && isHex(before[n-1])
	}
	return false
}

func isEscape(text string) bool {
	return len(text) >= 3 && text[0] == '%' && isHex(text[1]) && isHex(text[2])
}

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}

// unhex returns the value of a hexadecimal digit.
func unhex(b byte) byte {
	if b <= '9' {
		return b - '0'
	}
	return b&^0x20 - 'A' + 10
}

func appendEscape(out []byte, b byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(out, '%', digits[b>>4], digits[b&15])
}
