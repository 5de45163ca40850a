package postgres

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/svc-dev/svc/ent"
)

// Options are the settings of a pool. The zero value is fit for a server on one machine.
type Options struct {
	// MaxConns bounds the pool. Zero means four for each CPU, at least 16: the ingest writers, the frame loader's
	// two connections, LISTEN and the request handlers must not wait for each other on a small machine.
	MaxConns int32
	// MinConns stay open when the pool is idle. Zero means 2, so that the first request after a quiet night
	// does not pay for a connection.
	MinConns int32
	// StatementTimeout ends a statement that runs longer. Zero means 30 s, negative means no limit.
	StatementTimeout time.Duration
	// LockTimeout ends a wait for a lock. Zero means 10 s, negative means no limit.
	LockTimeout time.Duration
	// IdleInTransactionTimeout closes a session that forgot its transaction. Zero means 60 s, negative means no limit.
	IdleInTransactionTimeout time.Duration
	// ConnectTimeout bounds the making of one connection. Zero means 5 s.
	ConnectTimeout time.Duration
	// ApplicationName is what pg_stat_activity shows. Empty means "svc".
	ApplicationName string
	// EventRetention is how long raw events are kept. Zero means five years, negative means for ever.
	EventRetention time.Duration
}

const defaultEventRetention = 5 * 365 * 24 * time.Hour

// DB is one pool and what is built on it.
type DB struct {
	// Pool is the only pool of the process.
	Pool *pgxpool.Pool

	sql        *sql.DB
	ent        *ent.Client
	retention  time.Duration // of raw events; negative means for ever
	partitions partitionCache
}

// openTimeout bounds the round trip of [Open]: a server may take connections and answer nothing.
const openTimeout = 10 * time.Second

// Open makes the pool for url and proves with one round trip that the database answers.
// It does not migrate: see [Migrate].
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	config, err := poolConfig(url, opts)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("opening the database pool: %w", err)
	}
	proving, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if err := pool.Ping(proving); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connecting to the database at %s: %w", address(config), err)
	}
	connections := stdlib.OpenDBFromPool(pool)
	return &DB{
		Pool: pool, sql: connections, ent: ent.NewClient(ent.Driver(entsql.OpenDB(dialect.Postgres, connections))),
		retention: orDefault(opts.EventRetention, defaultEventRetention),
	}, nil
}

// Ent returns the control plane's client. It borrows its connections from Pool and is closed with it.
func (db *DB) Ent() *ent.Client {
	return db.ent
}

// InOrderOfIndex calls read with a client whose queries go along an index that has their order, where there is one. Of
// two conditions that say the same, which an index and partitions need, the database believes that each leaves little,
// and would rather sort what is millions of rows then.
func (db *DB) InOrderOfIndex(ctx context.Context, read func(*ent.Client) error) error {
	tx, err := db.sql.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was changed
	if _, err := tx.ExecContext(ctx, "set local enable_sort = off"); err != nil {
		return err
	}
	return read(ent.NewClient(ent.Driver(entsql.NewDriver(dialect.Postgres, entsql.Conn{ExecQuerier: tx}))))
}

// Close waits for the connections in use and closes the pool.
func (db *DB) Close() {
	_ = db.ent.Close() // keeps no connection of its own, so nothing can fail
	db.Pool.Close()
}

func poolConfig(url string, opts Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The parse error of pgx redacts the password.
		return nil, fmt.Errorf("reading the database URL: %w", err)
	}
	config.MaxConns = opts.MaxConns
	if config.MaxConns == 0 {
		config.MaxConns = max(16, int32(4*runtime.GOMAXPROCS(0)))
	}
	config.MinConns = opts.MinConns
	if config.MinConns == 0 {
		config.MinConns = min(2, config.MaxConns)
	}
	config.MaxConnIdleTime = 5 * time.Minute
	// An hour, spread over ten minutes: a connection's caches grow with every partition it has touched.
	config.MaxConnLifetime = time.Hour
	config.MaxConnLifetimeJitter = 10 * time.Minute
	config.HealthCheckPeriod = 30 * time.Second

	conn := config.ConnConfig
	// PostgreSQL writes 8 kB at a time; the frames read hundreds of megabytes of it.
	conn.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		return pgproto3.NewFrontend(bufio.NewReaderSize(r, 64<<10), w)
	}
	if conn.ConnectTimeout == 0 || opts.ConnectTimeout != 0 {
		conn.ConnectTimeout = orDefault(opts.ConnectTimeout, 5*time.Second)
	}
	if conn.ValidateConnect == nil { // the URL may ask for target_session_attrs
		conn.ValidateConnect = refuseStandby
	}
	set := func(name, value string) {
		if _, given := conn.RuntimeParams[name]; !given {
			conn.RuntimeParams[name] = value
		}
	}
	conn.Tracer = newCallers(int(config.MaxConns))
	if opts.ApplicationName != "" {
		conn.RuntimeParams["application_name"] = opts.ApplicationName
	}
	set("application_name", "svc")
	set("statement_timeout", milliseconds(orDefault(opts.StatementTimeout, 30*time.Second)))
	set("lock_timeout", milliseconds(orDefault(opts.LockTimeout, 10*time.Second)))
	set("idle_in_transaction_session_timeout", milliseconds(orDefault(opts.IdleInTransactionTimeout, time.Minute)))
	// Days and hours are UTC everywhere in the store; a report converts when it answers.
	conn.RuntimeParams["timezone"] = "UTC"
	return config, nil
}

// errStandby is an error of connecting, as one of a server that starts is: it passes.
var errStandby = errors.New("the database is a standby, or is read from a backup, and takes nothing yet")

// refuseStandby refuses a server that answers what is read while it follows another or a log: it would refuse every
// change, and be told of one request at a time. A server says so by itself when a connection begins.
func refuseStandby(_ context.Context, conn *pgconn.PgConn) error {
	if conn.ParameterStatus("in_hot_standby") == "on" {
		return errStandby
	}
	return nil
}

func orDefault(value, fallback time.Duration) time.Duration {
	if value == 0 {
		return fallback
	}
	return value
}

// milliseconds writes a time limit as PostgreSQL reads it; 0 is no limit.
func milliseconds(d time.Duration) string {
	if d < 0 {
		return "0"
	}
	return strconv.FormatInt(max(1, d.Milliseconds()), 10)
}

// address returns the part of the configuration that is safe to show.
func address(config *pgxpool.Config) string {
	return fmt.Sprintf("%s:%d/%s", config.ConnConfig.Host, config.ConnConfig.Port, config.ConnConfig.Database)
}
