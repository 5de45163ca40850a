package privacy_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/people/privacy"
)

// erasures are those of an app, which stall until stall is given up.
type erasures struct {
	app   *deliverytest.App
	stall pgx.Tx // holds what an erasure of the app takes before it removes anything but events
}

func (w *world) stall(app *deliverytest.App) erasures {
	tx, err := w.db.Pool.Begin(w.t.Context())
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	require.NoError(w.t, privacy.LockMoney(w.t.Context(), tx, app.Live.ID))
	return erasures{app, tx}
}

// Erasures are carried out turn by turn: neither the many of a workspace, one of which stalls, nor those of a second
// one keep the single one of a third.
func TestErasuresOfWorkspacesTakeTurns(t *testing.T) {
	t.Parallel()
	const many = 8
	w := newWorld(t)
	single := deliverytest.NewApp(t, w.db.Pool)
	stalled, busy := w.stall(w.app), w.stall(deliverytest.NewApp(t, w.db.Pool))
	done := make(chan *deliverytest.App, 2*many+2)
	carry := func(app *deliverytest.App, person string) {
		request := privacy.Request{EnvironmentID: app.Live.ID, AppUserID: person}
		begun, err := w.privacy.Begin(t.Context(), request)
		require.NoError(t, err)
		go func() {
			if _, err := w.privacy.Carry(context.Background(), app.Live.ID, begun.ID); err != nil {
				t.Error(err)
			}
			done <- app
		}()
	}
	waits := func(app *deliverytest.App, n int) {
		require.Eventually(t, func() bool { return w.privacy.Waiting(app.WorkspaceID) == n }, time.Minute, time.Millisecond)
	}
	for i := range many {
		carry(stalled.app, fmt.Sprint("p", i))
	}
	waits(stalled.app, many-1)
	carry(single, "alone")
	select { // the other place is for the others
	case app := <-done:
		require.Equal(t, single.WorkspaceID, app.WorkspaceID)
	case <-time.After(time.Minute):
		t.Fatal("a stalled workspace keeps the erasures of another")
	}
	for i := range many {
		carry(busy.app, fmt.Sprint("p", i))
	}
	waits(busy.app, many-1)
	carry(single, "one more")
	waits(single, 1) // both places are taken
	require.NoError(t, busy.stall.Rollback(t.Context()))
	var order []*deliverytest.App
	for range many + 1 {
		order = append(order, <-done)
	}
	// After the one that was being carried out and the next of its line.
	require.LessOrEqual(t, slices.Index(order, single), 3) // those that end together may be told of in any order
	require.NotContains(t, order, stalled.app)
	require.NoError(t, stalled.stall.Rollback(t.Context()))
	for range many {
		require.Same(t, stalled.app, <-done)
	}
}
