package postgres_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/local"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func needTimescale(t *testing.T) postgres.Capabilities {
	t.Helper()
	caps := pgtest.Capabilities(t)
	if caps.TimescaleDB == "" {
		t.Skipf("needs TimescaleDB, this run is on %s (SVC_TEST_REQUIRE=timescaledb makes this a failure)", caps)
	}
	return caps
}

func jobs(t *testing.T, db *postgres.DB) string {
	t.Helper()
	return strings.Join(query[string](t, db, `
		select format('%s %s %s', hypertable_name, proc_name, coalesce(config->>'drop_after', config->>'compress_after'))
		from timescaledb_information.jobs where proc_name in ('policy_retention', 'policy_compression') order by 1`), "\n")
}

func TestEventTablesAreHypertablesWithPolicies(t *testing.T) {
	needTimescale(t)
	db := pgtest.New(t)
	want := strings.Join([]string{
		"flow_event policy_compression 7 days", "flow_event policy_retention 1825 days",
		"product_event policy_compression 7 days", "product_event policy_retention 1825 days",
		"track_event policy_compression 7 days", "track_event policy_retention 1825 days",
	}, "\n")
	if got := jobs(t, db); got != want {
		t.Errorf("policies:\n%s\nwant:\n%s", got, want)
	}
	settings := query[string](t, db, `
		select format('%s %s %s', hypertable::text, segmentby, orderby)
		from timescaledb_information.hypertable_columnstore_settings where hypertable::text !~ '_materialized_' order by 1`)
	for _, setting := range settings {
		if !strings.HasSuffix(setting, `environment_id occurred_at DESC,event_key`) {
			t.Errorf("columnstore setting %q", setting)
		}
	}
	if len(settings) != 3 {
		t.Errorf("%d tables have a columnstore, want 3", len(settings))
	}
	chunk := query[string](
		t, db,
		`select format('%s %s', hypertable_name, time_interval) from timescaledb_information.dimensions
			where hypertable_schema = 'public' order by 1`,
	)
	if got := strings.Join(chunk, ","); got != "flow_event 7 days,product_event 7 days,track_event 7 days" {
		t.Errorf("chunks: %s", got)
	}
}

func TestPoliciesFollowTheSettings(t *testing.T) {
	needTimescale(t)
	ctx := context.Background()
	db := pgtest.New(t)
	before := jobs(t, db)
	for _, step := range []struct {
		retention, columnstore time.Duration
		want                   string
	}{
		{
			400 * 24 * time.Hour, 36 * time.Hour,
			"product_event policy_compression 36:00:00\nproduct_event policy_retention 400 days",
		},
		{-1, -1, ""},
		{0, 0, before[strings.Index(before, "product_event"):strings.Index(before, "\ntrack_event")]},
	} {
		opened := openKeeping(t, db.Pool.Config().ConnString(), step.retention)
		if err := postgres.Migrate(
			ctx, opened, postgres.MigrateOptions{Logger: quiet, ColumnstoreAfter: step.columnstore},
		); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(slices.DeleteFunc(strings.Split(jobs(t, db), "\n"), func(line string) bool {
			return !strings.HasPrefix(line, "product_event ")
		}), "\n")
		if got != step.want {
			t.Errorf("%+v:\n%s\nwant:\n%s", step, got, step.want)
		}
	}
}

// runJob does at once what the scheduler would do in its time.
func runJob(t *testing.T, db *postgres.DB, policy string) {
	t.Helper()
	ids := query[int](
		t, db, `select job_id from timescaledb_information.jobs where proc_name = $1 and hypertable_name = 'product_event'`,
		policy,
	)
	if len(ids) != 1 {
		t.Fatalf("%d jobs %s, want 1", len(ids), policy)
	}
	exec(t, db, `call run_job($1)`, ids[0])
}

// insertHours spreads events over two environments: in each hour h of the list, environment 1 gets h+1 visitors
// with two events each, every event received 90 s after it occurred.
func insertHours(t *testing.T, db *postgres.DB, start time.Time, hours int) {
	t.Helper()
	exec(t, db, `
		insert into product_event (environment_id, occurred_at, event_id, event_key, received_at, name, app_user_id)
		select environment, at, format('%s-%s-%s-%s', environment, h, v, e), gen_random_uuid(), at + interval '90 seconds',
		'page_view', 'u' || v
		from generate_series(1, 2) environment, generate_series(0, $2::int - 1) h, generate_series(0, h) v,
		generate_series(0, 1) e,
		     lateral (select $1::timestamptz + make_interval(hours => h, mins => e) as at) as times`, start, hours)
}

