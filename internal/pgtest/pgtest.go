// Package pgtest gives every test a migrated PostgreSQL database of its own, on a real server that the test programs
// of one machine share.
//
// Environment variables:
//
//	SVC_TEST_VARIANT       stock or timescaledb; default: timescaledb where its library is installed
//	SVC_TEST_REQUIRE       timescaledb,toolkit: fail instead of running without
//	SVC_TEST_DATABASE_URL  use this server (a superuser's URL) instead of a local one
//	SVC_TEST_BINDIR        use the PostgreSQL programs of this directory
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/local"
)

// timeout bounds each step on the server; the first one on a machine runs initdb and all migrations.
const timeout = 2 * time.Minute

// New returns a pool on a fresh, migrated database, which is dropped when the test ends.
func New(t testing.TB) *postgres.DB {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	db, err := postgres.Open(ctx, URL(t), postgres.Options{MaxConns: 10, MinConns: 1, ApplicationName: "pgtest"})
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		closed := make(chan struct{})
		go func() { db.Close(); close(closed) }()
		select {
		case <-closed:
		case <-time.After(10 * time.Second):
			t.Errorf("pgtest: %d connections of the pool were not given back", db.Pool.Stat().AcquiredConns())
		}
	})
	return db
}

// URL returns the connection URL of a fresh, migrated database, which is dropped when the test ends, whoever is
// still connected to it.
func URL(t testing.TB) string {
	t.Helper()
	return create(t, shared(t).template)
}

// EmptyURL returns the connection URL of a fresh database without any table, for tests of the migrations.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return create(t, "template0")
}

// Capabilities tells which variant the tests run on.
func Capabilities(t testing.TB) postgres.Capabilities {
	t.Helper()
	return shared(t).capabilities
}

// Server starts a private server, which the test may kill, with settings as in production (fsync on). It is stopped
// when the test ends. Its database is not migrated. Short runs skip the test.
func Server(t testing.TB) *local.Server {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a database server of its own")
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	server, err := local.Start(ctx, local.Config{
		Dir: t.TempDir(), BinDir: os.Getenv("SVC_TEST_BINDIR"), Download: true,
		Preload: os.Getenv("SVC_TEST_VARIANT") != "stock",
	})
	if err != nil {
		t.Fatalf("pgtest: starting a private server: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		if err := server.Stop(ctx); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return server
}

// machine is the shared server as this test program sees it.
type machine struct {
	databaseURL  func(name string) string
	template     string
	capabilities postgres.Capabilities
}

var join = sync.OnceValues(func() (*machine, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	m, err := connect(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stdout, "pgtest: %s\n", m.capabilities)
	return m, m.check()
})

func shared(t testing.TB) *machine {
	t.Helper()
	m, err := join()
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return m
}

func connect(ctx context.Context) (*machine, error) {
	m := &machine{}
	variant := os.Getenv("SVC_TEST_VARIANT")
	if variant != "" && variant != "stock" && variant != "timescaledb" {
		return nil, fmt.Errorf("SVC_TEST_VARIANT is %q, expected stock or timescaledb", variant)
	}
	if given := os.Getenv("SVC_TEST_DATABASE_URL"); given != "" {
		address, err := url.Parse(given)
		if err != nil {
			return nil, fmt.Errorf("SVC_TEST_DATABASE_URL is not a URL")
		}
		m.databaseURL = func(name string) string {
			copied := *address
			copied.Path = "/" + name
			return copied.String()
		}
	} else {
		server, err := joinLocal(ctx, variant)
		if err != nil {
			return nil, err
		}
		m.databaseURL = server.DatabaseURL
	}
	return m, m.prepareTemplate(ctx, variant == "stock")
}

// joinLocal keeps one directory for each major version and variant, since neither can change in a running server.
func joinLocal(ctx context.Context, variant string) (*local.Shared, error) {
	found := local.Find(ctx)
	if dir := os.Getenv("SVC_TEST_BINDIR"); dir != "" {
		installation, err := local.Inspect(ctx, dir)
		if err != nil {
			return nil, err
		}
		found = []local.Installation{installation}
	}
	if len(found) == 0 {
		installation, err := local.Download(ctx, slog.Default())
		if err != nil {
			return nil, fmt.Errorf(
				"%w, install it (Debian and Ubuntu: apt install postgresql) or set SVC_TEST_DATABASE_URL: %w", local.ErrNotFound,
				err,
			)
		}
		found = []local.Installation{installation}
	}
	if variant == "" {
		variant = "stock"
		if found[0].HasLibrary(ctx, "timescaledb") {
			variant = "timescaledb"
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, fmt.Sprintf("svc-pgtest-%d-%s", found[0].Major, variant))
	return local.Join(ctx, local.Config{Dir: dir, BinDir: found[0].BinDir, Preload: variant == "timescaledb", Fast: true})
}

// check compares what runs with what was asked for.
func (m *machine) check() error {
	required := strings.FieldsFunc(os.Getenv("SVC_TEST_REQUIRE"), func(r rune) bool { return r == ',' || r == ' ' })
	if os.Getenv("SVC_TEST_VARIANT") == "timescaledb" {
		required = append(required, "timescaledb")
	}
	for _, name := range required {
		version := ""
		switch name {
		case "timescaledb":
			version = m.capabilities.TimescaleDB
		case "toolkit":
			version = m.capabilities.Toolkit
		default:
			return fmt.Errorf("SVC_TEST_REQUIRE names %q, expected timescaledb or toolkit", name)
		}
		if version == "" {
			return fmt.Errorf("%s is required but the tests would run on %s", name, m.capabilities)
		}
	}
	return nil
}

// create makes a database from a template and drops it when the test ends.
func create(t testing.TB, template string) string {
	t.Helper()
	m := shared(t)
	name := fmt.Sprintf("test_%d_%s", time.Now().Unix(), strings.ToLower(rand.Text()[:10]))
	m.admin(t, "create database "+name+" template "+template)
	t.Cleanup(func() { m.admin(t, "drop database if exists "+name+" with (force)") })
	return m.databaseURL(name)
}

func (m *machine) admin(t testing.TB, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, m.databaseURL("postgres"))
	if err != nil {
		t.Fatalf("pgtest: connecting to the server: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("pgtest: %s: %v", statement, err)
	}
}
