package sdkapi_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/sdkapi"
)

// keyring knows server keys by their workspace, or can't be reached.
type keyring struct {
	keys  map[string]uuid.UUID
	away  atomic.Bool
	asked atomic.Int64
}

func (k *keyring) ServerWorkspace(_ context.Context, secret string) (uuid.UUID, error) {
	k.asked.Add(1)
	if k.away.Load() {
		return uuid.Nil, errors.New("the database is away")
	}
	workspace, ok := k.keys[secret]
	if !ok {
		return uuid.Nil, fault.New(fault.Unauthenticated, "unknown key")
	}
	return workspace, nil
}

func TestTheLimitOfAnAddressDoesNotCountForAServerKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tenant := w.catalogue.Snapshot().Tenant(w.app.Live.Key)
	keys := &keyring{keys: map[string]uuid.UUID{"ours": tenant.WorkspaceID, "theirs": uuid.New()}}
	server := w.serve(sdkapi.Config{Limits: sdkapi.Limits{PerAddress: 3}, ServerKeys: keys})
	ask := func(changes ...change) *exchange { return w.sendTo(server, "/v1/sdk/resolve", resolveBody, changes...) }

	for range 10 {
		require.Equal(t, http.StatusOK, ask(header("X-Svc-Server-Key", "ours")).status)
	}
	require.EqualValues(t, 1, keys.asked.Load(), "a key is looked up once, not at every request")
	require.Equal(t, "rate_limited", ask().code(), "the limit counts for others at the same address")
	for _, wrong := range []string{"theirs", "nobody's"} {
		x := ask(header("X-Svc-Server-Key", wrong))
		require.Equal(t, http.StatusUnauthorized, x.status)
		require.Equal(t, "invalid_key", x.code())
		require.Contains(t, string(x.body), "X-Svc-Server-Key")
	}

	keys.away.Store(true)
	require.Equal(t, http.StatusOK, ask(header("X-Svc-Server-Key", "ours")).status, "what is known holds")
	require.Equal(t, "rate_limited", ask(header("X-Svc-Server-Key", "made just now")).code(), "what nobody can look up lifts nothing")
}

// Keys that somebody makes up cost the database little.
func TestLookingUpServerKeysIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	keys := &keyring{}
	server := w.serve(sdkapi.Config{ServerKeys: keys})
	for i := range 200 {
		w.sendTo(server, "/v1/sdk/resolve", resolveBody, header("X-Svc-Server-Key", strconv.Itoa(i)))
	}
	require.LessOrEqual(t, keys.asked.Load(), int64(60))
	require.Equal(t, http.StatusOK, w.sendTo(server, "/v1/sdk/resolve", resolveBody, header("X-Svc-Server-Key", "one more")).status,
		"what was not looked up is as none")
}