func TestColumnstoreKeepsRowsReadableAndWritable(t *testing.T) {
	needTimescale(t)
	db := pgtest.New(t)
	start := time.Now().UTC().Add(-30 * 24 * time.Hour).Truncate(time.Hour)
	insertHours(t, db, start, 30)
	rows := query[int](t, db, `select count(*) from product_event`)[0]
	runJob(t, db, "policy_compression")
	if n := query[int](
		t, db,
		`select count(*) from timescaledb_information.chunks where hypertable_name = 'product_event' and is_compressed`,
	); n[0] == 0 {
		t.Fatal("the policy compressed no chunk")
	}
	insertEvent(t, db, "late", start.Add(time.Minute))
	if n := query[int](t, db, `select count(*) from product_event`); n[0] != rows+1 {
		t.Errorf("%d rows, want %d", n[0], rows+1)
	}
	exec(t, db, `delete from product_event where environment_id = 2 and app_user_id = 'u0'`)
	if n := query[int](
		t, db, `select count(*) from product_event where environment_id = 2 and app_user_id = 'u0'`,
	); n[0] != 0 {
		t.Errorf("%d rows of an erased person remain", n[0])
	}
}

func TestRetentionPolicyDropsExpiredChunks(t *testing.T) {
	needTimescale(t)
	db := pgtest.New(t)
	insertEvent(t, db, "expired", time.Now().AddDate(-6, 0, 0))
	insertEvent(t, db, "kept", time.Now().AddDate(-4, 0, 0))
	runJob(t, db, "policy_retention")
	if left := query[string](t, db, `select event_id from product_event`); strings.Join(left, ",") != "kept" {
		t.Errorf("left are %v, want kept", left)
	}
}

func TestHourlyAggregateCounts(t *testing.T) {
	caps := needTimescale(t)
	db := pgtest.New(t)
	start := time.Now().UTC().Add(-40 * time.Hour).Truncate(time.Hour)
	insertHours(t, db, start, 38)
	// Half by the policy, half in real time.
	exec(
		t, db, `call refresh_continuous_aggregate('product_event_hourly', $1::timestamptz, $2::timestamptz)`, start,
		start.Add(20*time.Hour),
	)
	counts := query[int](t, db, `select events from product_event_hourly where environment_id = 1 order by bucket`)
	if len(counts) != 38 {
		t.Fatalf("%d hours, want 38", len(counts))
	}
	for h, got := range counts {
		if got != 2*(h+1) {
			t.Errorf("hour %d has %d events, want %d", h, got, 2*(h+1))
		}
	}
	if caps.Toolkit == "" {
		return
	}
	got := query[string](t, db, `
		select format('%s %s', distinct_count(rollup(visitors)), round(approx_percentile(0.95, rollup(receive_delay))))
		from product_event_hourly where environment_id = 1`)
	if got[0] != "38 90" {
		t.Errorf("visitors and delay are %q, want 38 within the sketch's error and 90 s", got[0])
	}
}

