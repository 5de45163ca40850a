package backup_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/backup"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// filled returns a database with rows of plain tables and of the event storage, and with ids of transactions that have
// not come yet, as another cluster's are.
func filled(t *testing.T) string {
	t.Helper()
	if pgtest.Capabilities(t).Citus != "" {
		t.Skip("a distributed database is backed up node by node")
	}
	address := pgtest.URL(t)
	execute(t, address,
		`insert into workspaces (id, name, created_at) values (gen_random_uuid(), 'Acme ''s', now())`,
		`insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, hits,
				changed_xid)
			select 1, 'visitor-' || n, 's', now(), now(), current_date, array[n::bigint], '9000000000'
			from generate_series(1, 500) n`,
		`insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id, properties)
			select 1, now() - n * interval '1 day', now(), gen_random_uuid(), 'tick', 'visitor-' || n,
				jsonb_build_object('text', repeat('ä"\', n)) from generate_series(1, 40) n`)
	if pgtest.Capabilities(t).TimescaleDB != "" {
		execute(t, address, `
			select compress_chunk(chunk) from show_chunks('product_event', older_than => interval '8 days') chunk`)
	}
	return address
}

func execute(t *testing.T, address string, statements ...string) {
	t.Helper()
	conn := connect(t, address)
	for _, sql := range statements {
		if _, err := conn.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func database(address string) backup.Database {
	return backup.Database{URL: address, Programs: os.Getenv("SVC_TEST_BINDIR"), Jobs: 2}
}

func create(t *testing.T, address string) (dir string) {
	t.Helper()
	media := t.TempDir()
	if err := os.MkdirAll(filepath.Join(media, "ab"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(media, "ab", "picture.png"), []byte("a picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "backup")
	from := backup.Source{Database: database(address), Media: media, Service: "1"}
	made, err := backup.Create(context.Background(), from, dir)
	if err != nil {
		t.Fatal(err)
	}
	if made.Rows() < 540 || made.Migration != postgres.NewestMigration() || made.TakenAt.IsZero() {
		t.Fatalf("the backup says %d rows, migration %d, taken at %s", made.Rows(), made.Migration, made.TakenAt)
	}
	return dir
}

func target(address, media string) backup.Target {
	return backup.Target{Database: database(address), Media: media, Migration: postgres.NewestMigration()}
}

func TestWhatIsRestoredIsWhatWasBackedUp(t *testing.T) {
	dir, to, media := create(t, filled(t)), pgtest.PlainURL(t), t.TempDir()
	if _, err := backup.Restore(context.Background(), dir, target(to, media)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(media, "ab", "picture.png")); err != nil || string(text) != "a picture" {
		t.Errorf("the uploaded file is %q: %v", text, err)
	}
	conn, ctx := connect(t, to), context.Background()
	var sessions, events, ahead, left int
	if err := conn.QueryRow(ctx, `
		select (select count(*) from product_session), (select count(*) from product_events),
			(select count(*) from product_session where changed_xid > pg_snapshot_xmax(pg_current_snapshot())),
			(select count(*) from pg_proc where proname like 'svc_restoring%')`,
	).Scan(&sessions, &events, &ahead, &left); err != nil {
		t.Fatal(err)
	}
	if sessions != 500 || events != 40 || ahead != 0 || left != 0 {
		t.Errorf("%d sessions, %d events, %d rows of transactions to come, %d functions left", sessions, events, ahead, left)
	}
	// The next version's server finds the database as it left it.
	db, err := postgres.Open(ctx, to, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := postgres.Migrate(ctx, db, postgres.MigrateOptions{}); err != nil {
		t.Errorf("migrate what was restored: %v", err)
	}
	execute(t, to, `insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
		values (1, now(), now(), gen_random_uuid(), 'tick', 'later')`)
}

func TestADatabaseThatHasTablesIsNotFilled(t *testing.T) {
	dir := create(t, filled(t))
	to := pgtest.PlainURL(t)
	execute(t, to, `create table something (n int)`)
	_, err := backup.Restore(context.Background(), dir, target(to, t.TempDir()))
	wantError(t, err, "not empty", "public.something")
}

func TestADamagedBackupIsRefusedBeforeAnythingIsRestored(t *testing.T) {
	dir := create(t, filled(t))
	path := filepath.Join(dir, "media", "ab", "picture.png")
	if err := os.WriteFile(path, []byte("another  "), 0o600); err != nil {
		t.Fatal(err)
	}
	to := pgtest.PlainURL(t)
	_, err := backup.Restore(context.Background(), dir, target(to, t.TempDir()))
	wantError(t, err, "damaged", "media/ab/picture.png")
	var tables int
	if err := connect(t, to).QueryRow(context.Background(),
		`select count(*) from pg_tables where schemaname = 'public'`).Scan(&tables); err != nil || tables > 0 {
		t.Errorf("%d tables came: %v", tables, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err = backup.Check(dir)
	wantError(t, err, "damaged")
	if err := os.Remove(filepath.Join(dir, "backup.json")); err != nil {
		t.Fatal(err)
	}
	_, err = backup.Check(dir)
	wantError(t, err, "was not finished")
}

// TestARowThatIsNotAsItWasIsFound changes the backup so that its files are right and its rows are not.
func TestARowThatIsNotAsItWasIsFound(t *testing.T) {
	dir := create(t, filled(t))
	path := filepath.Join(dir, "backup.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `"rows": 500`, `"rows": 501`, 1)
	if changed == string(text) {
		t.Fatal("the backup has no table of 500 rows")
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = backup.Restore(context.Background(), dir, target(pgtest.PlainURL(t), t.TempDir()))
	wantError(t, err, "public.product_session has 500 rows instead of 501")
}

func TestALaterVersionsBackupIsRefused(t *testing.T) {
	dir := create(t, filled(t))
	to := target(pgtest.PlainURL(t), t.TempDir())
	to.Migration--
	_, err := backup.Restore(context.Background(), dir, to)
	wantError(t, err, "later than this one")
}

func TestABackupIsNotWrittenOverAnother(t *testing.T) {
	address := filled(t)
	dir := create(t, address)
	_, err := backup.Create(context.Background(), backup.Source{Database: database(address)}, dir)
	wantError(t, err, "is not empty")
}

func TestAFileOfAnotherContentIsNotWrittenOver(t *testing.T) {
	dir, media := create(t, filled(t)), t.TempDir()
	if err := os.MkdirAll(filepath.Join(media, "ab"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(media, "ab", "picture.png"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := backup.Restore(context.Background(), dir, target(pgtest.PlainURL(t), media))
	wantError(t, err, "picture.png", "another file")
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error is %q, want %q in it", err, part)
		}
	}
}
