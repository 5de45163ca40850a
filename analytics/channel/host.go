package channel

import "strings"

// Host returns the host of a URL or of a bare host: lower case, without user, port, final dot and
// "www.". It is empty when raw has none.
func Host(raw string) string {
	raw = strings.TrimSpace(raw)
	if i := strings.Index(raw, "://"); i >= 0 {
		raw = raw[i+3:]
	} else {
		raw = strings.TrimPrefix(raw, "//")
	}
	if i := strings.IndexAny(raw, "/?#\\"); i >= 0 {
		raw = raw[:i]
	}
	if i := strings.LastIndexByte(raw, '@'); i >= 0 {
		raw = raw[i+1:]
	}
	if strings.HasPrefix(raw, "[") {
		if i := strings.IndexByte(raw, ']'); i >= 0 {
			raw = raw[:i+1]
		}
	} else if i := strings.IndexByte(raw, ':'); i >= 0 {
		raw = raw[:i]
	}
	raw = strings.TrimSuffix(strings.ToLower(raw), ".")
	return strings.TrimPrefix(raw, "www.")
}
