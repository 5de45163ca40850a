// Package pgtest gives every test a migrated PostgreSQL database of its own, on a real server that the test programs
// of one machine share. Nobody stops that server. Its files are in /dev/shm/svc-pgtest-of-UID where there is room, and
// take 130 MB there while no test runs, until the machine restarts; else they are in the user's cache directory.
//
// Environment variables:
//
//	SVC_TEST_VARIANT       stock, timescaledb or citus; default: timescaledb where its library is installed. On citus,
//	                       a coordinator and two workers, tests are skipped where its library is not installed
//	SVC_TEST_REQUIRE       timescaledb,toolkit or citus: fail instead of running without
//	SVC_TEST_DATABASE_URL  use this server (a superuser's URL) instead of a local one
//	SVC_TEST_BINDIR        use the PostgreSQL programs of this directory
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/pgerr"
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

// EmptyURL returns the connection URL of a fresh database without any table, for tests of the migrations. On Citus it
// is a cluster without any.
func EmptyURL(t testing.TB) string {
	t.Helper()
	address := PlainURL(t)
	if shared(t).capabilities.Citus != "" {
		FormCluster(t, address)
	}
	return address
}

// PlainURL returns the connection URL of a fresh database without any table or extension, on a cluster's server too.
func PlainURL(t testing.TB) string {
	t.Helper()
	return create(t, "template0")
}

// FormCluster makes a database of [PlainURL] the coordinator's part of a cluster, with whatever it has by now.
func FormCluster(t testing.TB, address string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	parsed, err := url.Parse(address)
	if err == nil {
		err = shared(t).formCluster(ctx, strings.TrimPrefix(parsed.Path, "/"))
	}
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
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
		Preload: !slices.Contains([]string{"stock", "citus"}, os.Getenv("SVC_TEST_VARIANT")),
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

// PrivateDB starts a private server as [Server] does, and returns it with a pool on its database, migrated. The pool is
// closed before the server stops.
func PrivateDB(t testing.TB) (*local.Server, *postgres.DB) {
	t.Helper()
	server := Server(t)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	db, err := postgres.Open(ctx, server.URL(), postgres.Options{})
	if err != nil {
		t.Fatalf("pgtest: opening a private server: %v", err)
	}
	t.Cleanup(db.Close)
	if err := postgres.Migrate(ctx, db, postgres.MigrateOptions{Logger: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatalf("pgtest: migrating a private server: %v", err)
	}
	return server, db
}

// machine is the shared server as this test program sees it.
type machine struct {
	nodes        []func(name string) string // URLs of databases; the first is the coordinator's, others are workers'
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
	if errors.Is(err, errNoCitus) {
		t.Skip("pgtest: ", err)
	}
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return m
}

// errNoCitus skips the tests: Citus is in no distribution's packages of PostgreSQL.
var errNoCitus = errors.New("the library of Citus is not installed for this PostgreSQL")

func connect(ctx context.Context) (*machine, error) {
	m := &machine{}
	variant := os.Getenv("SVC_TEST_VARIANT")
	if !slices.Contains([]string{"", "stock", "timescaledb", "citus"}, variant) {
		return nil, fmt.Errorf("SVC_TEST_VARIANT is %q, expected stock, timescaledb or citus", variant)
	}
	if given := os.Getenv("SVC_TEST_DATABASE_URL"); given != "" {
		address, err := url.Parse(given)
		if err != nil {
			return nil, fmt.Errorf("SVC_TEST_DATABASE_URL is not a URL")
		}
		m.nodes = append(m.nodes, func(name string) string {
			copied := *address
			copied.Path = "/" + name
			return copied.String()
		})
	} else {
		servers, err := joinLocal(ctx, variant)
		if err != nil {
			return nil, err
		}
		for _, server := range servers {
			m.nodes = append(m.nodes, server.DatabaseURL)
		}
	}
	return m, m.prepareTemplate(ctx, variant)
}

// joinLocal keeps one directory for each major version, variant and node, since none can change in a running server.
func joinLocal(ctx context.Context, variant string) ([]*local.Shared, error) {
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
	nodes := []string{variant}
	if variant == "citus" {
		if !found[0].HasLibrary(ctx, "citus") {
			return nil, errNoCitus
		}
		nodes = []string{"citus", "citus-1", "citus-2"}
	}
	servers := make([]*local.Shared, len(nodes))
	for i, node := range nodes {
		var err error
		servers[i], err = local.Join(ctx, local.Config{
			Dir: filepath.Join(home(), fmt.Sprintf("svc-pgtest-%d-%s", found[0].Major, node)), BinDir: found[0].BinDir,
			Preload: variant == "timescaledb", Citus: variant == "citus", Fast: true,
		})
		if err != nil {
			return nil, err
		}
	}
	return servers, nil
}

// home returns the directory that holds those of the servers.
func home() string {
	if dir := inMemory(); dir != "" {
		return dir
	}
	if cache, err := os.UserCacheDir(); err == nil {
		return cache
	}
	return os.TempDir()
}

// check compares what runs with what was asked for.
func (m *machine) check() error {
	required := strings.FieldsFunc(os.Getenv("SVC_TEST_REQUIRE"), func(r rune) bool { return r == ',' || r == ' ' })
	if variant := os.Getenv("SVC_TEST_VARIANT"); variant == "timescaledb" || variant == "citus" {
		required = append(required, variant)
	}
	for _, name := range required {
		version := ""
		switch name {
		case "timescaledb":
			version = m.capabilities.TimescaleDB
		case "toolkit":
			version = m.capabilities.Toolkit
		case "citus":
			version = m.capabilities.Citus
		default:
			return fmt.Errorf("SVC_TEST_REQUIRE names %q, expected timescaledb, toolkit or citus", name)
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
	// Copying through the log, which PostgreSQL does unless told otherwise, takes twice the processor time.
	m.admin(t, "create database "+name+" template "+template+" strategy file_copy")
	t.Cleanup(func() { m.admin(t, "drop database if exists "+name+" with (force)") })
	return m.nodes[0](name)
}

// objectInUse is PostgreSQL's code for a database that somebody is connected to.
const objectInUse = "55006"

// admin runs a statement on every node.
func (m *machine) admin(t testing.TB, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	for _, node := range m.nodes {
		err := run(ctx, node("postgres"), statement)
		for ; pgerr.State(err) == objectInUse && ctx.Err() == nil; err = run(ctx, node("postgres"), statement) {
			time.Sleep(100 * time.Millisecond) // a maintenance daemon of Citus goes when it notices
		}
		if err != nil {
			t.Fatalf("pgtest: %v", err)
		}
	}
}

// run runs statements, each in a transaction of its own.
func run(ctx context.Context, url string, statements ...string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connecting to the server: %w", err)
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
