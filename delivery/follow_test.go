package delivery_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/internal/appchange"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// The answering server serves a pin before its mutation returns, every other
// one within a second, also when its LISTEN connection was killed just before.
func TestPinReachesEveryServer(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	versions := []*deliverytest.Version{app.Publish(), app.Publish()}
	channel := app.Live.Pinned(versions[0])
	// A timer of an hour proves that the notification did it.
	answering, other := started(t, db, time.Hour), started(t, db, time.Hour)
	ctx := context.Background()
	for round := range 6 {
		if round >= 2 {
			_, err := db.Pool.Exec(
				ctx,
				"select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc delivery' and datname = "+
					"current_database()",
			)
			require.NoError(t, err)
		}
		next := versions[(round+1)%2]
		channel.Pin(next)
		committed := time.Now()
		require.NoError(t, answering.Refresh(ctx, app.ID))
		require.Equal(t, next.ID, served(t, answering, app.Live.Key, channel.PublicID), "at once on the answering server")
		eventually(t, time.Second-time.Since(committed), "the pin on the other server", func() bool {
			return served(t, other, app.Live.Key, channel.PublicID) == next.ID
		})
	}
}

// Whatever is notified about arrives: keys, channels, origins, an app.
func TestFollowsEveryKindOfChange(t *testing.T) {
	db := pgtest.New(t)
	c := started(t, db, time.Hour)
	app := deliverytest.NewApp(t, db.Pool)
	eventually(t, time.Second, "a new app", func() bool { return c.Snapshot().Tenant(app.Live.Key) != nil })
	channel := app.Live.Pinned(app.Publish())
	eventually(t, time.Second, "a new channel", func() bool { return condition(c, app.Live.Key, channel.PublicID) == "" })
	channel.Unpin()
	eventually(t, time.Second, "an unpinned channel", func() bool {
		return condition(c, app.Live.Key, channel.PublicID) == delivery.ChannelUnassigned
	})
	channel.Archive()
	eventually(t, time.Second, "an archived channel", func() bool {
		return condition(c, app.Live.Key, channel.PublicID) == delivery.ChannelArchived
	})
	app.Exec(`update apps set allowed_origins = '["https://a.example"]' where id = $1`, app.ID)
	eventually(t, time.Second, "origins", func() bool {
		return !c.Snapshot().Tenant(app.Live.Key).AllowsOrigin("https://b.example")
	})
	app.Live.Revoke()
	eventually(t, time.Second, "a revoked key", func() bool { return c.Snapshot().Tenant(app.Live.Key) == nil })
	app.Exec("update apps set archived_at = now() where id = $1", app.ID)
	eventually(t, time.Second, "an archived app", func() bool { return c.Snapshot().Tenant(app.Test.Key) == nil })
	app.Exec("update apps set archived_at = null where id = $1", app.ID)
	eventually(t, time.Second, "everything", func() bool {
		_, err := db.Pool.Exec(context.Background(), appchange.NotifySQL, appchange.All)
		require.NoError(t, err)
		return c.Snapshot().Tenant(app.Test.Key) != nil
	})
}

// A burst of changes is read in a few reads and ends with the last state.
func TestFollowsBursts(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	versions := []*deliverytest.Version{app.Publish(), app.Publish()}
	channel := app.Live.Pinned(versions[0])
	c := started(t, db, time.Hour)
	for i := range 100 {
		channel.Pin(versions[i%2])
	}
	eventually(t, time.Second, "the last pin", func() bool {
		answer, found := resolve(c, app.Live.Key, channel.PublicID, "dev-1")
		return found == "" && document(t, answer).AssignmentVersion == 101
	})
}

// A change that nobody told about is found by the timer.
func TestRereadsOnATimer(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	c := started(t, db, 50*time.Millisecond)
	_, err := db.Pool.Exec(
		context.Background(), "update publishable_keys set revoked_at = now() where key = $1", app.Live.Key,
	)
	require.NoError(t, err)
	eventually(t, 5*time.Second, "the revoked key", func() bool { return c.Snapshot().Tenant(app.Live.Key) == nil })
}

// While the database is away the catalogue answers, and it catches up after.
func TestDatabaseAway(t *testing.T) {
	server, db := pgtest.PrivateDB(t)
	ctx := context.Background()
	app := deliverytest.NewApp(t, db.Pool)
	versions := []*deliverytest.Version{app.Publish(), app.Publish()}
	channel := app.Live.Pinned(versions[0])
	c := started(t, db, 50*time.Millisecond)

	require.NoError(t, server.Stop(ctx))
	require.Error(t, c.Refresh(ctx, app.ID))
	require.Error(t, c.RefreshAll(ctx))
	require.Equal(t, versions[0].ID, served(t, c, app.Live.Key, channel.PublicID))
	require.ErrorContains(t, delivery.New(db.Pool, delivery.Options{}).Start(ctx), "read delivery catalogue")
}

// After a crash of the database the follower listens again by itself.
func TestCatchesUpAfterACrashOfTheDatabase(t *testing.T) {
	server, db := pgtest.PrivateDB(t)
	ctx := context.Background()
	app := deliverytest.NewApp(t, db.Pool)
	versions := []*deliverytest.Version{app.Publish(), app.Publish()}
	channel := app.Live.Pinned(versions[0])
	c := started(t, db, time.Hour)

	crashed := server.PID()
	require.NoError(t, syscall.Kill(crashed, syscall.SIGKILL))
	eventually(t, time.Minute, "the database to be back", func() bool {
		pid := server.PID()
		return pid != 0 && pid != crashed && db.Pool.Ping(ctx) == nil
	})
	require.Equal(t, versions[0].ID, served(t, c, app.Live.Key, channel.PublicID))
	channel.Pin(versions[1])
	eventually(t, 5*time.Second, "the pin after the crash", func() bool {
		return served(t, c, app.Live.Key, channel.PublicID) == versions[1].ID
	})
}

func TestStop(t *testing.T) {
	db := pgtest.New(t)
	c := started(t, db, 10*time.Millisecond)
	require.False(t, c.ReadAt().IsZero())
	require.NoError(t, c.Stop(t.Context()))
	require.NoError(t, c.Stop(t.Context()))
	at := c.ReadAt()
	app := deliverytest.NewApp(t, db.Pool)
	require.Nil(t, c.Snapshot().Tenant(app.Live.Key))
	require.Equal(t, at, c.ReadAt())
	never := delivery.New(db.Pool, delivery.Options{})
	require.NoError(t, never.Stop(t.Context()))
	require.True(t, never.ReadAt().IsZero())
	require.NoError(t, never.Refresh(context.Background()))
}
