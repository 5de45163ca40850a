package backup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Target is where a backup goes.
type Target struct {
	Database // without a table of ours
	// Media is the directory of uploaded files, made when it is missing.
	Media string
	// Migration is the newest numbered migration that this version of svc knows.
	Migration int64
}

// Restore brings a backup into an empty database and its files into a directory. It reads every file of the backup
// before, and every row of the database afterwards: the error names what is not as it was. A database that was filled
// in part has to be made anew.
func Restore(ctx context.Context, dir string, to Target) (*Description, error) {
	d, err := Check(dir)
	if err != nil {
		return nil, err
	}
	if d.Migration > to.Migration {
		return nil, fmt.Errorf("the backup is of svc %s, which is later than this one: its database has migration %d",
			d.Service, d.Migration)
	}
	conn, err := to.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	on, err := inspect(ctx, conn)
	if err != nil {
		return nil, err
	}
	if err := isFit(ctx, conn, d, on); err != nil {
		return nil, err
	}
	if err := to.fill(ctx, conn, filepath.Join(dir, databaseDir), d, on); err != nil {
		return nil, fmt.Errorf("restore the database: %w", err)
	}
	if _, err := copyTree(filepath.Join(dir, mediaDir), to.Media); err != nil {
		return nil, fmt.Errorf("restore uploaded files: %w", err)
	}
	return d, verify(ctx, conn, d)
}

// isFit refuses a database that a backup can't be brought into.
func isFit(ctx context.Context, conn *pgx.Conn, d *Description, on server) error {
	var table *string
	if err := conn.QueryRow(ctx, `select min(format('%I.%I', n.nspname, c.relname))`+ours).Scan(&table); err != nil {
		return err
	}
	switch {
	case table != nil:
		return fmt.Errorf("the database is not empty: it has the table %s", *table)
	case on.Citus != "":
		return errors.New("a backup can't be brought into a distributed database")
	case d.TimescaleDB != "" && on.Available == "":
		return fmt.Errorf("the backup is of a database with TimescaleDB %s, which this server does not have", d.TimescaleDB)
	}
	return nil
}

// fill brings the rows in. Ids of transactions become those of the transaction that brings them: those of another
// cluster may not have come yet in this one, and what is followed by them would be read again until they have.
func (t Target) fill(ctx context.Context, conn *pgx.Conn, dir string, d *Description, on server) (err error) {
	program, err := t.program(ctx, "pg_restore", on.Major)
	if err != nil {
		return err
	}
	jobs := max(1, t.Jobs)
	if d.TimescaleDB != "" {
		jobs = 1 // its catalog is in order only when rows come in theirs
		finish, err := prepareTimescale(ctx, conn, d.TimescaleDB)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, finish()) }()
	}
	section := func(name string) error {
		return t.run(ctx, program, "--section", name, "--jobs", strconv.Itoa(jobs), "--no-owner", "--no-acl",
			"--exit-on-error", dir)
	}
	if err := section("pre-data"); err != nil {
		return err
	}
	columns, err := stampedColumns(ctx, conn)
	if err != nil {
		return err
	}
	if err := stamp(ctx, conn, columns); err != nil {
		return err
	}
	if err := section("data"); err != nil {
		return err
	}
	if err := unstamp(ctx, conn, columns); err != nil {
		return err
	}
	return section("post-data")
}

// prepareTimescale makes the extension ready for rows of its catalog, and returns what ends that.
func prepareTimescale(ctx context.Context, conn *pgx.Conn, version string) (finish func() error, err error) {
	for _, sql := range []string{
		`create extension if not exists timescaledb version ` + quoteLiteral(version), `select timescaledb_pre_restore()`,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return nil, err
		}
	}
	return func() error {
		_, err := conn.Exec(context.WithoutCancel(ctx), `select timescaledb_post_restore()`)
		return err
	}, nil
}

func quoteLiteral(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// stampName is what the triggers and functions are called that rows pass while they come in.
const stampName = "svc_restoring"

func stamp(ctx context.Context, conn *pgx.Conn, columns []stamped) error {
	for _, c := range columns {
		if _, err := conn.Exec(ctx, fmt.Sprintf(`
			create or replace function public.%[1]s_%[3]s() returns trigger language plpgsql as $$
			begin
				new.%[3]s := pg_catalog.pg_current_xact_id();
				return new;
			end $$;
			create trigger %[1]s before insert on %[2]s for each row execute function public.%[1]s_%[3]s()`,
			stampName, c.Table, c.Column)); err != nil {
			return err
		}
	}
	return nil
}

func unstamp(ctx context.Context, conn *pgx.Conn, columns []stamped) error {
	for _, c := range columns {
		if _, err := conn.Exec(ctx, fmt.Sprintf(`drop function if exists public.%s_%s() cascade`,
			stampName, c.Column)); err != nil {
			return err
		}
	}
	return nil
}

// verify reads what was restored, and lets the server know how its tables are made.
func verify(ctx context.Context, conn *pgx.Conn, d *Description) error {
	if _, err := conn.Exec(ctx, `analyze`); err != nil {
		return err
	}
	var are []Table
	if err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
		are, err = describeTables(ctx, tx)
		return err
	}); err != nil {
		return fmt.Errorf("verify the database: %w", err)
	}
	if found := differences(d.Tables, are); len(found) > 0 {
		return fmt.Errorf("the database is not what was backed up: %s", strings.Join(found, "; "))
	}
	return nil
}
