package studio_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

// toldPeople reads news until so many are there, and returns them.
func toldPeople(t *testing.T, follower *studio.DraftFollower, count int) []*studio.DraftPerson {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		news := made(follower.Next(ctx))(t)
		if news.People != nil && len(news.People) == count {
			return news.People
		}
	}
}

// What somebody says on one server is told on another, until they leave.
func TestWhoIsThereIsToldAcrossServers(t *testing.T) {
	w := newWorld(t)
	flow := w.flow(t)
	other := w.second()
	ben := w.member("ben@example.com", membership.RoleEditor)
	follower := w.follow(w.viewer(), w.Studio, flow, 1)
	elsewhere := w.follow(w.owner, w.Studio, w.flow(t), 1)
	screen := "goal"
	said := studio.Announcement{
		FlowID: flow, ClientID: uuid.New(), Screen: &screen, Layers: []string{"headline", "<b>\u2028"},
		Pointer: &studio.DraftPointer{Screen: screen, X: 12, Y: -3.5},
	}
	want := &studio.DraftPerson{
		ClientID: said.ClientID, Name: "ben@example.com", Screen: said.Screen, Layers: said.Layers, Pointer: said.Pointer,
	}
	// A server that begins to listen has not heard what was said before: whoever is there says it again.
	answered := make(chan struct{})
	go func() {
		for {
			person, err := other.AnnounceInDraft(ben, said)
			if err == nil && person.Name != want.Name {
				err = errors.New("another name")
			}
			if err != nil {
				t.Error(err)
			}
			select {
			case <-answered:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	require.Equal(t, []*studio.DraftPerson{want}, toldPeople(t, follower, 1))
	answered <- struct{}{}
	require.Equal(t, []*studio.DraftPerson{want}, toldPeople(t, w.follow(w.owner, w.Studio, flow, 1), 1))

	// A second editor of the same person is there twice; nobody else can say that the first has left.
	second := said
	second.ClientID, second.Pointer = uuid.New(), nil
	made(other.AnnounceInDraft(ben, second))(t)
	toldPeople(t, follower, 2)
	forged := said
	forged.Leaves = true
	made(other.AnnounceInDraft(w.owner, forged))(t)
	second.Leaves = true
	made(other.AnnounceInDraft(ben, second))(t)
	require.Equal(t, []*studio.DraftPerson{want}, toldPeople(t, follower, 1))
	said.Leaves = true
	made(other.AnnounceInDraft(ben, said))(t)
	toldPeople(t, follower, 0)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := elsewhere.Next(ctx)
	require.ErrorIs(t, err, context.Canceled, "those of another draft were told")
}

// Requests overtake each other: whoever has left does not come back by what they said before.
func TestWhatWasOvertakenIsLeftOut(t *testing.T) {
	w := newWorld(t)
	flow := w.flow(t)
	follower := w.follow(w.owner, w.Studio, flow, 1)
	left, there := uuid.New(), uuid.New()
	say := func(client uuid.UUID, sequence int, leaves bool) {
		made(w.AnnounceInDraft(w.owner, studio.Announcement{
			FlowID: flow, ClientID: client, Sequence: sequence, Leaves: leaves,
		}))(t)
	}
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		toldPeople(t, follower, 1)
	}()
	for done := false; !done; {
		say(left, 1, false)
		select {
		case <-heard:
			done = true
		case <-time.After(time.Second):
		}
	}
	say(left, 4, true)
	toldPeople(t, follower, 0)
	say(left, 3, false)
	say(there, 1, false)
	require.Equal(t, there, toldPeople(t, follower, 1)[0].ClientID)
	say(left, 5, false) // comes back
	toldPeople(t, follower, 2)
}

func TestWhoMaySayThatTheyAreThere(t *testing.T) {
	w := newWorld(t)
	flow := w.flow(t)
	made(w.AnnounceInDraft(w.viewer(), studio.Announcement{FlowID: flow}))(t)
	for _, who := range []context.Context{w.stranger(), context.Background()} {
		_, err := w.AnnounceInDraft(who, studio.Announcement{FlowID: flow})
		require.Error(t, err)
	}
	_, err := w.AnnounceInDraft(w.owner, studio.Announcement{FlowID: uuid.New()})
	refused(t, err, fault.NotFound, "")
}

// Ids that are as long as can be and that JSON writes six times as long fit into a notification.
func TestWhatOnePersonSaysIsBounded(t *testing.T) {
	w := newWorld(t)
	flow := w.flow(t)
	made(w.AnnounceInDraft(w.owner, studio.Announcement{FlowID: flow, Layers: []string{strings.Repeat("\x01", 509)}}))(t)
	_, err := w.AnnounceInDraft(w.owner, studio.Announcement{FlowID: flow, Layers: []string{strings.Repeat("a", 510)}})
	refused(t, err, fault.InvalidInput, "layers")
	_, err = w.AnnounceInDraft(w.owner, studio.Announcement{FlowID: flow, Layers: make([]string, 200)})
	refused(t, err, fault.InvalidInput, "layers")
	_, err = w.AnnounceInDraft(w.owner, studio.Announcement{FlowID: flow, Pointer: &studio.DraftPointer{X: 1e6}})
	refused(t, err, fault.InvalidInput, "pointer")
	_, err = w.AnnounceInDraft(w.owner, studio.Announcement{FlowID: flow, Sequence: -1})
	refused(t, err, fault.InvalidInput, "sequence")

	for range 3000 {
		if _, err = w.AnnounceInDraft(w.owner, studio.Announcement{FlowID: flow}); err != nil {
			break
		}
	}
	refused(t, err, fault.RateLimited, "")
	made(w.AnnounceInDraft(w.viewer(), studio.Announcement{FlowID: flow}))(t)
}

func TestAtMostThirtyAreThere(t *testing.T) {
	w := newWorld(t)
	flow := w.flow(t)
	follower := w.follow(w.owner, w.Studio, flow, 1)
	ids := make([]uuid.UUID, 40)
	for i := range ids {
		ids[i] = uuid.New()
	}
	say := func(leaves bool) {
		for _, id := range ids {
			made(w.AnnounceInDraft(w.owner, studio.Announcement{FlowID: flow, ClientID: id, Leaves: leaves}))(t)
		}
	}
	full := make(chan struct{})
	go func() {
		defer close(full)
		toldPeople(t, follower, 30)
	}()
	for done := false; !done; {
		say(false)
		select {
		case <-full:
			done = true
		case <-time.After(time.Second):
		}
	}
	say(true)
	toldPeople(t, follower, 0)
}
