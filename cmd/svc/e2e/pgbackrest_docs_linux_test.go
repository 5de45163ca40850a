package e2e

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-dev/svc/internal/docstest"
	"github.com/svc-dev/svc/postgres/local"
)

func isOfPgBackRest(example docstest.Example) bool {
	return strings.Contains(example.Text, "pgbackrest")
}

// A database whose log is archived as docs/production.md says comes back as it says: whole after its disk was lost, and
// as it was at a moment. The server that goes on with it, with the files of its reports, shows what is there and no
// more.
func TestPgBackRestRestoresAsTheDocsSay(t *testing.T) {
	if os.Getenv("SVC_TEST_VARIANT") == "citus" {
		t.Skip("a cluster is backed up node by node")
	}
	program, err := exec.LookPath("pgbackrest")
	if err != nil {
		t.Skip("pgbackrest is not installed")
	}
	d := StartDev(t, nil, "--demo=small")
	r := newPgBackRest(t, d, program)
	setup, restore := r.scripts[0], strings.SplitAfter(strings.TrimSpace(r.scripts[1]), "\n")
	if len(r.scripts) != 2 || len(restore) != 2 {
		t.Fatalf("docs/production.md has %d scripts of pgbackrest and %d ways to restore", len(r.scripts), len(restore))
	}
	d.Stop()
	if err := appendTo(filepath.Join(r.data, "postgresql.conf"), r.settings); err != nil {
		t.Fatal(err)
	}
	d.Start(t)
	r.run(setup)

	time.Sleep(time.Second) // it knows by the second when a backup was over
	r.send("early")
	var moment string
	query(t, d, `select clock_timestamp()::text`, &moment)
	r.send("late")
	r.expect("early", "late")
	r.loseDisk()
	r.run(restore[0])
	d.Start(t)
	r.expect("early", "late")

	r.loseDisk()
	r.run(fmt.Sprintf("MOMENT=%q\n", moment) + restore[1])
	d.Start(t)
	r.expect("early")
	r.send("after")
	r.expect("early", "after")
}

// pgBackRest is the program as the docs call it, for the database of d.
type pgBackRest struct {
	t        *testing.T
	d        *Dev
	data     string
	owner    *syscall.Stat_t
	settings string // of PostgreSQL
	scripts  []string
}

// newPgBackRest writes what the docs have in /etc, and a command with the name of the program that knows it.
func newPgBackRest(t *testing.T, d *Dev, program string) *pgBackRest {
	t.Helper()
	data := filepath.Join(d.Dir, "postgres", "data")
	info, err := os.Stat(data)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(d.Dir, "pgbackrest")
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := server.User.Password()
	command := filepath.Join(dir, "pgbackrest")
	at := strings.NewReplacer("/var/lib/pgbackrest", filepath.Join(dir, "repository"), "/var/lib/postgresql/15/main", data,
		"'pgbackrest", "'"+command)
	of := func(language string) (texts []string) {
		for _, example := range docstest.Examples(t, "../../..", language, "docs/production.md") {
			if language != "sh" || isOfPgBackRest(example) {
				texts = append(texts, at.Replace(example.Text))
			}
		}
		return texts
	}
	wrapper := fmt.Sprintf(`#!/bin/sh
export PGHOST=%s PGPASSWORD=%s PGBACKREST_PG1_PORT=%s PGBACKREST_PG1_USER=%s PGBACKREST_CONFIG=%s
export PGBACKREST_LOCK_PATH=%s PGBACKREST_LOG_PATH=%[6]s PGBACKREST_CMD=%s
exec %s "$@"
`, server.Hostname(), password, server.Port(), server.User.Username(), filepath.Join(dir, "conf"), dir, command, program)
	for path, content := range map[string]string{"pgbackrest": wrapper, "conf": of("ini")[0]} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(content), 0o700); err != nil { //nolint:gosec // a command
			t.Fatal(err)
		}
	}
	if err := giveTo(data, dir); err != nil {
		t.Fatal(err)
	}
	// The directories of a test are its user's alone, and pgbackrest is PostgreSQL's.
	for _, above := range []string{filepath.Dir(data), d.Dir, filepath.Dir(d.Dir)} {
		if err := os.Chmod(above, 0o711); err != nil { //nolint:gosec // who may pass sees nothing
			t.Fatal(err)
		}
	}
	bin := local.Find(t.Context())[0].BinDir
	t.Setenv("PATH", strings.Join([]string{dir, bin, os.Getenv("PATH")}, string(os.PathListSeparator)))
	return &pgBackRest{
		t: t, d: d, data: data, owner: info.Sys().(*syscall.Stat_t), settings: of("conf")[0], scripts: of("sh"),
	}
}

