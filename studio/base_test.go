package studio_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/postgres/pgtest"
	"github.com/svc-dev/svc/studio"
)

func TestAnotherMediaBaseRaisesAssignedChannels(t *testing.T) {
	ctx, db := context.Background(), pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	pinned, archived, unassigned := app.Live.Channel(), app.Live.Channel(), app.Live.Channel()
	version := app.Publish()
	pinned.Pin(version)
	archived.Pin(version)
	archived.Archive()
	versions := func() (list []int64) {
		for _, channel := range []deliverytest.Channel{pinned, archived, unassigned} {
			var n int64
			require.NoError(
				t, db.Pool.QueryRow(ctx, `select assignment_version from channels where id = $1`, channel.ID).Scan(&n),
			)
			list = append(list, n)
		}
		return list
	}
	adopt := func(address string) int64 {
		raised, err := studio.AdoptMediaBase(ctx, db.Ent(), address)
		require.NoError(t, err)
		return raised
	}
	before := versions()
	require.Zero(t, adopt("https://a.example"), "the first address is only stored")
	require.Zero(t, adopt("https://a.example"))
	require.Equal(t, before, versions())

	// A server that is running hears of it.
	catalogue := delivery.New(
		db.Pool, delivery.Options{MediaBase: "https://a.example", Logger: slog.New(slog.DiscardHandler)},
	)
	require.NoError(t, catalogue.Start(ctx))
	defer func() { require.NoError(t, catalogue.Stop(context.Background())) }()
	var wait sync.WaitGroup
	var mu sync.Mutex
	var raised int64
	for range 4 { // servers that start at once
		wait.Go(func() {
			n, err := studio.AdoptMediaBase(ctx, db.Ent(), "https://b.example")
			mu.Lock()
			defer mu.Unlock()
			raised += n
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	require.EqualValues(t, 1, raised, "one server raises the one assigned channel, once")
	require.Equal(t, []int64{before[0] + 1, before[1], before[2]}, versions())
	require.Eventually(t, func() bool {
		served, known := catalogue.AssignmentVersion(pinned.ID, version.ID, time.Now().Add(time.Minute))
		return known && served == before[0]+1
	}, 5*time.Second, 10*time.Millisecond)

	var reason, kind string
	var flowVersion *string
	require.NoError(t, db.Pool.QueryRow(ctx, `
		select reason, assignment, flow_version_id::text from assignments where channel_id = $1 and assignment_version = $2`,
		pinned.ID, before[0]+1).Scan(&reason, &kind, &flowVersion))
	require.Equal(t, "media_base", reason)
	require.Equal(t, "direct", kind)
	require.Equal(t, version.ID.String(), *flowVersion)
	require.EqualValues(t, 1, adopt("https://a.example"), "back again is a change too")
}
