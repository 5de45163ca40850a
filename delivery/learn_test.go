package delivery_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// lookupCounter counts the questions for publishable keys.
type lookupCounter struct{ count atomic.Int64 }

func (l *lookupCounter) TraceQueryStart(
	ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData,
) context.Context {
	if len(data.Args) == 1 {
		if key, ok := data.Args[0].(string); ok && len(key) > 6 && key[:6] == "ob_pk_" {
			l.count.Add(1)
		}
	}
	return ctx
}

func (l *lookupCounter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// deaf returns a catalogue that hears of nothing by itself, and what it asks.
func deaf(t *testing.T, db *postgres.DB) (*delivery.Catalogue, *lookupCounter) {
	t.Helper()
	counter := &lookupCounter{}
	config := db.Pool.Config()
	config.ConnConfig.Tracer = counter
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	c := delivery.New(pool, delivery.Options{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, c.RefreshAll(context.Background()))
	return c, counter
}

func TestAKeyMadeElsewhereIsLearned(t *testing.T) {
	db := pgtest.New(t)
	c, counter := deaf(t, db)
	app := deliverytest.NewApp(t, db.Pool)
	channel := app.Live.Pinned(app.Publish())
	require.Nil(t, c.Snapshot().Tenant(app.Live.Key))
	tenant := c.Learn(t.Context(), app.Live.Key).Tenant(app.Live.Key)
	require.NotNil(t, tenant)
	require.Equal(t, app.Live.ID, tenant.ID)
	require.EqualValues(t, 1, counter.count.Load())
	// The whole app came with it, and nothing is asked any more.
	answer, condition := resolve(c, app.Live.Key, channel.PublicID, "u")
	require.Empty(t, condition)
	require.NotNil(t, answer)
	require.NotNil(t, c.Learn(t.Context(), app.Test.Key).Tenant(app.Test.Key))
	require.EqualValues(t, 1, counter.count.Load())
}

func TestRevokedKeysAndThoseOfArchivedAppsAreNotLearned(t *testing.T) {
	db := pgtest.New(t)
	c, _ := deaf(t, db)
	app, archived := deliverytest.NewApp(t, db.Pool), deliverytest.NewApp(t, db.Pool)
	app.Live.Revoke()
	archived.Exec("update apps set archived_at = now() where id = $1", archived.ID)
	for _, key := range []string{app.Live.Key, archived.Live.Key} {
		require.Nil(t, c.Learn(t.Context(), key).Tenant(key))
	}
}

// A key that was asked for too early works as soon as a second later.
func TestAnUnknownKeyIsAskedForAgainAfterASecond(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	c, counter := deaf(t, db)
	const key = "ob_pk_live_later"
	begun := time.Now()
	require.Nil(t, c.Learn(t.Context(), key).Tenant(key))
	app.Exec("insert into publishable_keys (id, key, environment_id) values (gen_random_uuid(), $1, $2)", key, app.Live.ID)
	require.Eventually(t, func() bool {
		return c.Learn(t.Context(), key).Tenant(key) != nil
	}, 10*time.Second, 5*time.Millisecond)
	require.GreaterOrEqual(t, time.Since(begun), time.Second, "the first answer is remembered for a while")
	require.LessOrEqual(t, counter.count.Load(), 2+int64(time.Since(begun)/time.Second))
}

// Made-up keys reach the database seldom, the same key once, and what can't be
// a key never.
func TestMadeUpKeysDoNotLoadTheDatabase(t *testing.T) {
	db := pgtest.New(t)
	c, counter := deaf(t, db)
	for _, key := range []string{
		"", "ob_pk_live_", "ob_pk_other_x", "ob_pk_live_" + string(make([]byte, 100)), "ob_pk_live_a b", "svc_wk_x",
	} {
		require.Nil(t, c.Learn(t.Context(), key).Tenant(key))
	}
	require.Zero(t, counter.count.Load())

	begun := time.Now()
	var running sync.WaitGroup
	for range 50 {
		running.Go(func() { c.Learn(context.Background(), "ob_pk_live_same") })
	}
	running.Wait()
	require.LessOrEqual(
		t, counter.count.Load(), 1+int64(time.Since(begun)/time.Second), "50 requests at once ask once a second",
	)

	counter.count.Store(0)
	begun = time.Now()
	for i := range 5000 {
		c.Learn(t.Context(), fmt.Sprint("ob_pk_live_x", i))
	}
	seconds := int64(time.Since(begun)/time.Second) + 2 // it may begin and end within a second
	require.LessOrEqual(t, counter.count.Load(), 20*seconds)
}

// A database that does not answer holds an unknown key up no longer than its
// client waits, and a known one not at all.
func TestLearningWithoutADatabase(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	c, _ := deaf(t, db)
	held, err := db.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = held.Rollback(context.Background()) }()
	_, err = held.Exec(t.Context(), "lock table publishable_keys in access exclusive mode")
	require.NoError(t, err)
	patience, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	require.Nil(t, c.Learn(patience, "ob_pk_live_unknown").Tenant("ob_pk_live_unknown"))
	require.Less(t, time.Since(begun), 4*time.Second, "the database would be given up after five")
	require.NotNil(t, c.Learn(t.Context(), app.Live.Key).Tenant(app.Live.Key), "a known key asks nothing")
}
