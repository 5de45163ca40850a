package postgres

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

//go:embed timescale
var timescaleFiles embed.FS

// oldestTimescale is the first TimescaleDB whose columnstore interface is used here.
var oldestTimescale = [2]int{2, 20}

// chunkInterval keeps the newest chunk's indexes of a busy environment in memory on a small machine.
const chunkInterval = "7 days"

// timescaleState is what the extension offers in this database.
type timescaleState struct {
	version string // "" without the extension
	toolkit string
	// community is false for the Apache-licensed build, which has hypertables but no columnstore, policies or aggregates.
	community bool
}

func (t timescaleState) usable() bool { return t.version != "" }

// ensureExtensions creates the extensions that the server has ready. The toolkit follows TimescaleDB.
func ensureExtensions(ctx context.Context, conn *pgx.Conn, opts MigrateOptions) (timescaleState, error) {
	var state timescaleState
	var installed, available string
	var preloaded bool
	// The preloaded library is known by its setting: shared_preload_libraries itself is for superusers to read.
	err := conn.QueryRow(ctx, `
		select coalesce((select extversion from pg_extension where extname = 'timescaledb'), ''),
		       coalesce((select default_version from pg_available_extensions where name = 'timescaledb'), ''),
		       exists (select from pg_settings
		where name = 'timescaledb.max_background_workers')`).Scan(&installed, &available, &preloaded)
	if err != nil {
		return state, fmt.Errorf("looking for TimescaleDB: %w", err)
	}
	switch {
	case installed != "":
		if !preloaded {
			return state, fmt.Errorf("this database uses TimescaleDB %s but its server runs without it: install TimescaleDB "+
				"for this PostgreSQL "+
				"and put timescaledb into shared_preload_libraries", installed)
		}
		if !isSupportedTimescale(installed) {
			return state, fmt.Errorf("this database has TimescaleDB %s, at least %d.%d is needed: "+
				"run \"alter extension timescaledb update\" after updating the package",
				installed, oldestTimescale[0], oldestTimescale[1])
		}
	case opts.WithoutTimescale || opts.Sharding == ShardingCitus || available == "" || !preloaded:
		return state, nil
	case !isSupportedTimescale(available):
		opts.Logger.Warn("TimescaleDB is too old to be used, native partitions are used instead", "version", available)
		return state, nil
	default:
		created, err := createExtension(ctx, conn, "timescaledb", opts)
		if err != nil || !created {
			return state, err
		}
	}
	if !opts.WithoutTimescale || installed != "" {
		if err := ensureToolkit(ctx, conn, opts); err != nil {
			return state, err
		}
	}
	found, err := readCapabilities(ctx, conn)
	if err != nil {
		return state, err
	}
	community, err := communityLicense(ctx, conn)
	if err != nil {
		return state, err
	}
	return timescaleState{version: found.TimescaleDB, toolkit: found.Toolkit, community: community}, nil
}

// communityLicense tells whether this build of TimescaleDB has columnstore, policies and continuous aggregates.
func communityLicense(ctx context.Context, q querier) (bool, error) {
	var license string
	if err := q.QueryRow(
		ctx, `select coalesce(current_setting('timescaledb.license', true), '')`,
	).Scan(&license); err != nil {
		return false, fmt.Errorf("reading TimescaleDB's license setting: %w", err)
	}
	return license == "timescale", nil
}

func ensureToolkit(ctx context.Context, conn *pgx.Conn, opts MigrateOptions) error {
	var wanted bool
	err := conn.QueryRow(ctx, `
		select exists (select from pg_available_extensions where name = 'timescaledb_toolkit')
		   and not exists (select from pg_extension where extname = 'timescaledb_toolkit')`).Scan(&wanted)
	if err != nil {
		return fmt.Errorf("looking for timescaledb_toolkit: %w", err)
	}
	if wanted {
		_, err = createExtension(ctx, conn, "timescaledb_toolkit", opts)
	}
	return err
}

