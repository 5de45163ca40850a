package account

import (
	"encoding/base64"
	"strings"
)

// place is what a token is sealed for: tokens of one kind are of no use as another.
type place string

// maxSealed bounds a sealed token, in bytes.
const maxSealed = 4 << 10

// sealToken encrypts what a browser keeps for the server: the server stores nothing that strangers could fill it with.
func (a *Accounts) sealToken(for_ place, text []byte) (string, error) {
	keyID, sealed, err := a.ring.Seal(text, string(for_))
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(keyID)) + "." + encode(sealed), nil
}

// openToken returns what sealToken encrypted for the same place.
func (a *Accounts) openToken(for_ place, token string) ([]byte, bool) {
	if len(token) > maxSealed {
		return nil, false
	}
	first, second, _ := strings.Cut(token, ".")
	keyID, err := base64.RawURLEncoding.DecodeString(first)
	if err != nil {
		return nil, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(second)
	if err != nil {
		return nil, false
	}
	text, err := a.ring.Open(string(keyID), sealed, string(for_))
	return text, err == nil
}
