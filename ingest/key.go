package ingest

import (
	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics/session"
)

// Key identifies an event inside one environment, path and deduplication
// window: the event id when it is a UUID, else the first 128 bits of its
// SHA-256 (architecture.md, Storage). Keys are compared by byte order where a
// tie needs breaking.
type Key = uuid.UUID

// keyOf computes the deduplication key of an event id.
func keyOf(eventID string) Key { return Key(session.KeyOf(eventID)) }

// parseUUID reads the one form the wire knows: 8-4-4-4-12 hex digits of either
// case, any version and variant (wire.md §1).
func parseUUID(s string) (uuid.UUID, bool) {
	if len(s) != 36 {
		return uuid.UUID{}, false
	}
	u, err := uuid.Parse(s)
	return u, err == nil
}