// createExtension creates an extension; without the right to, it says so and carries on without.
func createExtension(ctx context.Context, conn *pgx.Conn, name string, opts MigrateOptions) (bool, error) {
	_, err := conn.Exec(ctx, "create extension if not exists "+name)
	if hasCode(err, "42501") {
		opts.Logger.Warn("the database user may not create the extension, carrying on without; a superuser can create it "+
			"before the first migration",
			"extension", name, "error", err)
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("creating the extension %s: %w", name, err)
	}
	return true, nil
}

func isSupportedTimescale(version string) bool {
	var found [2]int
	if _, err := fmt.Sscanf(version, "%d.%d", &found[0], &found[1]); err != nil {
		return false
	}
	return slices.Compare(found[:], oldestTimescale[:]) >= 0
}

func makeHypertable(ctx context.Context, tx pgx.Tx, table string) error {
	// The default index on time alone is left out: every query has the environment.
	_, err := tx.Exec(ctx, fmt.Sprintf(
		`select create_hypertable('%s', by_range('occurred_at', interval '%s'),
			create_default_indexes => false)`, table, chunkInterval))
	if err != nil {
		return fmt.Errorf("making %s a hypertable: %w", table, err)
	}
	return nil
}

// ensurePolicies brings columnstore and retention of a hypertable to the options.
func (db *DB) ensurePolicies(
	ctx context.Context, conn *pgx.Conn, table string, timescale timescaleState, opts MigrateOptions,
) error {
	if !timescale.community {
		return nil
	}
	var enabled bool
	err := conn.QueryRow(ctx, `
		select compression_enabled from timescaledb_information.hypertables
		where format('%I.%I', hypertable_schema, hypertable_name)::regclass = to_regclass($1)`, table).Scan(&enabled)
	if err != nil {
		return fmt.Errorf("reading the columnstore setting: %w", err)
	}
	if !enabled {
		_, err := conn.Exec(ctx, fmt.Sprintf(`alter table %s set (timescaledb.enable_columnstore = true,
			timescaledb.segmentby = 'environment_id', timescaledb.orderby = 'occurred_at desc, event_key')`, table))
		if err != nil {
			return fmt.Errorf("enabling the columnstore: %w", err)
		}
	}
	if err := ensureSparseIndexes(ctx, conn, table); err != nil {
		return fmt.Errorf("setting the sparse indexes: %w", err)
	}
	err = ensurePolicy(ctx, conn, table, opts.ColumnstoreAfter, policy{
		job: "policy_compression", key: "compress_after",
		remove: "call remove_columnstore_policy('%s', if_exists => true)",
		add:    "call add_columnstore_policy('%s', after => interval '%s', if_not_exists => true)",
	})
	if err != nil {
		return fmt.Errorf("setting the columnstore policy: %w", err)
	}
	err = ensurePolicy(ctx, conn, table, db.retention, policy{
		job: "policy_retention", key: "drop_after",
		remove: "select remove_retention_policy('%s', if_exists => true)",
		add:    "select add_retention_policy('%s', drop_after => interval '%s', if_not_exists => true)",
	})
	if err != nil {
		return fmt.Errorf("setting the retention policy: %w", err)
	}
	return nil
}

// sparseIndexes are kept for each thousand compressed rows of a table, so that rows of one person, name or flow are
// found without unpacking the others. Left to itself TimescaleDB makes them from the btree indexes, of pairs of columns
// too that nobody looks for together.
var sparseIndexes = map[string]string{
	"product_event": "bloom(app_user_id),bloom(name)",
	"flow_event":    "bloom(app_user_id),bloom(flow_id)",
	"track_event":   "bloom(app_user_id)",
}

// ensureSparseIndexes sets the sparse indexes of chunks that are compressed from now on, where TimescaleDB (2.22 and
// newer) lets them be chosen.
func ensureSparseIndexes(ctx context.Context, conn *pgx.Conn, table string) error {
	var missing bool
	err := conn.QueryRow(ctx, `
		select coalesce(bool_or(to_jsonb(s) ? 'index' and coalesce(to_jsonb(s) ->> 'index', '') not like '%"config"%'), false)
		from timescaledb_information.hypertable_columnstore_settings s
		where hypertable = to_regclass($1)`, table).Scan(&missing)
	if err != nil || !missing {
		return err
	}
	_, err = conn.Exec(
		ctx, fmt.Sprintf(`alter table %s set (timescaledb.sparse_index = '%s')`, table, sparseIndexes[table]),
	)
	return err
}

