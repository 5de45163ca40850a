package ingest

// eachMember calls visit with the key, in its quotes, and the value of every member of a valid JSON object, in
// order. Both are parts of object. It stops when visit says no.
func eachMember(object []byte, visit func(key, value []byte) bool) {
	at := skipSpace(object, 0) + 1 // behind the brace
	for {
		if at = skipSpace(object, at); object[at] == ',' {
			at = skipSpace(object, at+1)
		}
		if object[at] == '}' {
			return
		}
		key := object[at:valueEnd(object, at)]
		at = skipSpace(object, at+len(key)) + 1 // behind the colon
		at = skipSpace(object, at)
		value := object[at:valueEnd(object, at)]
		if !visit(key, value) {
			return
		}
		at += len(value)
	}
}

// skipSpace returns the first place from at on that holds no white space.
func skipSpace(json []byte, at int) int {
	for at < len(json) && (json[at] == ' ' || json[at] == '\t' || json[at] == '\r' || json[at] == '\n') {
		at++
	}
	return at
}

// valueEnd returns the place behind the JSON value that begins at start.
func valueEnd(json []byte, start int) int {
	depth := 0
	for at := start; ; at++ {
		switch json[at] {
		case '"':
			for at++; json[at] != '"'; at++ {
				if json[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 {
				continue
			}
			for at+1 < len(json) && !endsLiteral(json[at+1]) {
				at++
			}
		}
		if depth == 0 {
			return at + 1
		}
	}
}

// endsLiteral tells whether a number, true, false or null ends before the character.
func endsLiteral(c byte) bool {
	switch c {
	case ',', ':', '}', ']', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}
