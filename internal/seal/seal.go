// Package seal encrypts secrets that must be read again, such as those that deliveries are verified with, under keys
// of the server.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// KeySize is the size of a key, in bytes: AES-256.
const KeySize = 32

// Key is a key of the server. The id is stored beside what the key encrypts.
type Key struct {
	ID     string
	Secret []byte
}

// ParseKeys reads keys as the setting has them: id:base64 of 32 bytes, separated by commas, the one that encrypts
// first. Errors name ids, never secrets.
func ParseKeys(text string) (keys []Key, err error) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
		id, encoded, ok := strings.Cut(part, ":")
		if !ok || id == "" || len(id) > 64 {
			return nil, errors.New("a key is written as id:base64")
		}
		secret, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(secret) != KeySize {
			return nil, fmt.Errorf("key %s: must be the base64 form of %d bytes", id, KeySize)
		}
		for _, k := range keys {
			if k.ID == id {
				return nil, fmt.Errorf("key %s is there twice", id)
			}
		}
		keys = append(keys, Key{id, secret})
	}
	return keys, nil
}

// Ring encrypts with its first key and decrypts with any. The keys must not change.
type Ring struct{ keys []Key }

// NewRing makes a ring of one key at least, each of KeySize.
func NewRing(keys ...Key) (*Ring, error) {
	if len(keys) == 0 {
		return nil, errors.New("seal: no key")
	}
	for _, k := range keys {
		if len(k.Secret) != KeySize {
			return nil, fmt.Errorf("seal: key %s has %d bytes", k.ID, len(k.Secret))
		}
	}
	return &Ring{keys}, nil
}

// Current returns the id of the key that encrypts.
func (r *Ring) Current() string { return r.keys[0].ID }

// Seal encrypts a secret for a place (a row's id): elsewhere it can't be opened.
func (r *Ring) Seal(secret []byte, place string) (keyID string, sealed []byte, err error) {
	aead, err := r.keys[0].aead()
	if err != nil {
		return "", nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", nil, fmt.Errorf("seal: %w", err)
	}
	return r.keys[0].ID, aead.Seal(nonce, nonce, secret, []byte(place)), nil
}

// ErrUnknownKey says that the ring lacks the key that a secret was encrypted with.
var ErrUnknownKey = errors.New("seal: the server lacks the key of this secret")

// Open decrypts what Seal made for the same place.
func (r *Ring) Open(keyID string, sealed []byte, place string) ([]byte, error) {
	for _, k := range r.keys {
		if k.ID != keyID {
			continue
		}
		aead, err := k.aead()
		if err != nil {
			return nil, err
		}
		if len(sealed) < aead.NonceSize() {
			return nil, errors.New("seal: too short")
		}
		secret, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], []byte(place))
		if err != nil {
			return nil, errors.New("seal: was changed, or is of another place")
		}
		return secret, nil
	}
	return nil, ErrUnknownKey
}

func (k Key) aead() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.Secret)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return cipher.NewGCM(block)
}
