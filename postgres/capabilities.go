package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Capabilities are the versions of what the database offers. An empty text means "not there".
type Capabilities struct {
	// ServerVersion is the PostgreSQL version, such as "15.20".
	ServerVersion string
	// TimescaleDB is the version of the extension in this database.
	TimescaleDB string
	// Toolkit is the version of timescaledb_toolkit in this database.
	Toolkit string
	// Citus is the version of the extension in this database.
	Citus string
}

// String names the variant in one line, for logs and test output.
func (c Capabilities) String() string {
	text := "PostgreSQL " + c.ServerVersion
	if c.Citus != "" {
		return text + ", Citus " + c.Citus
	}
	if c.TimescaleDB == "" {
		return text + ", native partitions (no TimescaleDB)"
	}
	text += ", TimescaleDB " + c.TimescaleDB
	if c.Toolkit == "" {
		return text + ", no toolkit"
	}
	return text + ", toolkit " + c.Toolkit
}

// querier is what a pool, a connection and a transaction have in common.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Capabilities reads which server and which extensions this database has now.
func (db *DB) Capabilities(ctx context.Context) (Capabilities, error) {
	return readCapabilities(ctx, db.Pool)
}

func readCapabilities(ctx context.Context, q querier) (Capabilities, error) {
	var c Capabilities
	err := q.QueryRow(ctx, `
		select split_part(current_setting('server_version'), ' ', 1),
		       coalesce((select extversion from pg_extension where extname = 'timescaledb'), ''),
		       coalesce((select extversion from pg_extension where extname = 'timescaledb_toolkit'), ''),
		       coalesce((select extversion from pg_extension where extname = 'citus'), '')`,
	).Scan(&c.ServerVersion, &c.TimescaleDB, &c.Toolkit, &c.Citus)
	if err != nil {
		return Capabilities{}, fmt.Errorf("reading the database's version and extensions: %w", err)
	}
	return c, nil
}