// run runs lines of the docs as the user of PostgreSQL.
func (r *pgBackRest) run(script string) {
	r.t.Helper()
	command := exec.CommandContext(r.t.Context(), "bash", "-euc", script)
	command.Dir = filepath.Dir(r.data)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: r.owner.Uid, Gid: r.owner.Gid}}
	began := time.Now()
	output, err := command.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s%v\n%s\n%s", script, err, output, r.d.Log())
	}
	r.t.Logf("%s: %.1f s", strings.TrimSpace(script), time.Since(began).Seconds())
}

// loseDisk stops all and removes the files of the database.
func (r *pgBackRest) loseDisk() {
	r.t.Helper()
	var archived bool
	Until(r.t, time.Minute, "the log is archived", func() error {
		query(r.t, r.d, `select pg_switch_wal() is not null and last_archived_wal is not null from pg_stat_archiver`, &archived)
		if !archived {
			return fmt.Errorf("nothing is archived")
		}
		return nil
	})
	r.d.Stop()
	files, err := filepath.Glob(filepath.Join(r.data, "*"))
	if err != nil || len(files) == 0 {
		r.t.Fatalf("%d files of a database: %v", len(files), err)
	}
	for _, file := range files {
		if err := os.RemoveAll(file); err != nil {
			r.t.Fatal(err)
		}
	}
}

const sentTogether = 25

// send has people do something of this name.
func (r *pgBackRest) send(name string) {
	r.t.Helper()
	var events []event
	for i := range sentTogether {
		did := newEvent(fmt.Sprint(name, i), fmt.Sprint(name, i))
		did["name"] = name
		events = append(events, did)
	}
	answer, body := send(r.t, r.d.BaseURL, r.d.Apps[0].Environments["live"].PublishableKey, events)
	if body.Stored != sentTogether {
		r.t.Fatalf("%d %s", answer.Status, answer.Body)
	}
}

// expect waits until the report of today has what was sent under these names, and nothing of the others.
func (r *pgBackRest) expect(names ...string) {
	r.t.Helper()
	studio := r.d.SignIn(r.t, r.d.BaseURL)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	Until(r.t, time.Minute, "the report has what the database has", func() error {
		var data struct {
			App struct {
				ProductAnalytics struct {
					Events struct {
						Nodes []struct {
							Name            string
							Count, Visitors int
						}
					}
				}
			}
		}
		studio.Query(`query($a: ID!, $r: RangeInput!) { app(id: $a) { productAnalytics(scope: {range: $r}) {
			events(first: 1000) { nodes { name count visitors } } } } }`, map[string]any{
			"a": r.d.Apps[0].ID, "r": map[string]any{"start": today.AddDate(0, 0, -1), "end": today.AddDate(0, 0, 1)},
		}, &data)
		var found []string
		for _, row := range data.App.ProductAnalytics.Events.Nodes {
			if slices.Contains([]string{"early", "late", "after"}, row.Name) {
				if row.Count != sentTogether || row.Visitors != sentTogether {
					return fmt.Errorf("%d of %d people did %s", row.Visitors, sentTogether, row.Name)
				}
				found = append(found, row.Name)
			}
		}
		slices.Sort(found)
		if want := slices.Sorted(slices.Values(names)); !slices.Equal(found, want) {
			return fmt.Errorf("%v are reported, not %v", found, want)
		}
		return nil
	})
}
