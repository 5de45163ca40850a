package sdkapi

import (
	"context"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/svc-dev/svc/internal/fault"
)

// serverKeyHeader names a workspace API key with the scope sdk:server. A server that asks for many people from one
// address sends it beside the publishable key, and the address limit does not count for it. Browsers can't send it
// across origins: it is not among the headers that a preflight allows.
const serverKeyHeader = "X-Svc-Server-Key"

// ServerKeys looks up the keys of servers.
type ServerKeys interface {
	// ServerWorkspace returns the workspace of a key with the scope sdk:server. An error that is
	// fault.Unauthenticated or fault.Forbidden says that it is no such key.
	ServerWorkspace(ctx context.Context, secret string) (uuid.UUID, error)
}

const (
	// verdictAge is how long a revoked server key goes on lifting the limit.
	verdictAge = 30 * time.Second
	// verdictsKept is how many keys are remembered, known or not.
	verdictsKept = 1024
	// lookupsPerMinute bounds what a client that makes keys up can ask of the database.
	lookupsPerMinute = 60
	maxServerKey     = 256
)

// verdict is what is known of a server key; the zero workspace is that of a key that is none.
type verdict struct {
	workspace uuid.UUID
	checked   time.Time
}

// serverKeys remembers what keys of servers allow, so that a resolve asks no database for them.
type serverKeys struct {
	keys    ServerKeys
	lookups limiter
	now     func() time.Time

	mu    sync.Mutex
	known *lru.Cache[[sha256.Size]byte, verdict]
}

func newServerKeys(keys ServerKeys) *serverKeys {
	if keys == nil {
		return nil
	}
	known, err := lru.New[[sha256.Size]byte, verdict](verdictsKept)
	if err != nil {
		panic(err) // the size is a constant above zero
	}
	return &serverKeys{
		keys: keys, lookups: newLimiter(lookupsPerMinute, "with new server keys"), now: time.Now, known: known,
	}
}

// lifts tells whether the request has a server key of the workspace, and refuses one that has a wrong one. Without the
// database the last that was known of a key holds, and a key of which nothing is known is as none.
func (s *serverKeys) lifts(r *http.Request, address string, workspace uuid.UUID) (bool, *Error) {
	secret := r.Header.Get(serverKeyHeader)
	if s == nil || secret == "" {
		return false, nil
	}
	wrong := &Error{
		Status: http.StatusUnauthorized, Code: codeInvalidKey,
		Message: "the header " + serverKeyHeader + " is not a workspace API key of this app's workspace with the scope " +
			"sdk:server",
	}
	if len(secret) > maxServerKey {
		return false, wrong
	}
	id := sha256.Sum256([]byte(secret))
	v, fresh := s.recall(id)
	if !fresh && s.lookups.Allow(address) {
		owner, err := s.keys.ServerWorkspace(r.Context(), secret)
		switch {
		case err == nil, fault.Is(err, fault.Unauthenticated), fault.Is(err, fault.Forbidden):
			v, fresh = s.remember(id, owner), true
		}
	}
	if !fresh && v.workspace == uuid.Nil {
		return false, nil
	}
	if v.workspace != workspace {
		return false, wrong
	}
	return true, nil
}

// recall returns what is known of a key. Of those whose verdict is old one caller is told to look it up again, and
// the others go on with it.
func (s *serverKeys) recall(id [sha256.Size]byte) (v verdict, fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, found := s.known.Get(id)
	if !found {
		return verdict{}, false
	}
	if now := s.now(); now.Sub(v.checked) >= verdictAge {
		s.known.Add(id, verdict{v.workspace, now})
		return v, false
	}
	return v, true
}

func (s *serverKeys) remember(id [sha256.Size]byte, workspace uuid.UUID) verdict {
	v := verdict{workspace, s.now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known.Add(id, v)
	return v
}
