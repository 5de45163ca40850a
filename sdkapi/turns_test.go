package sdkapi_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery/deliverytest"
)

// A workspace whose records all stall has half of the places, and others go on.
func TestAStalledWorkspaceKeepsNoRecordOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := deliverytest.NewApp(t, w.pool)
	w.refresh()
	w.people.stalledEnvironment, w.people.stalled = w.app.Live.ID, make(chan struct{})
	var stalled sync.WaitGroup
	for i := range 20 {
		stalled.Go(func() { w.send(identify, fmt.Sprintf(`{"appUserId":"d%d"}`, i)) })
	}
	require.Eventually(t, func() bool { return w.people.entered.Load() == 4 }, 3*time.Second, time.Millisecond)
	for i := range 10 {
		x := w.send(identify, fmt.Sprintf(`{"appUserId":"o%d"}`, i), header("Authorization", "Bearer "+other.Live.Key))
		require.Equal(t, 200, x.status, "%s", x.body)
	}
	require.EqualValues(t, 4, w.people.entered.Load())
	close(w.people.stalled)
	stalled.Wait()
}

// Previews are opened turn by turn: the one of a workspace does not wait for the many of another.
func TestPreviewsOfWorkspacesTakeTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := deliverytest.NewApp(t, w.pool)
	other.Live.Pinned(other.Publish())
	w.refresh()
	w.previews.slow.Store(int64(20 * time.Millisecond))
	var many sync.WaitGroup
	const flood = 40
	for range flood {
		many.Go(func() { w.send(previewPath, `{"token":"good"}`) })
	}
	order := func() []string {
		w.previews.mu.Lock()
		defer w.previews.mu.Unlock()
		var names []string
		for _, workspace := range w.previews.opened {
			names = append(names, map[bool]string{true: "other", false: "many"}[workspace == other.WorkspaceID])
		}
		return names
	}
	require.Eventually(t, func() bool { return len(order()) >= 2 }, 5*time.Second, time.Millisecond)
	x := w.send(previewPath, `{"token":"good"}`, header("Authorization", "Bearer "+other.Live.Key))
	require.Equal(t, 200, x.status, "%s", x.body)
	many.Wait()
	require.Less(t, slices.Index(order(), "other"), flood/2, "%v", order())
}
