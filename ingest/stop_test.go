package ingest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestStopDrainsTheQueue(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{FlushDelay: time.Hour}, Deps{})
	const requests = 20
	var wg sync.WaitGroup
	for i := range requests {
		wg.Go(func() {
			answer, err := w.Product(
				context.Background(), body(event(fmt.Sprint(i), "buy", fmt.Sprint("u", i), "")), testOrigin(),
			)
			if err != nil || answer.Stored != 1 {
				t.Error(answer, err)
			}
		})
	}
	require.Eventually(t, func() bool { return w.Queued() == requests }, 10*time.Second, time.Millisecond)
	require.Zero(t, count(t, db, `select count(*) from product_event`))
	require.NoError(t, w.Stop(context.Background()))
	wg.Wait()
	require.Equal(t, requests, count(t, db, `select count(*) from product_event`))
	_, err := w.Product(context.Background(), body(event("late", "buy", "u", "")), testOrigin())
	require.ErrorIs(t, err, ErrUnavailable)
	require.NoError(t, w.Stop(context.Background()), "stopping twice is harmless")
}

func TestStopGivesUpWhenItsTimeIsOver(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{Writers: 1}, Deps{})
	release := lockTable(t, db, "event_seen")
	failed := make(chan error, 1)
	go func() {
		_, err := w.Product(context.Background(), body(event("a", "buy", "u", "")), testOrigin())
		failed <- err
	}()
	require.Eventually(t, func() bool { return waitsForLock(t, db) }, 10*time.Second, time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, w.Stop(ctx), "stopped before the queue was empty")
	require.ErrorIs(t, <-failed, ErrUnavailable)
	release()
	require.Zero(t, count(t, db, `select count(*) from product_event`))
}

// The counts are written whatever becomes of the queue.
func TestStopWritesTheCountsThoughTheQueueIsGivenUp(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{Writers: 1, StatsEvery: time.Hour}, Deps{})
	_, err := w.Product(t.Context(), body(event("a", "buy", "u", ""), event("b", "buy", "u", "")), testOrigin())
	require.NoError(t, err)
	release := lockTable(t, db, "event_seen")
	defer release()
	failed := make(chan error, 1)
	go func() {
		_, err := w.Product(context.Background(), body(event("c", "buy", "u", "")), testOrigin())
		failed <- err
	}()
	require.Eventually(t, func() bool { return waitsForLock(t, db) }, 10*time.Second, time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, w.Stop(ctx), "stopped before the queue was empty")
	require.ErrorIs(t, <-failed, ErrUnavailable)
	require.Equal(t, 2, count(t, db, `select sum(accepted) from ingest_stat`))
}

// lockedBuffer is a log that a test reads while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) contains(part string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Contains(b.text.String(), part)
}

// Stop says of counts that it can't write, and of nothing else, that they are
// lost, and does not wait for them longer than a write may take.
func TestStopSaysThatCountsCanNotBeWritten(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{StatsEvery: time.Millisecond, StatsTimeout: 2 * time.Second}, Deps{})
	release := lockTable(t, db, "ingest_stat")
	_, err := w.Product(t.Context(), body(event("a", "buy", "u", "")), testOrigin())
	require.NoError(t, err)
	require.Eventually(t, func() bool { return waitsForLock(t, db) }, 10*time.Second, time.Millisecond)
	err = w.Stop(t.Context())
	require.ErrorContains(t, err, "write ingest statistics")
	require.NotContains(t, err.Error(), "queue")
	release()
	require.NoError(t, w.Stop(t.Context()), "they are kept")
	require.Equal(t, 1, count(t, db, `select sum(accepted) from ingest_stat`))
}
