package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
)

const (
	secretPrefix = "whsec_"
	// Standard Webhooks asks for keys of 24 to 64 bytes.
	minKey, newKey, maxKey = 24, 32, 64
)

// A Secret signs messages. Its zero value is no secret.
type Secret struct{ key []byte }

// NewSecret returns a random secret.
func NewSecret() Secret {
	key := make([]byte, newKey)
	rand.Read(key)
	return Secret{key}
}

// ParseSecret reads a secret as String writes it: "whsec_" and the base64 of 24
// to 64 bytes.
func ParseSecret(text string) (Secret, error) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	if !ok {
		return Secret{}, errors.New("a webhook secret starts with whsec_")
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return Secret{}, errors.New("a webhook secret is base64 after whsec_")
	}
	if len(key) < minKey || len(key) > maxKey {
		return Secret{}, errors.New("a webhook secret has 24 to 64 bytes")
	}
	return Secret{key}, nil
}

// String returns the secret in the form that receivers' libraries take. It is
// not for logs.
func (s Secret) String() string { return secretPrefix + base64.StdEncoding.EncodeToString(s.key) }

// Sign returns the value of the webhook-signature header for a message: one
// v1 signature for each secret, separated by spaces, so that a receiver accepts
// the message with the old or the new secret while they are rotated.
func Sign(id string, at time.Time, body []byte, secrets ...Secret) string {
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		mac := hmac.New(sha256.New, secret.key)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(signatures, " ")
}
