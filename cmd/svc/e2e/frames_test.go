package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// reported returns what reports say of the last days, as text.
func reported(studio *Studio, app string) (string, error) {
	end := time.Now().UTC().Truncate(24 * time.Hour)
	var data any
	err := Ask(studio.client, studio.url, `query($app: ID!, $start: Time!, $end: Time!) { app(id: $app) {
		productAnalytics(scope: {range: {start: $start, end: $end}}) {
			summary { visitors newVisitors sessions views events }
			screens(first: 5) { totalCount nodes { __typename } } visitors(first: 5) { nodes { appUserId } }
			retention { visitors } }
		appFlowOverview(scope: {range: {start: $start, end: $end}}) { totals { starts runs completions } } } }`,
		map[string]any{"app": app, "start": end.AddDate(0, 0, -10), "end": end}, &data)
	return fmt.Sprint(data), err
}

// metric returns the line of a metric, without its name.
func metric(t *testing.T, address, name string) string {
	t.Helper()
	for line := range strings.Lines(string(get(t, address).Body)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(rest)
		}
	}
	t.Fatalf("no metric %s", name)
	return ""
}

// What reports read outlives a server that is killed and has nobody who was erased, and a folder that is destroyed
// under a running server harms nobody.
func TestFramesOutliveTheServer(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=small")
	app := d.Apps[0]
	studio := d.SignIn(t, d.BaseURL)
	want, err := reported(studio, app.ID)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(d.Dir, "frames")
	saved := func() error {
		found, err := filepath.Glob(filepath.Join(folder, "*", "manifest"))
		if err == nil && len(found) == 0 {
			err = errors.New("no manifest")
		}
		return err
	}
	Until(t, 90*time.Second, "the frames are saved", saved)
	d.Kill()
	d.Start(t)
	studio = d.SignIn(t, d.BaseURL)
	again, err := reported(studio, app.ID)
	if err != nil || again != want {
		t.Fatalf("after kill -9: %v\n%s\nwas\n%s", err, again, want)
	}
	if n := metric(t, d.MetricsURL, "svc_frame_environments_reopened_total"); n == "0" {
		t.Error("nothing was opened from files")
	}
	exit, out, errs := Run(t, nil, "frames", "verify", "--frame-dir", folder)
	if exit != 0 || !strings.Contains(out, `"days"`) {
		t.Errorf("svc frames verify: %d\n%s%s", exit, out, errs)
	}
	exit, _, errs = Run(t, nil, "frames", "drop", "--frame-dir", folder)
	if exit != 1 || !strings.Contains(errs, "in_use") {
		t.Errorf("svc frames drop beside a server: %d\n%s", exit, errs)
	}

	// Somebody who was here is in the files, and in none once they are erased.
	var person string
	query(t, d, `select max(app_user_id) from product_session where home_day < current_date`, &person)
	in := func() (files int) {
		found, _ := filepath.Glob(filepath.Join(folder, "*", "*"))
		for _, path := range found {
			if raw, err := os.ReadFile(path); err == nil && bytes.Contains(raw, []byte(person)) {
				files++
			}
		}
		return files
	}
	if in() == 0 {
		t.Fatalf("%s is in no file", person)
	}
	var erased struct {
		ErasePerson struct{ FinishedAt *time.Time }
	}
	studio.Query(`mutation($app: ID!, $id: String!) {
		erasePerson(input: {appId: $app, environment: LIVE, appUserId: $id}) { finishedAt } }`, map[string]any{"app": app.ID, "id": person}, &erased)
	if erased.ErasePerson.FinishedAt == nil || in() != 0 {
		t.Errorf("the erasure finished at %v, and %d files have the person", erased.ErasePerson.FinishedAt, in())
	}

	// A second life, whose files are made empty while reports read them.
	d.Stop()
	d.Start(t)
	studio = d.SignIn(t, d.BaseURL)
	if want, err = reported(studio, app.ID); err != nil {
		t.Fatal(err)
	}
	Until(t, 90*time.Second, "the frames are saved", saved)
	time.Sleep(time.Second) // columns are those of files from now on
	found, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	Until(t, 30*time.Second, "reports are right again", func() error {
		again, err := reported(studio, app.ID)
		if err == nil && again != want {
			t.Fatalf("with empty files:\n%s\nwas\n%s", again, want)
		}
		return err
	})
	if d.Ended() {
		t.Fatal("the server ended")
	}
	if n := metric(t, d.MetricsURL, "svc_frame_environments_dropped_total"); n == "0" {
		t.Error("nobody noticed")
	}
	if answer := get(t, d.BaseURL+"/readyz"); answer.Status != http.StatusOK {
		t.Errorf("%d %s", answer.Status, answer.Body)
	}
}

// Of two servers with one folder the first has it. The other answers the same from memory, says so, and neither writes
// nor reads the files; they are there for whoever comes after the first was killed.
func TestTwoServersAndOneFolder(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=small")
	app, folder := d.Apps[0].ID, filepath.Join(t.TempDir(), "frames")
	serve := func() (*Process, *Studio) {
		p, at := d.Serve(t, "SVC_ADMIN_ADDR=127.0.0.1:0", "SVC_FRAME_DIR="+folder)
		return p, d.SignIn(t, at)
	}
	ask := func(studio *Studio) string {
		said, err := reported(studio, app)
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	first, owner := serve()
	want := ask(owner)
	Until(t, 90*time.Second, "the frames are saved", func() error {
		found, err := filepath.Glob(filepath.Join(folder, "*", "manifest"))
		if err == nil && len(found) == 0 {
			err = errors.New("no manifest")
		}
		return err
	})
	second, guest := serve()
	if said := ask(guest); said != want {
		t.Errorf("the second says\n%s\nthe first\n%s", said, want)
	}
	if n := metric(t, admin(t, second)+"/metrics", "svc_frame_environments_reopened_total"); n != "0" {
		t.Errorf("the second opened %s environments from files of the first", n)
	}
	if !strings.Contains(second.Log(), "the report cache is kept in memory alone") {
		t.Errorf("the second does not say that it has no folder:\n%s", second.Log())
	}
	first.Kill()
	third, heir := serve()
	for name, studio := range map[string]*Studio{"second": guest, "third": heir} {
		if said := ask(studio); said != want {
			t.Errorf("after kill -9 of the first the %s says\n%s\nnot\n%s", name, said, want)
		}
	}
	if n := metric(t, admin(t, third)+"/metrics", "svc_frame_environments_reopened_total"); n == "0" {
		t.Error("the third opened nothing from the files of the first")
	}
}
