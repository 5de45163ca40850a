package ingest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func part(events, bytes int) *submission {
	return &submission{items: make([]*item, events), bytes: bytes, done: make(chan error, 1)}
}

func TestLaneTakesWholeRequestsUpToATransaction(t *testing.T) {
	l := newLane(Settings{FlushEvents: 10, FlushDelay: time.Hour}.withDefaults())
	_, wait := l.take()
	require.Negative(t, wait, "nothing waits")
	for range 3 {
		require.NoError(t, l.submit(part(4, 10)))
	}
	batch, _ := l.take()
	require.Len(t, batch, 2, "a third request would pass 10 events")
	batch, wait = l.take()
	require.Nil(t, batch)
	require.Positive(t, wait, "the rest waits for company")
	require.NoError(t, l.submit(part(30, 10)))
	batch, _ = l.take()
	require.Len(t, batch, 1)
	batch, _ = l.take()
	require.Len(t, batch, 1, "a request larger than a transaction goes alone")
	require.Zero(t, l.queued())
	require.Zero(t, l.bytes)
	require.NoError(t, l.submit(part(1, 10)))
	l.close()
	batch, _ = l.take()
	require.Len(t, batch, 1, "closed: nothing waits any longer")
	batch, wait = l.take()
	require.Nil(t, batch)
	require.Zero(t, wait)
	require.ErrorIs(t, l.submit(part(1, 10)), ErrUnavailable)
}

func TestLaneBoundsMemory(t *testing.T) {
	l := newLane(Settings{QueueBytes: 100, FlushDelay: time.Hour}.withDefaults())
	require.NoError(t, l.submit(part(1, 1000)), "alone, whatever its size")
	require.ErrorIs(t, l.submit(part(1, 1)), ErrBusy)
	l = newLane(Settings{QueueBytes: 100 << 20, FlushDelay: time.Hour}.withDefaults())
	for range 3 {
		require.NoError(t, l.submit(part(1, 10<<20)))
	}
	batch, _ := l.take()
	require.Len(t, batch, 1, "two would pass 16 MiB; none waits for more")
}

// When the first of the queue waits for long, whoever comes is told at once.
func TestLaneBoundsWaiting(t *testing.T) {
	l := newLane(Settings{QueueWait: time.Minute, FlushDelay: time.Hour}.withDefaults())
	require.NoError(t, l.submit(part(1, 1)))
	require.NoError(t, l.submit(part(1, 1)))
	l.waiting[0].queued = time.Now().Add(-2 * time.Minute)
	require.ErrorIs(t, l.submit(part(1, 1)), ErrBusy)
	l.waiting = l.waiting[1:]
	require.NoError(t, l.submit(part(1, 1)))
}

// What a batch says once is in the row of each of its events.
func TestSizeCountsWhatARowHolds(t *testing.T) {
	large := item{path: PathProduct, product: &ProductEvent{Properties: make([]byte, 5000)}}
	require.Equal(t, 6024, large.estimateSize())
	flow := item{path: PathFlow, flow: &FlowEvent{Properties: make([]byte, 500), CustomProperties: make([]byte, 50)}}
	require.Equal(t, 1574, flow.estimateSize())
	texts := item{
		path:    PathTrack,
		product: &ProductEvent{AppUserID: "user", Attribution: Attribution{Landing: strings.Repeat("x", 2048)}},
	}
	require.Equal(t, 1024+4+2048, texts.estimateSize())
}
