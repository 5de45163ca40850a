package turns

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestWaitersGetPlacesTurnByTurn(t *testing.T) {
	pool := New[string](2, 2)
	first, err := pool.Take(t.Context(), "a")
	require.NoError(t, err)
	second, err := pool.Take(t.Context(), "a")
	require.NoError(t, err)
	order := make(chan string)
	queue := func(key string) {
		before := pool.Waiting(key)
		go func() {
			end, err := pool.Take(context.Background(), key)
			if err != nil {
				panic(err)
			}
			order <- key
			end()
		}()
		for pool.Waiting(key) == before { // until it waits
			continue
		}
	}
	for _, key := range []string{"a", "a", "a", "a", "b", "c", "b"} {
		queue(key)
	}
	first() // one place goes from hand to hand, since the other is kept
	var got []string
	for range 7 {
		got = append(got, <-order)
	}
	require.Equal(t, []string{"a", "b", "c", "a", "b", "a", "a"}, got)
	second()
}

func TestNobodyHasMoreThanTheShare(t *testing.T) {
	pool := New[string](4, Half(4))
	for range 2 {
		_, err := pool.Take(t.Context(), "stalled")
		require.NoError(t, err)
	}
	gone, cancel := context.WithCancelCause(t.Context())
	full := errors.New("full")
	cancel(full)
	_, err := pool.Take(gone, "stalled")
	require.ErrorIs(t, err, full)
	for range 2 { // the others have the rest, whatever the first does
		end, err := pool.Take(t.Context(), "other")
		require.NoError(t, err)
		defer end()
	}
	require.Empty(t, pool.lines)
	require.Empty(t, pool.waiting)
}

// Whatever is taken, given up and given back, no place is lost or made, nobody has more than the share, and whoever
// may have a free place has it.
func TestNoPlaceIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.IntRange(1, 4).Draw(t, "places")
		share := rapid.IntRange(1, places).Draw(t, "share")
		pool := New[int](places, share)
		var all sync.WaitGroup
		var mu sync.Mutex
		held, most := map[int]int{}, 0
		for _, key := range rapid.SliceOfN(rapid.IntRange(0, 3), 1, 30).Draw(t, "keys") {
			ctx, cancel := context.WithCancel(context.Background())
			if rapid.IntRange(0, 3).Draw(t, "leaves") == 0 {
				cancel()
			}
			all.Go(func() {
				defer cancel()
				end, err := pool.Take(ctx, key)
				if err != nil {
					return
				}
				mu.Lock()
				held[key]++
				sum := 0
				for _, n := range held {
					sum += n
				}
				most = max(most, sum)
				if held[key] > share || sum > places {
					panic("more than there is")
				}
				mu.Unlock()
				mu.Lock()
				held[key]--
				mu.Unlock()
				end()
			})
		}
		all.Wait()
		require.Equal(t, places, pool.free)
		require.Empty(t, pool.taken)
		require.Empty(t, pool.waiting)
		require.Empty(t, pool.lines)
	})
}
