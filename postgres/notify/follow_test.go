package notify_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/notify"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// follow follows two channels until the test is over.
func follow(t *testing.T, db *postgres.DB) (heard <-chan notify.Notification, missed <-chan struct{}) {
	t.Helper()
	all, begun := make(chan notify.Notification, 100), make(chan struct{}, 100)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		notify.Follow(ctx, db.Pool.Config().ConnConfig, notify.Follower{
			Name: "svc test", Channels: []string{"test_a", "test_b"}, Silence: time.Millisecond,
			Logger: slog.New(slog.DiscardHandler),
			Missed: func(context.Context) { begun <- struct{}{} },
			Heard: func(_ context.Context, some []notify.Notification) {
				for _, one := range some {
					all <- one
				}
			},
		})
	})
	t.Cleanup(func() { cancel(); running.Wait() })
	return all, begun
}

func next[T any](t *testing.T, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
	return value
}

func send(t *testing.T, db *postgres.DB, channel, payload string) {
	t.Helper()
	_, err := db.Pool.Exec(t.Context(), "select svc_notify($1, $2)", channel, payload)
	require.NoError(t, err)
}

func TestEachChannelIsHeardInOrder(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	heard, missed := follow(t, db)
	next(t, missed)
	send(t, db, "test_other", "not heard")
	var said []string
	for i := range 20 {
		channel := []string{"test_a", "test_b"}[i%2]
		send(t, db, channel, strings.Repeat("x", i))
		said = append(said, channel+strings.Repeat("x", i))
	}
	for _, want := range said {
		got := next(t, heard)
		require.Equal(t, want, got.Channel+got.Payload)
	}
}

// Whoever follows is told that it missed something before it hears of what came since.
func TestALostConnectionIsConnectedAgain(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	heard, missed := follow(t, db)
	for range 3 {
		next(t, missed)
		_, err := db.Pool.Exec(t.Context(), `select pg_terminate_backend(pid) from pg_stat_activity
			where application_name = 'svc test' and datname = current_database()`)
		require.NoError(t, err)
	}
	next(t, missed)
	send(t, db, "test_a", "again")
	require.Equal(t, notify.Notification{Channel: "test_a", Payload: "again"}, next(t, heard))
}

func TestFollowingEndsWhereThereIsNoServer(t *testing.T) {
	t.Parallel()
	config := pgtest.New(t).Pool.Config().ConnConfig.Copy()
	config.Database = "there_is_none"
	ctx, cancel := context.WithCancel(t.Context())
	logged := make(chan string, 100)
	var running sync.WaitGroup
	running.Go(func() {
		notify.Follow(ctx, config, notify.Follower{
			Name: "svc test", Channels: []string{"test_a"}, Logger: slog.New(slog.NewTextHandler(lines(logged), nil)),
			Missed: func(context.Context) { t.Error("it listens") },
		})
	})
	require.Contains(t, next(t, logged), "there_is_none")
	cancel()
	running.Wait()
}

// lines sends what is written.
type lines chan string

func (l lines) Write(text []byte) (int, error) {
	select {
	case l <- string(text):
	default:
	}
	return len(text), nil
}
