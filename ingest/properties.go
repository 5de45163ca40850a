package ingest

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// compactor rewrites one valid JSON value without white space and with the
// escapes that JSON.stringify uses, so that its length is the one the client
// counted and every accepted value can be stored as jsonb: lone surrogates and
// bytes that are not UTF-8 become U+FFFD.
type compactor struct {
	in    []byte
	pos   int
	out   []byte
	units int // UTF-16 code units written
	depth int // of the current value; the outermost object is 1
	limit ObjectLimits
	code  string
	fault string
}

// ObjectLimits bound a JSON object of the wire.
type ObjectLimits struct {
	Units int // UTF-16 code units in compact form
	Depth int // of nesting; a flat object has depth 1
}

// propertiesLimits are those of event properties (analytics.md §1).
var propertiesLimits = ObjectLimits{Units: maxPropertiesUnits, Depth: maxPropertiesDepth}

func compactObject(field string, raw []byte) ([]byte, *Reject) {
	return CompactObject(field, raw, propertiesLimits)
}

// CompactObject rewrites raw, which must be one valid JSON value, into compact
// form, with the escapes of JSON.stringify. It refuses what is not an object,
// what is over the limits, and what jsonb can't store. The reject's message
// begins with field.
func CompactObject(field string, raw []byte, limit ObjectLimits) ([]byte, *Reject) {
	trimmed := bytes.TrimLeft(raw, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, &Reject{Code: CodePropertiesInvalid, Message: field + " is not a JSON object"}
	}
	c := &compactor{in: trimmed, out: make([]byte, 0, min(len(trimmed), limit.Units)), limit: limit}
	if !c.value() {
		return nil, &Reject{Code: c.code, Message: field + " " + c.fault}
	}
	return c.out, nil
}

func (c *compactor) fail(code, fault string) bool {
	c.code, c.fault = code, fault
	return false
}

// emit writes ASCII text and checks the limit.
func (c *compactor) emit(text ...byte) bool {
	c.out = append(c.out, text...)
	c.units += len(text)
	return c.units <= c.limit.Units || c.tooLarge()
}

func (c *compactor) tooLarge() bool {
	return c.fail(
		CodePropertiesTooLarge, "is longer than "+strconv.Itoa(c.limit.Units)+" UTF-16 code units in compact form",
	)
}

func (c *compactor) skipSpace() {
	for c.pos < len(c.in) {
		switch c.in[c.pos] {
		case ' ', '\t', '\r', '\n':
			c.pos++
		default:
			return
		}
	}
}

func (c *compactor) peek() byte {
	c.skipSpace()
	if c.pos < len(c.in) {
		return c.in[c.pos]
	}
	return 0
}

// rewrite appends another valid JSON value.
func (c *compactor) rewrite(raw []byte) bool {
	c.in, c.pos = raw, 0
	return c.value()
}

func (c *compactor) value() bool {
	switch c.peek() {
	case '{', '[':
		return c.container()
	case '"':
		return c.text()
	case 0:
		return c.fail(CodePropertiesInvalid, "is not valid JSON")
	default:
		return c.literal()
	}
}

// container rewrites an object or an array.
func (c *compactor) container() bool {
	c.depth++
	if c.depth > c.limit.Depth {
		return c.fail(CodePropertiesTooDeep, "is nested deeper than "+strconv.Itoa(c.limit.Depth))
	}
	open, end := c.in[c.pos], byte('}')
	if open == '[' {
		end = ']'
	}
	c.pos++
	if !c.emit(open) {
		return false
	}
	for first := true; c.peek() != end; first = false {
		if !first {
			if c.peek() != ',' {
				return c.fail(CodePropertiesInvalid, "is not valid JSON")
			}
			c.pos++
			if !c.emit(',') {
				return false
			}
		}
		if open == '{' {
			if c.peek() != '"' {
				return c.fail(CodePropertiesInvalid, "is not valid JSON")
			}
			if !c.text() {
				return false
			}
			if c.peek() != ':' {
				return c.fail(CodePropertiesInvalid, "is not valid JSON")
			}
			c.pos++
			if !c.emit(':') {
				return false
			}
		}
		if !c.value() {
			return false
		}
	}
	c.pos++
	c.depth--
	return c.emit(end)
}

// literal copies a number, true, false or null.
func (c *compactor) literal() bool {
	start := c.pos
	for c.pos < len(c.in) {
		switch c.in[c.pos] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return c.number(c.in[start:c.pos])
		}
		c.pos++
	}
	return c.number(c.in[start:c.pos])
}