// A database user who may not create extensions gets the storage that the superuser's extensions allow, and sketches
// as soon as the toolkit is there.
func TestToolkitMayComeLater(t *testing.T) {
	caps := needTimescale(t)
	if caps.Toolkit == "" {
		t.Skipf("needs the toolkit, this run is on %s", caps)
	}
	ctx := context.Background()
	url := pgtest.EmptyURL(t)
	super := open(t, url)
	exec(t, super, `create extension timescaledb`)
	role := "restricted_" + super.Pool.Config().ConnConfig.Database
	exec(t, super, fmt.Sprintf(`create role %s login password 'restricted'`, role))
	t.Cleanup(func() {
		exec(t, super, fmt.Sprintf(`reassign owned by %[1]s to current_user; drop owned by %[1]s; drop role %[1]s`, role))
	})
	exec(t, super, `grant usage, create on schema public to `+role)

	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	restricted := open(t, strings.Replace(url, config.User+":"+config.Password, role+":restricted", 1))
	if err := postgres.Migrate(ctx, restricted, postgres.MigrateOptions{Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	storage, err := restricted.EventStorage(ctx)
	if want := (postgres.EventStorage{Hypertables: true, HourlyAggregate: true}); err != nil || storage != want {
		t.Fatalf("storage is %+v (%v), want %+v", storage, err, want)
	}
	insertHours(t, restricted, time.Now().UTC().Add(-400*24*time.Hour).Truncate(time.Hour), 5)

	if err := postgres.Migrate(ctx, super, postgres.MigrateOptions{Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	got := query[string](
		t, super,
		`select format('%s %s', sum(events), distinct_count(rollup(visitors))) from product_event_hourly
			where environment_id = 1`,
	)
	if got[0] != "30 5" {
		t.Errorf("after the toolkit came: %q, want the 30 events and 5 visitors of before", got[0])
	}
}

func TestNativePartitionsStayWhenTimescaleComes(t *testing.T) {
	needTimescale(t)
	ctx := context.Background()
	db := native(t)
	insertEvent(t, db, "before", time.Now())
	var log strings.Builder
	if err := postgres.Migrate(ctx, db, postgres.MigrateOptions{Logger: textLogger(&log)}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "keeps its native partitions") {
		t.Errorf("no notice in the log: %s", log.String())
	}
	storage, err := db.EventStorage(ctx)
	if err != nil || storage != (postgres.EventStorage{}) {
		t.Errorf("storage is %+v (%v), want native partitions", storage, err)
	}
	if got := home(t, db, "before"); got != partitionOf(time.Now()) {
		t.Errorf("the event is in %s", got)
	}
	if err := db.PrepareEventStorage(ctx); err != nil {
		t.Error(err)
	}
}

// A data directory that used TimescaleDB may be started on a machine without it.
func TestMissingTimescaleLibraryIsNamed(t *testing.T) {
	needTimescale(t)
	ctx := context.Background()
	dir := t.TempDir()
	for _, preload := range []bool{true, false} {
		server, err := local.Start(
			ctx, local.Config{Dir: dir, BinDir: os.Getenv("SVC_TEST_BINDIR"), Preload: preload, Fast: true, Logger: quiet},
		)
		if err != nil {
			t.Fatal(err)
		}
		db := open(t, server.URL())
		err = postgres.Migrate(ctx, db, postgres.MigrateOptions{Logger: quiet})
		if preload && err != nil {
			t.Error(err)
		}
		if !preload && (err == nil || !strings.Contains(err.Error(), "shared_preload_libraries")) {
			t.Errorf("without the library: %v", err)
		}
		db.Close()
		if err := server.Stop(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// The move that docs/database.md describes, statement by statement.
func TestMovingToHypertablesAsDocumented(t *testing.T) {
	needTimescale(t)
	ctx := context.Background()
	text, err := os.ReadFile("../docs/database.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Moving to TimescaleDB")
	var blocks []string
	for _, part := range strings.Split(section, "```sql\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	if len(blocks) != 3 {
		t.Fatalf("%d blocks of SQL in the section, want 3", len(blocks))
	}
	db := native(t)
	// An hour that is over, so that the hourly aggregate must have it from the refresh.
	insertHours(t, db, time.Now().UTC().Add(-200*24*time.Hour).Truncate(time.Hour), 4)
	insertEvent(t, db, "recent", time.Now().Add(-3*time.Hour))

	exec(t, db, blocks[0])
	if err := postgres.Migrate(ctx, db, postgres.MigrateOptions{Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	exec(t, db, blocks[1])
	exec(t, db, strings.TrimSpace(blocks[2]))
	exec(t, db, `drop schema native cascade`)

	if storage, err := db.EventStorage(ctx); err != nil || !storage.Hypertables {
		t.Errorf("storage is %+v (%v), want hypertables", storage, err)
	}
	if n := query[int](t, db, `select count(*) from product_event`); n[0] != 41 {
		t.Errorf("%d events, want 41", n[0])
	}
	if n := query[int](t, db, `select sum(events)::int from product_event_hourly`); n[0] != 41 {
		t.Errorf("the hourly aggregate counts %d events, want 41", n[0])
	}
	if n := query[int](
		t, db, `select count(*) from pg_indexes where schemaname = 'public' and tablename = 'product_event'`,
	); n[0] != 3 {
		t.Errorf("%d indexes, want 3", n[0])
	}
	if left := query[string](
		t, db, `select relname from pg_class where relname ~ '_event_(default|[0-9]{6})$'`,
	); len(left) != 0 {
		t.Errorf("partitions %v are left", left)
	}
}
