package joined_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/joined"
)

// Fifty who ask at once wait for two reads at most: the one that runs, and the next.
func TestOneReadAnswersAllWhoAsk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reads joined.Reads[string, int64]
		var count atomic.Int64
		by := func(context.Context) (int64, error) {
			time.Sleep(time.Second)
			return count.Add(1), nil
		}
		var wait sync.WaitGroup
		for range 50 {
			wait.Go(func() {
				_, err := reads.Read(t.Context(), "a", time.Minute, by)
				require.NoError(t, err)
			})
		}
		wait.Wait()
		require.LessOrEqual(t, count.Load(), int64(2))
		got, err := reads.Read(t.Context(), "b", time.Minute, by)
		require.NoError(t, err)
		require.Equal(t, count.Load(), got, "another key has reads of its own")
	})
}

// Who asks after a change learns of it, although a read that began before it still runs.
func TestNobodyLearnsWhatWasTrueBefore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reads joined.Reads[string, string]
		var state atomic.Value
		state.Store("before")
		by := func(context.Context) (string, error) {
			value := state.Load().(string)
			time.Sleep(time.Second)
			return value, nil
		}
		first := make(chan string, 1)
		go func() {
			value, _ := reads.Read(t.Context(), "a", time.Minute, by)
			first <- value
		}()
		synctest.Wait()
		state.Store("after")
		second, err := reads.Read(t.Context(), "a", time.Minute, by)
		require.NoError(t, err)
		require.Equal(t, "before", <-first)
		require.Equal(t, "after", second)
	})
}

// One who leaves takes the read away from nobody, a read that takes too long ends, and its error is that of all.
func TestAReadOutlivesWhoLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reads joined.Reads[string, int]
		by := func(ctx context.Context) (int, error) {
			select {
			case <-time.After(time.Second):
				return 7, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		leaving, leave := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		stayed := make(chan int)
		// While one read runs, both ask for the next, which is begun with the context of the first of them.
		go func() { _, _ = reads.Read(t.Context(), "a", time.Minute, by) }()
		synctest.Wait()
		go func() {
			_, err := reads.Read(leaving, "a", time.Minute, by)
			require.ErrorIs(t, err, gone)
		}()
		synctest.Wait()
		go func() {
			value, _ := reads.Read(t.Context(), "a", time.Minute, by)
			stayed <- value
		}()
		synctest.Wait()
		leave(gone)
		require.Equal(t, 7, <-stayed)
		_, err := reads.Read(t.Context(), "a", time.Millisecond, by)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// A read that panics fails for those who wait for it, and for nobody else.
func TestAPanicIsAnError(t *testing.T) {
	t.Parallel()
	var reads joined.Reads[string, int]
	_, err := reads.Read(t.Context(), "a", time.Minute, func(context.Context) (int, error) { panic("broken") })
	require.ErrorContains(t, err, "broken")
	value, err := reads.Read(t.Context(), "a", time.Minute, func(context.Context) (int, error) { return 7, nil })
	require.NoError(t, err)
	require.Equal(t, 7, value)
}