// maxNumberBytes is more than any double takes when it is written out; jsonb
// gives up at some ten thousand digits.
const maxNumberBytes = 2000

// number refuses what a JavaScript client could not have meant and jsonb can't
// hold: 1e400000 and 1e-400000 are valid JSON.
func (c *compactor) number(text []byte) bool {
	switch {
	case text[0] == 't' || text[0] == 'f' || text[0] == 'n':
	case len(text) > maxNumberBytes:
		return c.fail(CodePropertiesInvalid, "holds a number of more than 2000 characters")
	case bytes.ContainsAny(text, "eE"):
		value, err := strconv.ParseFloat(string(text), 64)
		mantissa, _, _ := bytes.Cut(bytes.ToLower(text), []byte("e"))
		if err != nil || value == 0 && bytes.ContainsAny(mantissa, "123456789") {
			return c.fail(CodePropertiesInvalid, "holds a number outside the range of a double")
		}
	}
	return c.emit(text...)
}

const hexDigits = "0123456789abcdef"

// text rewrites a string that begins at the current quote.
func (c *compactor) text() bool {
	c.pos++
	if !c.emit('"') {
		return false
	}
	for c.pos < len(c.in) {
		// The common run: ASCII that is copied as it is.
		start := c.pos
		for c.pos < len(c.in) && c.in[c.pos] >= ' ' && c.in[c.pos] < utf8.RuneSelf && c.in[c.pos] != '"' &&
			c.in[c.pos] != '\\' {
			c.pos++
		}
		if !c.emit(c.in[start:c.pos]...) || c.pos == len(c.in) {
			break
		}
		switch b := c.in[c.pos]; {
		case b == '"':
			c.pos++
			return c.emit('"')
		case b == '\\':
			if !c.escape() {
				return false
			}
		default:
			r, size := utf8.DecodeRune(c.in[c.pos:])
			c.pos += size
			if !c.char(r) {
				return false
			}
		}
	}
	if c.code != "" {
		return false
	}
	return c.fail(CodePropertiesInvalid, "is not valid JSON")
}

// char writes one decoded character.
func (c *compactor) char(r rune) bool {
	switch r {
	case 0:
		return c.fail(CodePropertiesInvalid, "holds a NUL character")
	case '"', '\\':
		return c.emit('\\', byte(r))
	case '\b':
		return c.emit('\\', 'b')
	case '\f':
		return c.emit('\\', 'f')
	case '\n':
		return c.emit('\\', 'n')
	case '\r':
		return c.emit('\\', 'r')
	case '\t':
		return c.emit('\\', 't')
	}
	if r < ' ' {
		return c.emit('\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&0xF])
	}
	c.out = utf8.AppendRune(c.out, r)
	c.units++
	if r > 0xFFFF {
		c.units++
	}
	return c.units <= c.limit.Units || c.tooLarge()
}

// escape decodes the escape sequence at the current backslash and writes its
// character.
func (c *compactor) escape() bool {
	if c.pos+1 >= len(c.in) {
		return c.fail(CodePropertiesInvalid, "is not valid JSON")
	}
	b := c.in[c.pos+1]
	c.pos += 2
	switch b {
	case '"', '\\', '/':
		return c.char(rune(b))
	case 'b':
		return c.char('\b')
	case 'f':
		return c.char('\f')
	case 'n':
		return c.char('\n')
	case 'r':
		return c.char('\r')
	case 't':
		return c.char('\t')
	case 'u':
		r, ok := c.hex4(c.pos)
		if !ok {
			return c.fail(CodePropertiesInvalid, "is not valid JSON")
		}
		c.pos += 4
		if utf16.IsSurrogate(r) {
			low, ok := rune(0), false
			if c.pos+6 <= len(c.in) && c.in[c.pos] == '\\' && c.in[c.pos+1] == 'u' {
				low, ok = c.hex4(c.pos + 2)
			}
			if joined := utf16.DecodeRune(r, low); ok && joined != utf8.RuneError {
				c.pos += 6
				r = joined
			} else {
				r = utf8.RuneError
			}
		}
		return c.char(r)
	}
	return c.fail(CodePropertiesInvalid, "is not valid JSON")
}

func (c *compactor) hex4(at int) (rune, bool) {
	if at+4 > len(c.in) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(c.in[at:at+4]), 16, 16)
	return rune(n), err == nil
}
