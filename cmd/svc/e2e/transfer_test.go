package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/ingest/archive/bucket/buckettest"
)

// TestEventsTravel takes the events of one environment out with one command and
// into another with the next.
func TestEventsTravel(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	app := d.Apps[0]
	var events []event
	for i := range 120 {
		e := newEvent(fmt.Sprintf("p%d", i%9), fmt.Sprintf("s%d", i%4))
		e["properties"] = map[string]any{"n": i}
		events = append(events, e)
	}
	if answer, body := send(
		t, d.BaseURL, app.Environments["live"].PublishableKey, events,
	); answer.Status != http.StatusOK || body.Stored != 120 {
		t.Fatalf("answered %d %s", answer.Status, answer.Body)
	}
	env := []string{"SVC_DATABASE_URL=" + d.DatabaseURL}
	dir := t.TempDir()
	svc := func(wantExit int, args ...string) (stdout, stderr string) {
		t.Helper()
		exit, stdout, stderr := Run(t, env, args...)
		if exit != wantExit {
			t.Fatalf("svc %v: exit %d, want %d\n%s%s", args, exit, wantExit, stdout, stderr)
		}
		return stdout, stderr
	}
	lines, _ := svc(0, "export", "events", "--app", app.ID)
	packed := filepath.Join(dir, "events.ndjson.gz")
	if out, _ := svc(0, "export", "events", "--app", app.ID, "--out", packed); !strings.Contains(out, `"events":120`) {
		t.Errorf("summary %s", out)
	}
	if out, _ := svc(0, "export", "events", "--app", app.ID, "--end", "2020-01-01"); out != "" {
		t.Errorf("nothing was before 2020, got %s", out)
	}

	folder := filepath.Join(dir, "history")
	parquet := []string{"export", "--format", "parquet", "--app", app.ID, "--out", folder, "--table", "events"}
	if out, _ := svc(0, parquet...); !strings.Contains(out, `"kept":0,"removed":0,"rows":120`) {
		t.Errorf("summary %s", out)
	}
	if out, _ := svc(0, parquet...); !strings.Contains(out, `"files":0`) {
		t.Errorf("nothing has changed: %s", out)
	}
	if _, err := os.Stat(filepath.Join(folder, "environment=live", "manifest.json")); err != nil {
		t.Error(err)
	}
	svc(2, append(parquet, "--start", "2026-02-01T01:00:00Z")...)
	svc(2, append(parquet, "--start", "2026-02-02", "--end", "2026-02-01")...)
	svc(2, append(parquet, "--table", "users")...)
	svc(2, "export", "--format", "csv", "--app", app.ID, "--out", folder)
	svc(2, "export", "--format", "parquet", "--app", app.ID)
	storage := buckettest.New(t)
	env = append(env, "AWS_ENDPOINT_URL="+storage.URL, "AWS_ACCESS_KEY_ID="+buckettest.AccessKey)
	toBucket := append(parquet, "--out", "s3://"+buckettest.Bucket+"/exports")
	svc(2, toBucket...)
	env = append(env, "AWS_SECRET_ACCESS_KEY="+buckettest.SecretKey)
	if out, _ := svc(0, toBucket...); !strings.Contains(out, `"kept":0,"removed":0,"rows":120`) {
		t.Errorf("summary %s", out)
	}
	if out, _ := svc(0, toBucket...); !strings.Contains(out, `"files":0`) {
		t.Errorf("nothing has changed: %s", out)
	}

	if hasPython(t) {
		askAsDocumented(t, ReadByParquet(t, d, app.ID))
	}

	type summary struct{ Lines, Stored, Duplicates, Rejected int64 }
	read := func(text string) (s summary) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatalf("summary %q: %v", text, err)
		}
		return s
	}
	out, _ := svc(0, "import", "events", packed, "--app", app.ID, "--env", "test", "--dry-run")
	if got, want := read(out), (summary{Lines: 120}); got != want {
		t.Errorf("dry run: %+v, want %+v", got, want)
	}
	out, _ = svc(0, "import", "events", packed, "--app", app.ID, "--env", "test")
	if got, want := read(out), (summary{Lines: 120, Stored: 120}); got != want {
		t.Errorf("import: %+v, want %+v", got, want)
	}
	if copied, _ := svc(0, "export", "events", "--app", app.ID, "--env", "test"); copied != lines {
		t.Errorf("the copy differs:\n%s\n%s", copied, lines)
	}
	plain := filepath.Join(dir, "events.ndjson")
	if err := os.WriteFile(plain, []byte(lines+"{\"eventId\":\"bad\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, rejects := svc(1, "import", "events", plain, "--app", app.ID, "--env", "test")
	if got, want := read(out), (summary{Lines: 121, Duplicates: 120, Rejected: 1}); got != want {
		t.Errorf("second import: %+v, want %+v", got, want)
	}
	if !strings.Contains(
		rejects, `"line":121,"eventId":"bad","code":"timestamp_required"`,
	) || !strings.Contains(rejects, `"events_rejected"`) {
		t.Errorf("rejects: %s", rejects)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*state*")); err != nil || len(left) > 0 {
		t.Errorf("a complete import leaves no state: %v %v", left, err)
	}
	line := `{"experimentId":"01000000-0000-0000-0000-000000000000","arm":1,` +
		`"person":"02000000-0000-0000-0000-000000000000","day":"2026-03-01"}` + "\n"
	people := filepath.Join(dir, "served.ndjson")
	if err := os.WriteFile(people, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := svc(0, "import", "served", people, "--app", app.ID); out != `{"lines":1,"stored":1}`+"\n" {
		t.Errorf("import of served people: %s", out)
	}
	svc(0, "export", "served", "--app", app.ID, "--out", people+".gz")
	out, _ = svc(0, "import", "served", people+".gz", "--app", app.ID, "--env", "test")
	if out != `{"lines":1,"stored":1}`+"\n" {
		t.Errorf("import of exported people: %s", out)
	}
	if out, _ := svc(0, "export", "served", "--app", app.ID, "--env", "test"); out != line {
		t.Errorf("the copy of served people: %s", out)
	}
	svc(2, "import", "served", "--app", app.ID)
	svc(1, "import", "served", plain, "--app", app.ID)

	svc(2, "import", "events", filepath.Join(dir, "absent"), "--app", app.ID)
	svc(2, "import", "events", packed, "--app", "7")
	svc(2, "import", "events", packed, "--app", "00000000-0000-4000-8000-000000000000")
	svc(2, "export", "events", "--app", app.ID, "--start", "2026-02-02", "--end", "2026-02-01")
}

func TestRebuildPutsRightWhatBroke(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	app := d.Apps[0]
	var events []event
	for i := range 60 {
		events = append(events, newEvent(fmt.Sprintf("p%d", i%6), "s1"))
	}
	if answer, body := send(
		t, d.BaseURL, app.Environments["live"].PublishableKey, events,
	); answer.Status != http.StatusOK || body.Stored != 60 {
		t.Fatalf("answered %d %s", answer.Status, answer.Body)
	}
	type tally struct{ Compared, Missing, Unexpected, Different, Fixed int64 }
	rebuild := func(wantExit int, flags ...string) (events int64, sessions, touches tally) {
		t.Helper()
		exit, stdout, stderr := Run(
			t, []string{"SVC_DATABASE_URL=" + d.DatabaseURL},
			append([]string{"analytics", "rebuild", "--app", app.ID}, flags...)...,
		)
		if exit != wantExit {
			t.Fatalf("exit %d, want %d\n%s%s", exit, wantExit, stdout, stderr)
		}
		var report struct {
			Events                 int64
			Sessions, FirstTouches tally
		}
		if err := json.Unmarshal([]byte(stdout), &report); err != nil {
			t.Fatalf("report %q: %v", stdout, err)
		}
		return report.Events, report.Sessions, report.FirstTouches
	}
	if events, sessions, touches := rebuild(0); events != 60 || sessions != (tally{Compared: 6}) ||
		touches != (tally{Compared: 6}) {
		t.Errorf("nothing is broken: %d %+v %+v", events, sessions, touches)
	}
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `delete from product_session where app_user_id = 'p1'`); err != nil {
		t.Fatal(err)
	}
	if _, sessions, _ := rebuild(1, "--dry-run"); sessions != (tally{Compared: 6, Missing: 1}) {
		t.Errorf("dry run: %+v", sessions)
	}
	if _, sessions, _ := rebuild(0); sessions != (tally{Compared: 6, Missing: 1, Fixed: 1}) {
		t.Errorf("rebuild: %+v", sessions)
	}
	if _, sessions, _ := rebuild(0); sessions != (tally{Compared: 6}) {
		t.Errorf("rebuild again: %+v", sessions)
	}
}

// askAsDocumented asks DuckDB what the page on Parquet does, which is one query.
func askAsDocumented(t *testing.T, reader *ParquetReader) {
	t.Helper()
	rows := 0
	for _, block := range sqlBlocks(t, "parquet.md") {
		for statement := range strings.SplitSeq(strings.TrimSpace(block), ";\n") {
			rows += len(reader.Ask(t, statement, time.Time{}, time.Time{}, ""))
		}
	}
	if rows != 1 {
		t.Errorf("%d rows", rows)
	}
}
