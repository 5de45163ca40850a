package validate

import (
	"strings"
	"unicode/utf8"

	"github.com/svc-dev/svc/internal/fault"
)

// Lengths of what people type, wherever they type it. Names and passwords have characters, which are Unicode code
// points of up to four bytes each; the limits of what goes over the wire to SDKs are code units, and stand in tags.
const (
	MaxName  = 120 // characters
	MaxEmail = 254 // bytes (RFC 5321 §4.5.3.1)
)

// Name trims a name and holds it against 1 to MaxName characters, none of them NUL, which PostgreSQL cannot store.
func Name(field, name string) (string, error) {
	name = strings.TrimSpace(name)
	if strings.ContainsRune(name, 0) {
		return "", fault.Invalid(field, "must not hold a NUL character")
	}
	return name, Characters(field, name, 1, MaxName)
}

// Characters holds the length of a text against its bounds.
func Characters(field, text string, least, most int) error {
	if n := utf8.RuneCountInString(text); n < least || n > most {
		return fault.Invalid(field, "must have %d to %d characters", least, most)
	}
	return nil
}
