package packed

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func person(n int) uuid.UUID { return uuid.UUID{byte(n), byte(n >> 8), byte(n >> 16)} }

// add adds people of a set and returns how many found room.
func add(w *Writer[string, int], owner string, from, to int, day int32) (added int) {
	w.Update(owner, func(of *Waiting[int]) {
		for i := from; i < to; i++ {
			if of.Add(0, person(i), day) {
				added++
			}
		}
	})
	return added
}

// Who waits, and whose write is under way, stays within the bounds together: whoever is put back finds room.
func TestWhatWaitsStaysWithinItsBounds(t *testing.T) {
	away := errors.New("away")
	w := &Writer[string, int]{What: "people", Logger: slog.New(slog.DiscardHandler)}
	var meanwhile func()
	w.Store = func(context.Context, map[string]*Waiting[int]) error { meanwhile(); return away }
	require.Equal(t, MaxWaitingOwner-10, add(w, "a", 0, MaxWaitingOwner-10, 1))
	meanwhile = func() {
		// Ten of them wait already in the write under way, and take room until it is clear that they are the same.
		require.Equal(t, 10, add(w, "a", MaxWaitingOwner-20, MaxWaitingOwner, 2))
		w.Update("a", func(of *Waiting[int]) { of.LeftOut += 3 })
	}
	require.ErrorIs(t, w.Write(t.Context()), away)
	require.Equal(t, MaxWaitingOwner-10, w.People())
	w.View(func(waiting map[string]*Waiting[int]) {
		require.Len(t, waiting["a"].Sets[0], MaxWaitingOwner-10)
		require.Equal(t, MaxWaitingOwner-10, waiting["a"].People)
		require.EqualValues(t, 3, waiting["a"].LeftOut)
		require.EqualValues(t, 1, waiting["a"].Sets[0][person(MaxWaitingOwner-15)], "by the day on which they came")
	})
	for i, owner := range []string{"a", "b", "c", "d", "e"} {
		room := []int{10, MaxWaitingOwner, MaxWaitingOwner, MaxWaitingOwner, 0}[i]
		require.Equal(t, room, add(w, owner, 1<<20, 1<<20+MaxWaitingOwner+5, 1), owner)
	}
	require.Equal(t, MaxWaiting, w.People())
	meanwhile = func() { require.Zero(t, add(w, "f", 0, 5, 1)) }
	require.ErrorIs(t, w.Write(t.Context()), away)
	require.Equal(t, MaxWaiting, w.People())

	var stored int
	w.Store = func(_ context.Context, waiting map[string]*Waiting[int]) error {
		for _, of := range waiting {
			stored += len(of.Sets[0])
		}
		return nil
	}
	require.NoError(t, w.Write(t.Context()))
	require.Equal(t, MaxWaiting, stored)
	require.Zero(t, w.People())
	require.NoError(t, w.Write(t.Context()), "nobody")
	require.Equal(t, 5, add(w, "a", 0, 5, 1), "there is room again")
}

func TestRowsHoldPeople(t *testing.T) {
	var row []byte
	for i := range 3 {
		row = Append(row, person(i))
	}
	require.Len(t, row, 3*Size)
	var all []uuid.UUID
	for p := range All(append(row, 1, 2, 3)) {
		all = append(all, p)
	}
	require.Equal(t, []uuid.UUID{person(0), person(1), person(2)}, all, "what was cut off is nobody")
	for p := range All(row) {
		require.Equal(t, person(0), p)
		break
	}
	for range All(nil) {
		t.Fatal("nobody is there")
	}
}
