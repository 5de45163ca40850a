package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed events.sql
var eventTablesSQL string

// eventTables are the tables whose storage depends on the server: hypertables or native partitions.
var eventTables = []string{"product_event", "flow_event", "track_event"}

// tableKind is how an event table is stored now.
type tableKind string

const (
	kindAbsent      tableKind = ""
	kindHypertable  tableKind = "hypertable"
	kindPartitioned tableKind = "partitioned"
	kindPlain       tableKind = "plain"
)

// EventStorage says how the event tables of this database are stored.
type EventStorage struct {
	// Hypertables is true on TimescaleDB; otherwise the tables are native monthly partitions.
	Hypertables bool
	// HourlyAggregate is true when the continuous aggregate product_event_hourly exists.
	HourlyAggregate bool
	// HourlySketches is true when it has the toolkit columns visitors (hyperloglog) and receive_delay (uddsketch).
	HourlySketches bool
}

// EventStorage reads how the event tables are stored.
func (db *DB) EventStorage(ctx context.Context) (EventStorage, error) {
	var storage EventStorage
	kind, err := eventTableKind(ctx, db.Pool, "product_event")
	if err != nil {
		return storage, err
	}
	storage.Hypertables = kind == kindHypertable
	storage.HourlyAggregate, storage.HourlySketches, err = hourlyColumns(ctx, db.Pool)
	return storage, err
}

// ensureEventStorage creates what is missing of the event tables and brings their policies to the options and to the
// retention of the database. A table that exists keeps its kind: rows are never moved between hypertables and native
// partitions here.
func (db *DB) ensureEventStorage(ctx context.Context, conn *pgx.Conn, opts MigrateOptions) error {
	timescale, err := ensureExtensions(ctx, conn, opts)
	if err != nil {
		return err
	}
	if err := createEventTables(ctx, conn, timescale); err != nil {
		return err
	}
	// Before there are partitions, whose indexes come with them.
	if err := ensureEventIndexes(ctx, conn, opts); err != nil {
		return err
	}
	for _, table := range eventTables {
		kind, err := eventTableKind(ctx, conn, table)
		if err != nil {
			return err
		}
		switch {
		case kind == kindHypertable:
			if err := db.ensurePolicies(ctx, conn, table, timescale, opts); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
		case kind == kindPartitioned:
			if timescale.usable() {
				opts.Logger.Warn("the table keeps its native partitions although TimescaleDB is here; moving it to a hypertable "+
					"is described in docs/database.md",
					"table", table)
			}
			if err := ensureCurrentPartitions(ctx, conn, table, time.Now()); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
		default:
			return fmt.Errorf("%s is an ordinary table, expected a hypertable or a partitioned table", table)
		}
	}
	return ensureHourlyAggregate(ctx, conn, timescale, opts)
}

// createEventTables makes the missing tables, columns and views in one transaction, so that a table is never seen half
// made.
func createEventTables(ctx context.Context, conn *pgx.Conn, timescale timescaleState) error {
	clause := "partition by range (occurred_at)"
	if timescale.usable() {
		clause = ""
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, strings.ReplaceAll(eventTablesSQL, "/*storage*/", clause)); err != nil {
			return fmt.Errorf("creating the event tables: %w", err)
		}
		for _, table := range eventTables {
			kind, err := eventTableKind(ctx, tx, table)
			if err != nil {
				return err
			}
			if kind == kindPlain && timescale.usable() {
				if err := makeHypertable(ctx, tx, table); err != nil {
					return err
				}
			}
			if err := addLaterColumns(ctx, tx, table); err != nil {
				return err
			}
			if err := allowNulls(ctx, tx, table); err != nil {
				return err
			}
		}
		kind, err := eventTableKind(ctx, tx, "product_event")
		if err == nil {
			err = ensureTimeBin(ctx, tx, kind)
		}
		if err != nil {
			return fmt.Errorf("preparing the order of events: %w", err)
		}
		if err := ensureEventViews(ctx, tx); err != nil {
			return err
		}
		return ensureReadViews(ctx, tx)
	})
}

// eventTableKind looks at the catalogue. The view of hypertables exists only with the extension, so it is asked
// only when the extension is there.
func eventTableKind(ctx context.Context, q querier, table string) (tableKind, error) {
	var relkind string
	var extension bool
	err := q.QueryRow(ctx, `
		select coalesce((select relkind::text from pg_class where oid = to_regclass($1)), ''),
		       exists (select from pg_extension where extname = 'timescaledb')`, table).Scan(&relkind, &extension)
	if err != nil {
		return kindAbsent, fmt.Errorf("looking up %s: %w", table, err)
	}
	switch relkind {
	case "":
		return kindAbsent, nil
	case "p":
		return kindPartitioned, nil
	}
	if extension {
		var hypertable bool
		err := q.QueryRow(ctx, `
			select exists (select from timescaledb_information.hypertables
			               where format('%I.%I', hypertable_schema,
			hypertable_name)::regclass = to_regclass($1))`, table).Scan(&hypertable)
		if err != nil {
			return kindAbsent, fmt.Errorf("looking up the hypertable %s: %w", table, err)
		}
		if hypertable {
			return kindHypertable, nil
		}
	}
	return kindPlain, nil
}

// hasCode tells whether err is a PostgreSQL error with one of the SQLSTATE codes.
func hasCode(err error, codes ...string) bool {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return false
	}
	for _, code := range codes {
		if pgErr.Code == code {
			return true
		}
	}
	return false
}
