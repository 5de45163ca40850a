package postgres_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

var quiet = textLogger(io.Discard)

func textLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

func open(t *testing.T, url string) *postgres.DB {
	t.Helper()
	return openKeeping(t, url, 0)
}

// openKeeping opens a database whose raw events are kept for the retention.
func openKeeping(t *testing.T, url string, retention time.Duration) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(context.Background(), url, postgres.Options{MaxConns: 8, EventRetention: retention})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// options follow the variant under test: the stock run must not create the extension where it is preloaded.
func options(t *testing.T) postgres.MigrateOptions {
	t.Helper()
	return postgres.MigrateOptions{Logger: quiet, WithoutTimescale: pgtest.Capabilities(t).TimescaleDB == ""}
}

func exec(t *testing.T, db *postgres.DB, sql string, args ...any) {
	t.Helper()
	if _, err := db.Pool.Exec(context.Background(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func query[T any](t *testing.T, db *postgres.DB, sql string, args ...any) []T {
	t.Helper()
	rows, err := db.Pool.Query(context.Background(), sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return values
}

func TestServersMayMigrateAtOnce(t *testing.T) {
	ctx := context.Background()
	url, opts := pgtest.EmptyURL(t), options(t)
	errs := make([]error, 3)
	var wait sync.WaitGroup
	for i := range errs {
		db := open(t, url)
		wait.Go(func() { errs[i] = postgres.Migrate(ctx, db, opts) })
	}
	wait.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("server %d: %v", i, err)
		}
	}
	db := open(t, url)
	twice := query[int64](t, db, `select version_id from schema_migration group by version_id having count(*) > 1`)
	if len(twice) != 0 {
		t.Errorf("the migrations %v ran twice", twice)
	}
	if locks := query[int](
		t, db,
		`select count(*) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database
			where datname = current_database())`,
	); locks[0] != 0 {
		t.Errorf("%d advisory locks are left", locks[0])
	}
}

// catalogue lists everything a migration may make in the public schema, with the jobs of TimescaleDB.
func catalogue(t *testing.T, db *postgres.DB) string {
	t.Helper()
	lines := query[string](t, db, `
		select format('%s %s %s', relkind, oid, relname) from pg_class where relnamespace = 'public'::regnamespace
		order by 1`)
	lines = append(
		lines, query[string](t, db, `select format('%s %s', version_id, tstamp) from schema_migration order by id`)...,
	)
	if pgtest.Capabilities(t).TimescaleDB != "" {
		lines = append(
			lines,
			query[string](
				t, db,
				`select format('%s %s %s', job_id, hypertable_name, config) from timescaledb_information.jobs order by job_id`,
			)...,
		)
	}
	return strings.Join(lines, "\n")
}

func TestMigrateAgainChangesNothing(t *testing.T) {
	db := pgtest.New(t)
	before := catalogue(t, db)
	if err := postgres.Migrate(context.Background(), db, options(t)); err != nil {
		t.Fatal(err)
	}
	if after := catalogue(t, db); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestEventTablesHaveNoUniqueIndex(t *testing.T) {
	db := pgtest.New(t)
	unique := query[string](t, db, `
		select indexrelid::regclass::text from pg_index where indisunique and indrelid in ('product_event'::regclass,
		'flow_event'::regclass, 'track_event'::regclass)`)
	if len(unique) != 0 {
		t.Errorf("unique indexes %v", unique)
	}
}

func TestOpenReportsWhatIsWrong(t *testing.T) {
	url := pgtest.EmptyURL(t)
	for _, test := range []struct{ name, url, want string }{
		{"no URL", "postgres://%zz", "reading the database URL"},
		{"no server", "postgres://svc:secret-word@127.0.0.1:1/svc?sslmode=disable", "127.0.0.1:1/svc"},
		{"no database", url + "x", "connecting to the database"},
	} {
		t.Run(test.name, func(t *testing.T) {
			target := test.url
			if test.name == "no database" {
				config, err := pgx.ParseConfig(url)
				if err != nil {
					t.Fatal(err)
				}
				target = strings.Replace(url, config.Database, "absent", 1)
			}
			db, err := postgres.Open(context.Background(), target, postgres.Options{})
			if err == nil {
				db.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret-word") {
				t.Errorf("error is %q, want %q in it and no password", err, test.want)
			}
		})
	}
}

func TestOpenSetsLimits(t *testing.T) {
	ctx := context.Background()
	url := pgtest.EmptyURL(t)
	for _, test := range []struct {
		opts postgres.Options
		want string
	}{
		{postgres.Options{}, "30s 10s 1min UTC svc"},
		{
			postgres.Options{StatementTimeout: -1, LockTimeout: 1500e6, IdleInTransactionTimeout: 1e9, ApplicationName: "other"},
			"0 1500ms 1s UTC other",
		},
	} {
		db, err := postgres.Open(ctx, url, test.opts)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		got := query[string](t, db, `select format('%s %s %s %s %s', current_setting('statement_timeout'),
			current_setting('lock_timeout'),
			current_setting('idle_in_transaction_session_timeout'), current_setting('timezone'),
			current_setting('application_name'))`)
		if got[0] != test.want {
			t.Errorf("%+v: settings are %q, want %q", test.opts, got[0], test.want)
		}
	}
}

func TestCapabilitiesNameTheVariant(t *testing.T) {
	db := pgtest.New(t)
	got, err := db.Capabilities(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got != pgtest.Capabilities(t) {
		t.Errorf("the copy has %v, the template %v", got, pgtest.Capabilities(t))
	}
	storage, err := db.EventStorage(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := postgres.EventStorage{
		Hypertables: got.TimescaleDB != "", HourlyAggregate: got.TimescaleDB != "", HourlySketches: got.Toolkit != "",
	}
	if storage != want {
		t.Errorf("storage is %+v, want %+v", storage, want)
	}
	if text := fmt.Sprint(got); !strings.Contains(text, got.ServerVersion) || strings.Contains(
		text, "TimescaleDB "+got.TimescaleDB,
	) != (got.TimescaleDB != "") {
		t.Errorf("the variant line is %q", text)
	}
}
