package studio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

func (w *world) flow(t *testing.T) uuid.UUID {
	t.Helper()
	return made(w.CreateFlow(w.owner, w.app.ID, "Flow", json.RawMessage(publishable)))(t).ID
}

// follow follows a draft until the test is over.
func (w *world) follow(ctx context.Context, server *studio.Studio, flow uuid.UUID, after int) *studio.DraftFollower {
	w.t.Helper()
	follower := made(server.FollowDraft(ctx, flow, after))(w.t)
	w.t.Cleanup(follower.Close)
	return follower
}

// told reads news until a revision, and returns the revisions of the edits.
func told(t *testing.T, follower *studio.DraftFollower, until int) (revisions []int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for at := 0; at < until; {
		news := made(follower.Next(ctx))(t)
		require.False(t, news.Reset)
		for _, edit := range news.Edits {
			revisions = append(revisions, edit.Revision)
		}
		at = news.Revision
	}
	return revisions
}

// Edits on one server are told on another, in order and each once, whenever a follower came.
func TestFollowersAreToldEachEditOnce(t *testing.T) {
	w := newWorld(t)
	flow := w.flow(t)
	ben := w.member("ben@example.com", membership.RoleEditor)
	anna := &editor{studio: w.second(), ctx: ben, flow: flow, id: uuid.New(), revision: 1}
	first := w.follow(w.viewer(), w.Studio, flow, 1)
	const edits = 60
	followers := map[int]*studio.DraftFollower{1: first}
	for i := range edits {
		made(anna.send(titleIs(fmt.Sprint(i))))(t)
		if i%20 == 10 {
			followers[2+i/2] = w.follow(w.owner, w.Studio, flow, 2+i/2)
		}
	}
	for after, follower := range followers {
		var want []int
		for revision := after + 1; revision <= edits+1; revision++ {
			want = append(want, revision)
		}
		require.Equal(t, want, told(t, follower, edits+1))
	}
	made(anna.send(titleIs("last")))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	edit := made(first.Next(ctx))(t).Edits[0]
	require.Equal(t, "ben@example.com", *edit.Person)
	require.Equal(t, anna.id, edit.ClientID)
	require.Contains(t, string(edit.Steps), `"last"`)
}

// A server that hears of nothing asks.
func TestALostNotificationIsMadeUpFor(t *testing.T) {
	w := newWorld(t)
	flow := w.flow(t)
	follower := w.follow(w.owner, w.second(), flow, 1)
	made(w.editor(w.owner, flow).send(titleIs("One")))(t)
	require.Equal(t, []int{2}, told(t, follower, 2))
}

func TestADraftThatWasReplacedIsReadAgain(t *testing.T) {
	w := newWorld(t)
	flow := w.flow(t)
	follower := w.follow(w.owner, w.Studio, flow, 1)
	made(w.SaveDraft(w.owner, flow, 1, json.RawMessage(`{"screens": "none"}`)))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	news := made(follower.Next(ctx))(t)
	require.True(t, news.Reset)
	require.Empty(t, news.Edits)
	require.Equal(t, 2, news.Revision)
	late := w.follow(w.owner, w.Studio, flow, 1)
	require.Equal(t, news, made(late.Next(ctx))(t))
}

// Who takes nothing is not waited for: the others are told, and it is told why it hears no more.
func TestAFollowerThatFallsBehindEnds(t *testing.T) {
	w := newWorld(t)
	flow := w.flow(t)
	slow, other := w.follow(w.owner, w.Studio, flow, 1), w.follow(w.owner, w.Studio, flow, 1)
	anna := w.editor(w.owner, flow)
	for i := range 65 {
		made(anna.send(titleIs(fmt.Sprint(i))))(t)
		told(t, other, anna.revision)
	}
	_, err := slow.Next(t.Context())
	refused(t, err, studio.FellBehind, "")
	_, err = slow.Next(t.Context())
	refused(t, err, studio.FellBehind, "")
}

func TestWhoMayFollowADraft(t *testing.T) {
	w := newWorld(t)
	flow := w.flow(t)
	viewer, stranger := w.viewer(), w.stranger()
	for _, who := range []context.Context{stranger, context.Background()} {
		_, err := w.FollowDraft(who, flow, 1)
		require.Error(t, err)
	}
	_, err := w.FollowDraft(w.owner, uuid.New(), 1)
	refused(t, err, fault.NotFound, "")
	_, err = w.FollowDraft(w.owner, flow, 2)
	refused(t, err, fault.InvalidInput, "after")
	follower := w.follow(viewer, w.Studio, flow, 1)
	require.NoError(t, follower.Authorize(viewer))
	require.Error(t, follower.Authorize(stranger))
	for range 199 {
		w.follow(w.owner, w.Studio, flow, 1)
	}
	_, err = w.FollowDraft(w.owner, flow, 1)
	refused(t, err, fault.Unavailable, "")
}
