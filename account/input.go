package account

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/svc-dev/svc/internal/fault"
)

// Bounds on what people enter.
const (
	maxName  = 120 // characters, of anything that has a name
	maxEmail = 254 // bytes (RFC 5321)
)

// CheckName trims a name and holds it against 1 to 120 characters.
func CheckName(field, name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > maxName || strings.ContainsRune(name, 0) {
		return "", fault.Invalid(field, "must have 1 to %d characters", maxName)
	}
	return name, nil
}

// checkOptionalName is CheckName for a name that may be left out.
func checkOptionalName(field, name string) (string, error) {
	if strings.TrimSpace(name) == "" {
		return "", nil
	}
	return CheckName(field, name)
}

// normalEmail returns the form in which e-mails are stored and looked up.
func normalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// checkEmail returns the normal form of an e-mail that may become somebody's.
// Invisible characters and those that compatibility normalization replaces
// (full-width letters, ligatures) are refused: with them one address could be
// written in several ways, each with an account of its own.
func checkEmail(field, email string) (string, error) {
	email = normalEmail(email)
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > maxEmail {
		return "", fault.Invalid(field, "must be an e-mail address")
	}
	invisible := func(r rune) bool { return !unicode.IsPrint(r) }
	if strings.ContainsFunc(email, invisible) || !norm.NFKC.IsNormalString(email) {
		return "", fault.Invalid(field, "must be an e-mail address without invisible or compatibility characters")
	}
	return email, nil
}
