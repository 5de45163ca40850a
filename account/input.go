package account

import (
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// checkOptionalName checks a name that may be left out.
func checkOptionalName(field, name string) (string, error) {
	if strings.TrimSpace(name) == "" {
		return "", nil
	}
	return validate.Name(field, name)
}

// normalEmail returns the form in which e-mails are stored and looked up.
func normalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// checkEmail returns the normal form of an email that may become somebody's.
// Invisible characters and those that compatibility normalization replaces
// (full-width letters, ligatures) are refused: with them one address could be
// written in several ways, each with an account of its own.
func checkEmail(field, email string) (string, error) {
	email = normalEmail(email)
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > validate.MaxEmail {
		return "", fault.Invalid(field, "must be an email address")
	}
	invisible := func(r rune) bool { return !unicode.IsPrint(r) }
	if strings.ContainsFunc(email, invisible) || !norm.NFKC.IsNormalString(email) {
		return "", fault.Invalid(field, "must be an email address without invisible or compatibility characters")
	}
	return email, nil
}
