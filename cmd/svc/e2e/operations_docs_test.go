package e2e

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/docstest"
)

// stored runs svc and fails where an import of events has stored none.
const stored = `set -euo pipefail
svc() {
	local out
	out=$(command svc "$@" 2> said) || case "$*" in
	*" --channel "*) ;; # the demo has runs of more channels
	*) echo "failed: svc $*" >&2; head -c 2000 said >&2; return 1 ;;
	esac
	case "$*" in
	*--dry-run*|"import list"*|"import remove"*|"import served"*|"import revenue"*) ;;
	import*) grep -Eq '"stored": ?[1-9]' <<< "$out" || { echo "stored nothing: svc $*: $out" >&2; return 1; } ;;
	esac
	printf '%s\n' "$out"
}
bq() { :; }
gsutil() { cp "$TABLE" "$3/events_20260203_000000000000.json.gz"; }
`

// Files that other tools write, as small as they get.
const (
	csvHistory = "event_id,name,occurred_at,app_user_id,page\n1,page_view,2026-11-01T10:00:00Z,u1,/a\n"
	postHog    = `{"uuid":"0190b7c2-3f5e-7a10-8c44-0d5f6e7a8b9d","event":"$pageview","distinct_id":"p1",` +
		`"timestamp":"2026-11-01T10:00:00Z","properties":{"$pathname":"/a"}}` + "\n"
	matomoDay = `[{"idSite":"1","idVisit":"%s","visitorId":"v","actionDetails":[` +
		`{"type":"action","url":"https://shop.example/a","pageId":"30","timestamp":1770091506}]}]`
	ga4Row = `{"event_timestamp":"1770091506000000","event_name":"page_view","user_pseudo_id":"g1","platform":"WEB",` +
		`"event_params":[{"key":"page_location","value":{"string_value":"https://shop.example/a"}}]}` + "\n"
	plausibleTotals = "date,visitors,pageviews,bounces,visits,visit_duration\n2026-03-01,3,9,1,4,240\n"
	umamiTables     = `
		create table session (session_id uuid primary key, browser text, os text, device text, language text, country text,
			city text);
		create table website_event (event_id uuid primary key, session_id uuid, visit_id uuid, created_at timestamptz,
			url_path text, url_query text, referrer_domain text, event_type int, event_name text);
		insert into session values ('0190b7c2-3f5e-7a10-8c44-0d5f6e7a8b91', 'chrome', 'Mac OS', 'desktop', 'de', 'DE', 'Ulm');
		insert into website_event values ('0190b7c2-3f5e-7a10-8c44-0d5f6e7a8b92', '0190b7c2-3f5e-7a10-8c44-0d5f6e7a8b91',
			'0190b7c2-3f5e-7a10-8c44-0d5f6e7a8b93', '2026-11-01 10:00:00Z', '/a', '', '', 1, '')`
)

// withDatabase makes an empty database on the server of svc dev and returns its address.
func withDatabase(t *testing.T, d *Dev, name string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), "create database "+name)
	require.NoError(t, err)
	address := strings.Replace(d.DatabaseURL, "/svc?", "/"+name+"?", 1)
	require.NotEqual(t, d.DatabaseURL, address)
	return address
}

