package channel

import (
	"strings"
	"unicode"
)

// schemes are those of referrers that are pages or apps; android-app names the app's package as its host. What has
// another scheme (an extension, a file, a page of the browser's own) is no referrer.
var schemes = map[string]bool{"http": true, "https": true, "android-app": true}

// Host returns the host of a referrer's URL or of a bare host: lower case, without user, port, final dot and
// "www.". It is empty when raw has none, or is no page of the web and no app.
func Host(raw string) string {
	raw = strings.TrimSpace(raw)
	if scheme, rest, ok := cutScheme(raw); ok {
		if raw, ok = strings.CutPrefix(rest, "//"); !ok || !schemes[strings.ToLower(scheme)] {
			return ""
		}
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
	if strings.ContainsFunc(raw, neverInHost) {
		return ""
	}
	return strings.TrimPrefix(raw, "www.")
}

// cutScheme cuts a URL at the colon of its scheme. A bare host has none, and the digits of its port are no rest.
func cutScheme(raw string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(raw, ":")
	if !ok || scheme == "" || strings.ContainsFunc(scheme, neverInScheme) {
		return "", raw, false
	}
	port, _, _ := strings.Cut(rest, "/")
	isPort := port != "" && strings.Trim(port, "0123456789") == ""
	return scheme, rest, !isPort
}

func neverInScheme(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("+-.", r))
}

// neverInHost tells whether a character is part of no host, so that a text with it is none.
func neverInHost(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(`"<>^|`, r)
}