// policy is one kind of background job with one interval.
type policy struct {
	job, key    string
	remove, add string
}

// ensurePolicy replaces the job only when its interval differs, so that a restart does not reset its schedule.
func ensurePolicy(ctx context.Context, conn *pgx.Conn, table string, after time.Duration, p policy) error {
	var same bool
	err := conn.QueryRow(ctx, `
		select case when $3::bigint < 0 then count(*) = 0
		            else count(*) = 1 and bool_and((config->>$4)::interval = make_interval(secs => $3::bigint)) end
		from timescaledb_information.jobs
		where proc_name = $2 and format('%I.%I', hypertable_schema, hypertable_name)::regclass = to_regclass($1)`,
		table, p.job, int64(after/time.Second), p.key).Scan(&same)
	if err != nil || same {
		return err
	}
	if _, err := conn.Exec(ctx, fmt.Sprintf(p.remove, table)); err != nil {
		return err
	}
	if after < 0 {
		return nil
	}
	_, err = conn.Exec(ctx, fmt.Sprintf(p.add, table, sqlInterval(after)))
	return err
}

// sqlInterval writes whole days as days, so that the setting is readable in the job list.
func sqlInterval(d time.Duration) string {
	if day := 24 * time.Hour; d%day == 0 {
		return fmt.Sprintf("%d days", d/day)
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}

// hourlyColumns tells whether product_event_hourly exists and has the sketch columns.
func hourlyColumns(ctx context.Context, q querier) (exists, sketches bool, err error) {
	err = q.QueryRow(ctx, `
		select count(*) > 0, count(*) filter (where attname = 'visitors') > 0
		from pg_attribute where attrelid = to_regclass('product_event_hourly') and attnum > 0`).Scan(&exists, &sketches)
	if err != nil {
		return false, false, fmt.Errorf("looking up product_event_hourly: %w", err)
	}
	return exists, sketches, nil
}

// ensureHourlyAggregate makes the continuous aggregate, and makes it again with sketches when the toolkit came later:
// it holds nothing that the raw events don't.
func ensureHourlyAggregate(ctx context.Context, conn *pgx.Conn, timescale timescaleState, opts MigrateOptions) error {
	if !timescale.community {
		return nil
	}
	kind, err := eventTableKind(ctx, conn, "product_event")
	if err != nil || kind != kindHypertable {
		return err
	}
	exists, sketches, err := hourlyColumns(ctx, conn)
	if err != nil {
		return err
	}
	wantSketches := timescale.toolkit != ""
	if exists && (sketches || !wantSketches) {
		return nil
	}
	file := "timescale/hourly.sql"
	if wantSketches {
		file = "timescale/hourly_sketches.sql"
	}
	definition, err := timescaleFiles.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the embedded %s: %w", file, err)
	}
	if exists {
		opts.Logger.Info("the toolkit is here now: making product_event_hourly again with sketches")
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `drop materialized view if exists product_event_hourly`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, string(definition)); err != nil {
			return err
		}
		// Events may arrive late (an app that was offline for a season), so the policy looks back 100 days;
		// only hours that changed are computed. The newest hour is read from the raw events.
		_, err := tx.Exec(ctx, `
			select add_continuous_aggregate_policy('product_event_hourly', start_offset => interval '100 days',
				end_offset => interval '1 hour', schedule_interval => interval '15 minutes')`)
		return err
	})
	if err != nil {
		return fmt.Errorf("making product_event_hourly: %w", err)
	}
	// Hours before the policy's window exist only when the table already had rows.
	if _, err := conn.Exec(
		ctx, `call refresh_continuous_aggregate('product_event_hourly', null, now() - interval '1 hour')`,
	); err != nil {
		return fmt.Errorf("filling product_event_hourly: %w", err)
	}
	return nil
}
