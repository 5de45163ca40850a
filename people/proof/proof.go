// Package proof decides whether a device may name a custom user id (wire.md §8.1). Publishable keys are public and ids
// can be guessed, so the server of an app signs the ids of people who have signed in to it, and their devices send the
// signature. This package knows the signature, the rule of an environment, and how often which proofs came.
package proof

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/internal/base62"
	"github.com/svc-dev/svc/internal/seal"
)

// Mode says what becomes of custom user ids without proof.
type Mode string

// The modes of wire.md §8.1.
const (
	Off      Mode = "off"      // they are taken, as they are without proofs
	Watch    Mode = "watch"    // they are taken and counted
	Required Mode = "required" // they are taken for absent, and counted
)

// Outcome is what the naming of a custom user id was found to be.
type Outcome int

const (
	// Proved has a signature of the id by a secret of the environment.
	Proved Outcome = iota
	// Missing has none.
	Missing
	// Wrong has one of another id, by another secret, or in another form.
	Wrong
)

// Rule is the rule of an environment. The zero value takes every id and proves none.
type Rule struct {
	Mode    Mode // "" is Off
	Secrets []Secret
}

// Check tells what an id is worth with the proof that was sent beside it. It takes the same time for every wrong one.
func (r Rule) Check(customUserID, sent string) Outcome {
	if customUserID == "" || sent == "" {
		return Missing
	}
	outcome := Wrong
	for _, secret := range r.Secrets {
		if hmac.Equal([]byte(secret.Sign(customUserID)), []byte(sent)) {
			outcome = Proved
		}
	}
	return outcome
}

// Refuses tells whether an id of an outcome is taken for absent.
func (r Rule) Refuses(outcome Outcome) bool { return r.Mode == Required && outcome != Proved }

// Counts tells whether outcomes are counted.
func (r Rule) Counts() bool { return r.Mode == Watch || r.Mode == Required }

const (
	secretPrefix = "svc_ids_"
	secretBytes  = 32
)

// Secret makes proofs of an environment's custom user ids. Its zero value is no secret.
type Secret struct{ text string }

// NewSecret returns a random secret.
func NewSecret() Secret { return Secret{secretPrefix + base62.Random(secretBytes)} }

// ParseSecret reads a secret as String writes it.
func ParseSecret(text string) (Secret, error) {
	if !strings.HasPrefix(text, secretPrefix) || len(text) < len(secretPrefix)+secretBytes {
		return Secret{}, errors.New("an identity secret is " + secretPrefix + " and 43 characters")
	}
	return Secret{text}, nil
}

// String returns the secret as servers of apps keep it. It is not for logs.
func (s Secret) String() string { return s.text }

// Sign returns the proof of an id: the lower-case hexadecimal form of HMAC-SHA-256 over the bytes of the id in UTF-8.
// The key is the text of the secret, its prefix included. Ids are not normalized: two forms of one letter are two ids.
func (s Secret) Sign(customUserID string) string {
	mac := hmac.New(sha256.New, []byte(s.text))
	mac.Write([]byte(customUserID))
	return hex.EncodeToString(mac.Sum(nil))
}

// Seal encrypts a secret for the row that keeps it.
func (s Secret) Seal(ring *seal.Ring, id uuid.UUID) (keyID string, sealed []byte, err error) {
	return ring.Seal([]byte(s.text), id.String())
}

// Open decrypts what Seal made for the same row.
func Open(ring *seal.Ring, keyID string, sealed []byte, id uuid.UUID) (Secret, error) {
	text, err := ring.Open(keyID, sealed, id.String())
	if err != nil {
		return Secret{}, err
	}
	return ParseSecret(string(text))
}