// What docs/operations.md says of moving history in and out is pasted into a shell, from its first export to its last
// import, with the files that other tools would have written and stand-ins for Matomo and BigQuery.
func TestHistoryMovesAsTheDocsSay(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl", "jq", "psql"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	d := StartDev(t, nil, "--demo=small")
	app, dir := d.Apps[0], t.TempDir()
	write := func(name string, content []byte) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	write("history.csv.gz", gzipped([]byte(csvHistory)))
	write("events.jsonl.gz", gzipped([]byte(postHog)))
	write("table.json.gz", gzipped([]byte(ga4Row)))
	var archive bytes.Buffer
	packer := zip.NewWriter(&archive)
	table, err := packer.Create("imported_visitors_20260301_20260301.csv")
	require.NoError(t, err)
	_, err = table.Write([]byte(plausibleTotals))
	require.NoError(t, err)
	require.NoError(t, packer.Close())
	write("plausible-export.zip", archive.Bytes())

	days := 0
	matomo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("method") == "Live.getLastVisitsDetails" && r.FormValue("token_auth") == "secret" &&
			strings.HasPrefix(r.FormValue("date"), "2026-02-0") {
			days++
			fmt.Fprintf(w, matomoDay, fmt.Sprint(days))
		}
	}))
	defer matomo.Close()

	umami := withDatabase(t, d, "umami")
	conn, err := pgx.Connect(t.Context(), umami)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), umamiTables)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	for _, block := range docstest.Examples(t, "../../..", "sql", "docs/operations.md") {
		command := exec.CommandContext(t.Context(), "psql", "-X", "-v", "ON_ERROR_STOP=1", umami)
		command.Dir, command.Stdin = dir, strings.NewReader(block.Text)
		output, err := command.CombinedOutput()
		require.NoError(t, err, "%s", output)
	}

	blocks := docstest.Examples(t, "../../..", "sh", "docs/operations.md")
	var script strings.Builder
	script.WriteString(stored)
	// The page has a file in the columns of the export.
	script.WriteString("command svc export --format parquet --table events --app $APP --out parquet > /dev/null\n" +
		"cp \"$(find parquet -name '*.parquet' | sort | head -n 1)\" history.parquet\n")
	for _, block := range blocks[1:] { // the first one starts a server
		script.WriteString(block.Text)
	}
	text := strings.ReplaceAll(script.String(), "https://matomo.example.com", matomo.URL)
	require.GreaterOrEqual(t, strings.Count(text, "svc import "), 15)
	command := exec.CommandContext(t.Context(), "bash", "-c", text)
	command.Dir = dir
	command.Env = append(
		slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "SVC_") }),
		"PATH="+filepath.Dir(Binary(t))+string(os.PathListSeparator)+os.Getenv("PATH"), "SVC_DATABASE_URL="+d.DatabaseURL,
		"APP="+app.ID, "TOKEN=secret", "TABLE="+filepath.Join(dir, "table.json.gz"),
		"CHANNEL="+app.Environments["live"].Channels[1].ID, "TEST_CHANNEL="+app.Environments["test"].Channels[0].ID,
	)
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Equal(t, 2, days)
	require.Contains(t, string(output), `"source": "posthog"`)
}

// The first commands of docs/operations.md start a server with its first administrator.
func TestAServerStartsAsTheDocsSay(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	secrets := t.TempDir()
	address := withDatabase(t, d, "started")
	for name, secret := range map[string]string{"database_url": address, "admin_password": "correct horse battery"} {
		require.NoError(t, os.WriteFile(filepath.Join(secrets, name), []byte(secret+"\n"), 0o600))
	}
	script := docstest.Examples(t, "../../..", "sh", "docs/operations.md")[0].Text
	require.True(t, strings.HasSuffix(script, "svc serve\n"), script)
	script = strings.ReplaceAll(strings.TrimSuffix(script, "svc serve\n"), "/run/secrets", secrets) + "exec svc serve\n"
	port := freeAddress(t)
	command := exec.CommandContext(t.Context(), "bash", "-euc", script)
	command.Dir = t.TempDir()
	command.Env = append(
		slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "SVC_") }),
		"PATH="+filepath.Dir(Binary(t))+string(os.PathListSeparator)+os.Getenv("PATH"),
		"SVC_ADDR="+port, "SVC_ADMIN_ADDR=", "SVC_BASE_URL=http://"+port,
	)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	require.NoError(t, command.Start())
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	require.Eventually(t, func() bool {
		answer, err := http.Get("http://" + port + "/readyz")
		if err != nil {
			return false
		}
		_ = answer.Body.Close() // nothing is read
		return answer.StatusCode == http.StatusOK
	}, time.Minute, 100*time.Millisecond)
	var signed struct{ SignIn struct{ Email string } }
	err := Ask(http.DefaultClient, "http://"+port+"/graphql", `mutation { signIn(input: {
		email: "you@example.com", password: "correct horse battery" }) { email } }`, nil, &signed)
	require.NoError(t, err)
	require.Equal(t, "you@example.com", signed.SignIn.Email)
	require.NoError(t, command.Process.Signal(os.Interrupt))
	require.NoError(t, <-ended, said.String())
}
