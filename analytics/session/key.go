package session

import (
	"bytes"
	"crypto/sha256"

	"github.com/google/uuid"
)

// Key stands for the id of an event or a session: the id itself when it is a UUID, else the first 128
// bits of the id's SHA-256. Ties are broken by the order of its bytes (analytics.md §2).
type Key [16]byte

// KeyOf returns the key of an id. Of UUIDs it knows the one form of the wire: 8-4-4-4-12 hex digits of
// either case, any version and variant.
func KeyOf(id string) Key {
	if len(id) == 36 {
		if u, err := uuid.Parse(id); err == nil {
			return Key(u)
		}
	}
	sum := sha256.Sum256([]byte(id))
	return Key(sum[:16])
}

// compare orders keys by their bytes.
func (k Key) compare(other Key) int { return bytes.Compare(k[:], other[:]) }
