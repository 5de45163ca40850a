package postgres_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/pgerr"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/local"
)

// A standby answers what is read: it is waited for until it is promoted, as a server is that starts.
func TestAStandbyIsWaitedFor(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a database server of its own")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	config := local.Config{Dir: t.TempDir(), BinDir: os.Getenv("SVC_TEST_BINDIR"), Download: true}
	start := func() *local.Server {
		t.Helper()
		server, err := local.Start(ctx, config)
		if err != nil {
			t.Fatal(err)
		}
		return server
	}
	stop := func(server *local.Server) {
		t.Helper()
		if err := server.Stop(ctx); err != nil {
			t.Error(err)
		}
	}
	stop(start())
	if err := os.WriteFile(filepath.Join(config.Dir, "data", "standby.signal"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	server := start()
	defer stop(server)

	db, err := postgres.Open(ctx, server.URL(), postgres.Options{})
	if err == nil {
		db.Close()
	}
	if !pgerr.IsTransient(err) || pgerr.IsMisconfigured(err) {
		t.Fatalf("a standby is opened, or refused for good: %v", err)
	}
	conn, err := pgx.Connect(ctx, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	var promoted bool
	if err := conn.QueryRow(ctx, `select pg_promote()`).Scan(&promoted); err != nil || !promoted {
		t.Fatalf("promoted: %v, %v", promoted, err)
	}
	if db, err = postgres.Open(ctx, server.URL(), postgres.Options{}); err != nil {
		t.Fatalf("after it is promoted: %v", err)
	}
	db.Close()
}
