package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-dev/svc/internal/docstest"
	"github.com/svc-dev/svc/postgres/local"
)

// A backup that was made as docs/production.md says is restored as it says: a server on it has the same flows, runs,
// people and figures, and its accounts sign in.
func TestABackupIsRestoredAsTheDocsSay(t *testing.T) {
	if os.Getenv("SVC_TEST_VARIANT") == "citus" {
		t.Skip("a cluster is backed up node by node")
	}
	d := StartDev(t, nil, "--demo=small")
	bin := local.Find(t.Context())[0].BinDir // svc dev has started with it
	t.Setenv("PATH", strings.Join([]string{filepath.Dir(Binary(t)), bin, os.Getenv("PATH")}, string(os.PathListSeparator)))
	if _, err := exec.LookPath("pg_dump"); err != nil {
		t.Skip("the server of svc dev came without the programs of a backup")
	}
	restored := strings.Replace(d.DatabaseURL, "/svc?", "/svc_restored?", 1)
	if restored == d.DatabaseURL {
		t.Fatalf("%s names no database svc", d.DatabaseURL)
	}
	t.Setenv("SVC_DATABASE_URL", d.DatabaseURL)
	t.Setenv("SVC_MEDIA_DIR", filepath.Join(d.Dir, "media"))
	t.Setenv("RESTORED_URL", restored)
	dir := t.TempDir()
	scripts := slices.DeleteFunc(docstest.Examples(t, "../../..", "sh", "docs/production.md"), isOfPgBackRest)
	if len(scripts) != 2 {
		t.Fatalf("docs/production.md has %d scripts, not a backup and its restore", len(scripts))
	}
	for _, script := range scripts {
		command := exec.CommandContext(t.Context(), "bash", "-euc", script.Text)
		command.Dir = dir
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s%v\n%s", script.Text, err, output)
		}
	}

	_, address := d.Serve(t,
		"SVC_DATABASE_URL="+restored, "SVC_MEDIA_DIR="+filepath.Join(dir, "media_restored"), "SVC_FRAME_DIR=",
		"SVC_BASE_URL="+d.BaseURL)
	const asked = `query($a: ID!, $r: RangeInput!) { app(id: $a) {
		name flows(first: 50) { totalCount nodes { name } }
		productAnalytics(scope: {range: $r}) { summary { visitors sessions } }
	} }`
	// The demo's visitors of today went on after the backup.
	today := time.Now().UTC().Truncate(24 * time.Hour)
	variables := map[string]any{
		"a": d.Apps[0].ID, "r": map[string]any{"start": today.AddDate(0, 0, -60), "end": today},
	}
	var before, after map[string]any
	d.SignIn(t, d.BaseURL).Query(asked, variables, &before)
	d.SignIn(t, address).Query(asked, variables, &after)
	if !reflect.DeepEqual(before, after) || !strings.Contains(fmt.Sprint(before), "visitors") {
		t.Errorf("before\n%v\nrestored\n%v", before, after)
	}
	live := d.Apps[0].Environments["live"]
	for _, channel := range live.Channels {
		was := (&resolver{t: t, address: d.BaseURL, key: live.PublishableKey}).ask(channel.ID, "u")
		is := (&resolver{t: t, address: address, key: live.PublishableKey}).ask(channel.ID, "u")
		if was.Status != is.Status || was.Status == http.StatusOK && was.Header.Get("ETag") != is.Header.Get("ETag") {
			t.Errorf("channel %s answered %d before, and %d when restored", channel.Name, was.Status, is.Status)
		}
	}
}
