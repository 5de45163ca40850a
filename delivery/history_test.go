package delivery_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestAssignmentVersion(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	a, b, never := app.Publish(), app.Publish(), app.Publish()
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	channel, other := app.Live.Channel(), app.Live.Pinned(never)
	other.Record(begin)
	hour := func(n int) time.Time { return begin.Add(time.Duration(n) * time.Hour) }
	channel.Pin(a) // 1, from hour 0
	channel.Record(hour(0))
	channel.Pin(b) // 2
	channel.Record(hour(10))
	channel.Pin(a) // 3
	channel.Record(hour(20))
	channel.Experiment("running", // 4
		deliverytest.Arm{
			Key: "a", Weight: 1, Version: a,
		}, deliverytest.Arm{Key: "b", Weight: 1, Version: b}, deliverytest.Arm{Key: "c", Weight: 1})
	channel.Record(hour(30))
	channel.Unpin() // 5
	channel.Record(hour(40))

	c := delivery.New(db.Pool, delivery.Options{})
	require.NoError(t, c.RefreshAll(context.Background()))
	for _, tc := range []struct {
		name    string
		version uuid.UUID
		at      time.Time
		want    int64
	}{
		{"while it was pinned", a.ID, hour(5), 1},
		{"at the instant of the pin", b.ID, hour(10), 2},
		{"served from a cache after the next pin", a.ID, hour(15), 1},
		{"pinned again", a.ID, hour(25), 3},
		{"an arm of an experiment", b.ID, hour(35), 4},
		{"a run that goes on after unpinning", a.ID, hour(45), 4},
		{"a clock that runs behind", b.ID, hour(9), 2},
		{"long before", a.ID, hour(-100), 1},
	} {
		got, known := c.AssignmentVersion(channel.ID, tc.version, tc.at)
		require.True(t, known, tc.name)
		require.Equal(t, tc.want, got, tc.name)
	}
	_, known := c.AssignmentVersion(channel.ID, never.ID, hour(5))
	require.False(t, known, "another channel's version")
	_, known = c.AssignmentVersion(other.ID+1000, a.ID, hour(5))
	require.False(t, known, "no such channel")
	require.NoError(t, c.Refresh(context.Background(), app.ID))
	got, known := c.AssignmentVersion(channel.ID, b.ID, hour(35))
	require.True(t, known)
	require.EqualValues(t, 4, got)
}
