package postgres

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrationFiles embed.FS

// MigrateOptions are the settings of the event storage. The zero value is the documented default.
type MigrateOptions struct {
	// Logger receives one line a migration. Nil means slog.Default().
	Logger *slog.Logger
	// ColumnstoreAfter is the age at which TimescaleDB compresses a chunk. Zero means seven days, negative means never.
	ColumnstoreAfter time.Duration
	// WithoutTimescale keeps to native partitions although the extension could be created.
	// A database that has the extension already keeps it.
	WithoutTimescale bool
	// Sharding says whether the tables of tenants are distributed. Empty means ShardingAuto.
	Sharding Sharding
}

const defaultColumnstoreAfter = 7 * 24 * time.Hour

func (o MigrateOptions) withDefaults() MigrateOptions {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	o.ColumnstoreAfter = orDefault(o.ColumnstoreAfter, defaultColumnstoreAfter)
	return o
}

// Migrate brings the database to the newest numbered migration and then makes or updates the event storage
// (hypertables or native partitions). It may be called by several servers at once: an advisory lock lets one
// of them work while the others wait. Every step is idempotent, and nothing that holds rows is dropped.
func Migrate(ctx context.Context, db *DB, opts MigrateOptions) error {
	opts = opts.withDefaults()
	return db.withMigrationLock(ctx, func(ctx context.Context, sqlDB *sql.DB, conn *pgx.Conn) error {
		if err := runNumbered(ctx, sqlDB, opts.Logger); err != nil {
			return err
		}
		if err := db.ensureEventStorage(ctx, conn, opts); err != nil {
			return fmt.Errorf("preparing the event storage: %w", err)
		}
		if err := ensureDistribution(ctx, conn, opts); err != nil {
			return fmt.Errorf("distributing the tables of tenants: %w", err)
		}
		if err := db.migrateRiver(ctx, opts.Logger); err != nil {
			return fmt.Errorf("preparing the tables of jobs: %w", err)
		}
		return nil
	})
}

// withMigrationLock runs work while it holds the migration lock. The connections it hands out have no time limits
// on statements, since an index on a large table takes as long as it takes.
func (db *DB) withMigrationLock(ctx context.Context, work func(context.Context, *sql.DB, *pgx.Conn) error) (err error) {
	config := db.Pool.Config().ConnConfig.Copy()
	for _, limit := range []string{"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"} {
		config.RuntimeParams[limit] = "0"
	}
	config.RuntimeParams["application_name"] = "svc migrate"
	sqlDB := stdlib.OpenDB(*config)
	defer sqlDB.Close()

	// The lock is polled for, not waited for: a waiting pg_advisory_lock holds a snapshot, which would stop
	// "create index concurrently" in the session that has the lock. Once a second, for at most an hour.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 3600))
	if err != nil {
		return fmt.Errorf("preparing the migration lock: %w", err)
	}
	holder, err := sqlDB.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connecting for the migration: %w", err)
	}
	defer holder.Close()
	if err := locker.SessionLock(ctx, holder); err != nil {
		return fmt.Errorf("waiting for the migration lock: %w", err)
	}
	defer func() {
		// Closing the session releases the lock too; an unlock that fails on a broken connection changes nothing.
		unlockCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = locker.SessionUnlock(unlockCtx, holder)
	}()

	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connecting for the migration: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return work(ctx, sqlDB, conn)
}

func runNumbered(ctx context.Context, sqlDB *sql.DB, logger *slog.Logger) error {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return fmt.Errorf("reading the embedded migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, sqlDB, files,
		goose.WithTableName("schema_migration"), goose.WithDisableGlobalRegistry(true))
	if errors.Is(err, goose.ErrNoMigrations) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the embedded migrations: %w", err)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("running the migrations: %w", err)
	}
	for _, result := range results {
		logger.Info("migrated", "file", result.Source.Path, "took", result.Duration.Round(time.Millisecond))
	}
	return nil
}

// NewestMigration is the number of the newest migration that this version brings.
func NewestMigration() int64 {
	newest := int64(0)
	files, _ := migrationFiles.ReadDir("migrations") // an embedded directory can't fail
	for _, file := range files {
		if number, err := goose.NumericComponent(file.Name()); err == nil {
			newest = max(newest, number)
		}
	}
	return newest
}

// storageRevision counts the changes of the event storage that are made in Go; see [Fingerprint].
const storageRevision = 5

// Fingerprint changes whenever a fresh database would be migrated to something else. Tests name their template by it.
func Fingerprint() string {
	hash := sha256.New()
	for _, files := range []embed.FS{migrationFiles, timescaleFiles} {
		// Walking and reading an embedded file system can't fail.
		_ = fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				text, _ := files.ReadFile(path)
				fmt.Fprintf(hash, "%s %d\n%s", path, len(text), text)
			}
			return err
		})
	}
	fmt.Fprintf(
		hash, "%s\n%s\n%s\n%v\n%s\n%v\n%d",
		eventTablesSQL, eventViewsSQL, readViews, eventIndexes, citusSQL, distributedTables, storageRevision,
	)
	return hex.EncodeToString(hash.Sum(nil)[:8])
}
