package delivery_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// behindProxy returns a catalogue that reaches its database through a proxy which swallows LISTEN.
func behindProxy(t *testing.T, options delivery.Options) (*delivery.Catalogue, *pgtest.Proxy, *postgres.DB) {
	t.Helper()
	url := pgtest.URL(t)
	direct, err := postgres.Open(t.Context(), url, postgres.Options{})
	require.NoError(t, err)
	t.Cleanup(direct.Close)
	proxy := pgtest.NewProxy(t, url)
	proxy.Swallow("listen")
	db, err := postgres.Open(t.Context(), proxy.URL(), postgres.Options{})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	options.Logger = slog.New(slog.DiscardHandler)
	c := delivery.New(db.Pool, options)
	require.NoError(t, c.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, c.Stop(context.Background())) })
	return c, proxy, direct
}

// A LISTEN that hangs keeps nobody from reading everything again.
func TestRereadsWhileListenHangs(t *testing.T) {
	t.Parallel()
	c, proxy, db := behindProxy(t, delivery.Options{Reread: 100 * time.Millisecond, Timeout: time.Hour})
	eventually(t, 10*time.Second, "a LISTEN that hangs", func() bool { return proxy.Swallowed() > 0 })
	app := deliverytest.NewApp(t, db.Pool)
	channel := app.Live.Pinned(app.Publish())
	eventually(t, 10*time.Second, "a pin that nobody told about", func() bool {
		_, condition := resolve(c, app.Live.Key, channel.PublicID, "dev-1")
		return condition == ""
	})
	require.EqualValues(t, 1, proxy.Swallowed(), "it still hangs")
	require.Less(t, c.Age(), 10*time.Second)
}

// A LISTEN that hangs is given up and sent again.
func TestListensAgainAfterAHang(t *testing.T) {
	t.Parallel()
	c, proxy, db := behindProxy(t, delivery.Options{Reread: time.Hour, Timeout: 200 * time.Millisecond})
	eventually(t, 10*time.Second, "two LISTENs that hang", func() bool { return proxy.Swallowed() > 1 })
	proxy.Swallow("")
	app := deliverytest.NewApp(t, db.Pool)
	eventually(t, 10*time.Second, "a new app", func() bool { return c.Snapshot().Tenant(app.Live.Key) != nil })
	app.Live.Revoke()
	eventually(t, 10*time.Second, "a notification", func() bool { return c.Snapshot().Tenant(app.Live.Key) == nil })
}

// A mutation's refresh does not wait for a read of everything that hangs, and what it brought is not
// overwritten when that read ends after all.
func TestRefreshWaitsForNoOtherRead(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	withFont, app := deliverytest.NewApp(t, db.Pool), deliverytest.NewApp(t, db.Pool)
	withFont.Exec(`insert into brandings (id, data, app_id) values ($1, $2, $3)`, uuid.New(),
		`{"fontFamilies": [{"id": "x", "name": "Inter", "styles": [{"id": "y", "weight": 400, "mediaAssetId": "`+uuid.NewString()+`"}]}]}`,
		withFont.ID)
	c := delivery.New(db.Pool, delivery.Options{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, c.RefreshAll(t.Context()))
	require.NotNil(t, c.Snapshot().Tenant(app.Live.Key))

	tx, err := db.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `lock table media_assets in access exclusive mode`)
	require.NoError(t, err)
	all := make(chan error)
	go func() { all <- c.RefreshAll(context.Background()) }()
	eventually(t, 10*time.Second, "a read that hangs", func() bool {
		var waiting int
		err := tx.QueryRow(t.Context(), `select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`).Scan(&waiting)
		return err == nil && waiting > 0
	})
	_, err = tx.Exec(t.Context(), `select 1`)
	require.NoError(t, err)
	app.Live.Revoke()
	within, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	require.NoError(t, c.Refresh(within, app.ID))
	require.Nil(t, c.Snapshot().Tenant(app.Live.Key))
	require.NoError(t, tx.Rollback(t.Context()))
	require.NoError(t, <-all)
	require.Nil(t, c.Snapshot().Tenant(app.Live.Key), "the earlier read knew the key, but a later one did not")
}
