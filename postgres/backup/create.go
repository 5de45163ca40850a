package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// Source is what a backup is made of.
type Source struct {
	Database
	// Media is the directory of uploaded files, which need not exist.
	Media string
	// Service is the version of svc.
	Service string
}

// Create copies a database and its uploaded files into a directory, which must not exist or be empty. Servers go on
// meanwhile: what it holds is the state of one moment, and files that were uploaded until later.
func Create(ctx context.Context, from Source, dir string) (*Description, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return nil, errors.Join(err, fmt.Errorf("%s is not empty", dir))
	}
	conn, err := from.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	on, err := inspect(ctx, conn)
	if err != nil {
		return nil, err
	}
	if on.Citus != "" {
		return nil, errors.New("a distributed database is backed up node by node, by what runs the cluster")
	}
	dump, err := from.program(ctx, "pg_dump", on.Major)
	if err != nil {
		return nil, err
	}
	d := &Description{Format: format, Service: from.Service, PostgreSQL: on.Version, TimescaleDB: on.TimescaleDB}
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	if err := pgx.BeginTxFunc(ctx, conn, options, func(tx pgx.Tx) error {
		return copyDatabase(ctx, tx, d, func(ctx context.Context, snapshot string) error {
			return from.run(ctx, dump, "--format=directory", "--jobs", strconv.Itoa(max(1, from.Jobs)),
				"--snapshot", snapshot, "--no-owner", "--no-acl", "--file", filepath.Join(dir, databaseDir))
		})
	}); err != nil {
		return nil, fmt.Errorf("back up the database: %w", err)
	}
	// Files never change, and are deleted after their rows: those of the moment are still there, or hardly gone.
	if _, err := copyTree(from.Media, filepath.Join(dir, mediaDir)); err != nil {
		return nil, fmt.Errorf("back up uploaded files: %w", err)
	}
	if d.Files, err = describeFiles(dir); err != nil {
		return nil, err
	}
	return d, d.write(dir)
}

// copyDatabase lets dump write what a transaction sees, and says meanwhile what that is.
func copyDatabase(
	ctx context.Context, tx pgx.Tx, d *Description, dump func(ctx context.Context, snapshot string) error,
) error {
	var snapshot string
	var taken time.Time
	if err := tx.QueryRow(ctx, `select pg_export_snapshot(), now()`).Scan(&snapshot, &taken); err != nil {
		return err
	}
	d.TakenAt = taken.UTC()
	if err := tx.QueryRow(ctx, newestMigration).Scan(&d.Migration); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return dump(ctx, snapshot) })
	group.Go(func() (err error) {
		d.Tables, err = describeTables(ctx, tx)
		return err
	})
	return group.Wait()
}

const newestMigration = `select coalesce(max(version_id), 0) from public.schema_migration`
