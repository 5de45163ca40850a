package account

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	ctx, h := t.Context(), newHasher()
	phc, err := h.hash(ctx, "", password)
	require.NoError(t, err)
	require.Regexp(t, `^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`, phc)
	for stored, want := range map[string]bool{
		phc: true, "": false, "$argon2id$v=19$m=1": false, strings.Replace(phc, "t=2", "t=0", 1): false,
		strings.Replace(phc, "v=19", "v=18", 1): false, strings.Replace(phc, "argon2id", "argon2i", 1): false,
		strings.Replace(phc, "m=19456", "m=x", 1): false,
	} {
		got, err := h.verify(ctx, "", password, stored)
		require.NoError(t, err)
		require.Equal(t, want, got, stored)
	}
	for _, wrong := range []string{"wrong horse", "", strings.Repeat("x", maxPassword+1)} {
		got, err := h.verify(ctx, "", wrong, phc)
		require.NoError(t, err)
		require.False(t, got)
	}
}

// occupySlot takes the only slot of h until the returned function is called.
func occupySlot(t *testing.T, h *hasher) (release func()) {
	t.Helper()
	inside, leave, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() { ended <- h.run(t.Context(), "held", func() { close(inside); <-leave }) }()
	<-inside
	return func() {
		close(leave)
		require.NoError(t, <-ended)
	}
}

func oneSlot() *hasher {
	h := newHasher()
	h.slots = make(chan struct{}, 1)
	return h
}

// waitFor returns when so many requests of a client wait in line.
func (h *hasher) waitFor(t *testing.T, client string, members int) {
	t.Helper()
	require.Eventually(t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		l := h.lines[client]
		return l != nil && l.members == members && len(l.turn) == 1
	}, 10*time.Second, time.Millisecond)
}

// Somebody who sends fifty passwords keeps others waiting for one or two.
func TestClientsTakeTurns(t *testing.T) {
	t.Parallel()
	h := oneSlot()
	release := occupySlot(t, h)
	order := make(chan string, 51)
	run := func(client string) {
		if err := h.run(t.Context(), client, func() { order <- client }); err != nil {
			order <- err.Error()
		}
	}
	for range 50 {
		go run("attacker")
	}
	h.waitFor(t, "attacker", 50)
	go run("person")
	h.waitFor(t, "person", 1)
	release()
	served := 0
	for <-order != "person" {
		served++
	}
	require.LessOrEqual(t, served, 2)
	for range 50 - served {
		require.Equal(t, "attacker", <-order)
	}
	require.Eventually(t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.lines) == 0
	}, 10*time.Second, time.Millisecond, "no line is kept")
}

func TestHashingDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	h := oneSlot()
	release := occupySlot(t, h)
	defer release()
	never := func() { t.Error("hashed without a slot") }

	h.maxWait = time.Millisecond
	requireCode(t, fault.RateLimited, h.run(t.Context(), "patient", never))
	h.maxWait = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, h.run(ctx, "left", never), context.Canceled)
	_, err := h.verify(ctx, "left", password, "")
	require.ErrorIs(t, err, context.Canceled)
	_, err = h.hash(ctx, "left", password)
	require.ErrorIs(t, err, context.Canceled)

	for i := len(h.lines); i < maxHashLines; i++ {
		h.join(fmt.Sprint(i))
	}
	requireCode(t, fault.RateLimited, h.run(t.Context(), "one more", never))
	require.NotNil(t, h.join("1"), "who waits already may wait twice")
}
