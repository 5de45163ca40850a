package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/postgres"
)

// staleAfter is the age at which a database that a killed test left, or an old migration's template, is dropped.
const staleAfter = 6 * time.Hour

// prepareTemplate makes the migrated database that every test's database is copied from, unless another test program
// made it. Its name holds a hash of everything that decides its content.
func (m *machine) prepareTemplate(ctx context.Context, withoutTimescale bool) error {
	conn, err := pgx.Connect(ctx, m.databaseURL("postgres"))
	if err != nil {
		return fmt.Errorf("connecting to the test server: %w", err)
	}
	defer conn.Close(ctx)
	var extensions string
	err = conn.QueryRow(ctx, `
		select coalesce(string_agg(name || default_version, ','
		order by name), '') || current_setting('shared_preload_libraries')
		from pg_available_extensions where name in ('timescaledb', 'timescaledb_toolkit')`).Scan(&extensions)
	if err != nil {
		return fmt.Errorf("reading the test server's extensions: %w", err)
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%s %s %t", postgres.Fingerprint(), extensions, withoutTimescale))
	m.template = "template_" + hex.EncodeToString(hash[:8])

	// Held until the connection closes: one program makes the template, the others wait.
	if _, err := conn.Exec(ctx, `select pg_advisory_lock(hashtext('svc pgtest'))`); err != nil {
		return fmt.Errorf("waiting for the template: %w", err)
	}
	if err := dropStale(ctx, conn); err != nil {
		return err
	}
	var caps, finished string
	err = conn.QueryRow(ctx, `
		select coalesce((select shobj_description(oid, 'pg_database') from pg_database
		where datname = $1 and not datallowconn), '')`,
		m.template).Scan(&finished)
	if err != nil {
		return fmt.Errorf("looking for the template: %w", err)
	}
	if finished == "" {
		if err := m.makeTemplate(ctx, conn, withoutTimescale); err != nil {
			return fmt.Errorf("making the template database: %w", err)
		}
	}
	err = conn.QueryRow(
		ctx, `select shobj_description(oid, 'pg_database') from pg_database where datname = $1`, m.template,
	).Scan(&caps)
	if err != nil {
		return fmt.Errorf("reading the template's description: %w", err)
	}
	m.capabilities, err = parseDescription(caps)
	return err
}

// makeTemplate migrates a new database and closes it to connections, which marks it as finished and keeps
// TimescaleDB's scheduler out: a database in use can't be copied.
func (m *machine) makeTemplate(ctx context.Context, conn *pgx.Conn, withoutTimescale bool) error {
	for _, statement := range []string{
		"drop database if exists " + m.template + " with (force)",
		"create database " + m.template + " template template0",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	db, err := postgres.Open(ctx, m.databaseURL(m.template), postgres.Options{MaxConns: 2, MinConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	if err := postgres.Migrate(
		ctx, db, postgres.MigrateOptions{Logger: quiet, WithoutTimescale: withoutTimescale},
	); err != nil {
		return err
	}
	caps, err := db.Capabilities(ctx)
	if err != nil {
		return err
	}
	db.Close()
	description := fmt.Sprintf("%d %q %q %q", time.Now().Unix(), caps.ServerVersion, caps.TimescaleDB, caps.Toolkit)
	for _, statement := range []string{
		"comment on database " + m.template + " is '" + description + "'",
		"alter database " + m.template + " allow_connections false",
		"select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + m.template + "'",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func parseDescription(text string) (postgres.Capabilities, error) {
	var made int64
	var caps postgres.Capabilities
	if _, err := fmt.Sscanf(
		text, "%d %q %q %q", &made, &caps.ServerVersion, &caps.TimescaleDB, &caps.Toolkit,
	); err != nil {
		return caps, fmt.Errorf("reading the template's description %q: %w", text, err)
	}
	return caps, nil
}

// dropStale removes what killed test programs and old migrations left.
func dropStale(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `
		select datname from pg_database
		where case when datname ~ '^test_[0-9]+_' then split_part(datname, '_', 2)
		           when datname ~ '^template_[0-9a-f]{16}$'
		then coalesce(nullif(split_part(shobj_description(oid, 'pg_database'), ' ', 1), ''), '0')
		      end::bigint < $1`,
		time.Now().Add(-staleAfter).Unix())
	if err != nil {
		return fmt.Errorf("looking for old test databases: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("looking for old test databases: %w", err)
	}
	for _, name := range names {
		if _, err := conn.Exec(ctx, "drop database if exists "+name+" with (force)"); err != nil {
			return fmt.Errorf("dropping the old test database %s: %w", name, err)
		}
	}
	return nil
}
