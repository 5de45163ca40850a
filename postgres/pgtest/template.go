package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/postgres"
)

// staleAfter is the age at which a database that a killed test left, or an old migration's template, is dropped.
const staleAfter = 6 * time.Hour

// prepareTemplate makes the migrated database that every test's database is copied from, unless another test program
// made it. Its name holds a hash of everything that decides its content.
func (m *machine) prepareTemplate(ctx context.Context, variant string) error {
	conn, err := pgx.Connect(ctx, m.nodes[0]("postgres"))
	if err != nil {
		return fmt.Errorf("connecting to the test server: %w", err)
	}
	defer conn.Close(ctx)
	var extensions string
	err = conn.QueryRow(ctx, `
		select coalesce(string_agg(name || default_version, ','
		order by name), '') || current_setting('shared_preload_libraries')
		from pg_available_extensions where name in ('timescaledb', 'timescaledb_toolkit', 'citus')`).Scan(&extensions)
	if err != nil {
		return fmt.Errorf("reading the test server's extensions: %w", err)
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%s %s %s", postgres.Fingerprint(), extensions, variant))
	m.template = "template_" + hex.EncodeToString(hash[:8])

	// Held until the connection closes: one program makes the template, the others wait.
	if _, err := conn.Exec(ctx, `select pg_advisory_lock(hashtext('svc pgtest'))`); err != nil {
		return fmt.Errorf("waiting for the template: %w", err)
	}
	for _, node := range m.nodes {
		if err := dropStale(ctx, node("postgres")); err != nil {
			return err
		}
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
		if err := m.makeTemplate(ctx, variant); err != nil {
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
// the extensions' schedulers out: a database in use can't be copied. Of a cluster every node has its part of it, and
// copies of all of them are a cluster again: the catalogue says on which node a shard is, and not in which database.
func (m *machine) makeTemplate(ctx context.Context, variant string) error {
	for _, node := range m.nodes {
		if err := run(ctx, node("postgres"),
			"drop database if exists "+m.template+" with (force)", "create database "+m.template+" template template0",
		); err != nil {
			return err
		}
	}
	if variant == "citus" {
		if err := m.formCluster(ctx, m.template); err != nil {
			return err
		}
	}
	db, err := postgres.Open(ctx, m.nodes[0](m.template), postgres.Options{MaxConns: 2, MinConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	if err := postgres.Migrate(
		ctx, db, postgres.MigrateOptions{Logger: quiet, WithoutTimescale: variant == "stock"},
	); err != nil {
		return err
	}
	caps, err := db.Capabilities(ctx)
	if err != nil {
		return err
	}
	db.Close()
	description := fmt.Sprintf("%d %q %q %q %q",
		time.Now().Unix(), caps.ServerVersion, caps.TimescaleDB, caps.Toolkit, caps.Citus)
	for _, node := range slices.Backward(m.nodes) { // the first node's template says that all are finished
		if err := run(ctx, node("postgres"),
			"comment on database "+m.template+" is '"+description+"'",
			"alter database "+m.template+" allow_connections false",
			"select pg_terminate_backend(pid) from pg_stat_activity where datname = '"+m.template+"'",
		); err != nil {
			return err
		}
	}
	return nil
}

// formCluster makes the databases of a name one cluster, of which the first node is the coordinator.
func (m *machine) formCluster(ctx context.Context, database string) error {
	var join []string
	for i, node := range m.nodes {
		address, err := url.Parse(node(database))
		if err != nil {
			return err
		}
		if err := run(ctx, address.String(), "create extension citus"); err != nil {
			return err
		}
		add := "citus_add_node"
		if i == 0 {
			add = "citus_set_coordinator_host"
		}
		join = append(join, fmt.Sprintf("select %s('%s', %s)", add, address.Hostname(), address.Port()))
	}
	return run(ctx, m.nodes[0](database), join...)
}

func parseDescription(text string) (postgres.Capabilities, error) {
	var made int64
	var caps postgres.Capabilities
	if _, err := fmt.Sscanf(
		text, "%d %q %q %q %q", &made, &caps.ServerVersion, &caps.TimescaleDB, &caps.Toolkit, &caps.Citus,
	); err != nil {
		return caps, fmt.Errorf("reading the template's description %q: %w", text, err)
	}
	return caps, nil
}

// dropStale removes what killed test programs and old migrations left on a node.
func dropStale(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connecting to the test server: %w", err)
	}
	defer conn.Close(ctx)
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
