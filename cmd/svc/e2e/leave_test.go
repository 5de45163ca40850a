package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// everyReport is the command line of each report; the range is added.
var everyReport = []string{
	"summary", "series", "series --grain hour --time-zone Asia/Kathmandu", "overview", "screens", "events",
	"events-series", "recent --name page_view --first 200",
	"attribution --dimension acquisitionChannel", "attribution --dimension referrer", "attribution --dimension source",
	"attribution --dimension campaign",
	"attribution --dimension medium", "attribution --dimension content", "attribution --dimension term",
	"attribution --dimension adset", "attribution --dimension creative",
	"attribution-series --dimension source --metric bounceRate", "engagement --dimension page",
	"engagement --dimension entry", "engagement --dimension exit",
	"engagement-series --dimension page", "demographic --dimension country", "demographic --dimension region",
	"demographic --dimension city",
	"demographic-series --dimension city", "technology --dimension browsers", "technology --dimension operatingSystems",
	"technology --dimension devices",
	"technology-series --dimension devices", "retention", "retention-series", "retention-cohorts --grain week",
	"retention-curve", "visitors -o csv", "visitors -o csv --xf-page /p --xf-op-page contains --platform web",
}

// Nobody is locked in: what one database exports, an empty one takes, and every
// report says the same there.
func TestReportsMoveToAnotherDatabase(t *testing.T) {
	t.Parallel()
	from := StartDev(t, nil, "--demo=small")
	to := StartDev(t, nil, "--demo=none")
	file := filepath.Join(t.TempDir(), "all.ndjson.gz")
	svc := func(d *Dev, wantExit int, args ...string) string {
		t.Helper()
		exit, stdout, stderr := Run(
			t, []string{"SVC_DATABASE_URL=" + d.DatabaseURL, "SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey}, args...,
		)
		if exit != wantExit {
			t.Fatalf("svc %v: exit %d, want %d\n%s%s", args, exit, wantExit, stdout, stderr)
		}
		return stdout
	}
	read := func(text string) (summary struct{ Events, Lines, Stored, Duplicates, Rejected int64 }) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), &summary); err != nil {
			t.Fatalf("summary %q: %v", text, err)
		}
		return summary
	}
	exported := read(svc(from, 0, "export", "events", "--app", from.Apps[0].ID, "--out", file)).Events
	if exported < 1000 {
		t.Fatalf("only %d events were exported", exported)
	}
	if got := read(
		svc(to, 0, "import", "events", file, "--app", to.Apps[0].ID),
	); got.Stored != exported || got.Lines != exported {
		t.Fatalf("%d events were exported, the import says %+v", exported, got)
	}
	copyLedger(t, from, to)
	// Reports of visitors have their runs, which come with flow events.
	flows := filepath.Join(filepath.Dir(file), "flows.ndjson")
	runs := read(svc(from, 0, "export", "events", "--kind", "flow", "--app", from.Apps[0].ID, "--out", flows)).Events
	channel := to.SignIn(t, to.BaseURL).CreateChannel(to.Apps[0].ID, "Main")
	moved := []string{"import", "events", flows, "--app", to.Apps[0].ID}
	for _, c := range from.Apps[0].Environments["live"].Channels {
		moved = append(moved, "--channel", c.ID+"="+channel)
	}
	if got := read(svc(to, 0, moved...)); got.Stored != runs || runs == 0 {
		t.Fatalf("%d flow events were exported, the import says %+v", runs, got)
	}

	today := time.Now().UTC().Truncate(24 * time.Hour)
	report := func(d *Dev, line string) string {
		t.Helper()
		args := strings.Fields(line)
		args = append([]string{"analytics", "product", args[0], d.Apps[0].ID}, args[1:]...)
		return svc(
			d, 0,
			append(args, "--start", today.AddDate(0, 0, -16).Format(time.DateOnly), "--end", today.Format(time.DateOnly))...,
		)
	}
	Until(t, 10*time.Second, "the imported events are in reports", func() error {
		if a, b := report(from, "summary"), report(to, "summary"); a != b {
			return fmt.Errorf("%s\n%s", a, b)
		}
		return nil
	})
	for _, line := range everyReport {
		if a, b := report(from, line), report(to, line); a != b {
			t.Errorf("%s: before\n%safter\n%s", line, a, b)
		}
	}

	// Every report can be printed in every form; a chart needs a series or a table.
	for i, line := range everyReport {
		for j, form := range []string{"table", "csv", "jsonl", "chart"} {
			if i%2 == j%2 && (form != "chart" || !strings.HasPrefix(line, "summary") && !strings.HasPrefix(line, "recent")) {
				if text := report(to, line+" -o "+form); len(strings.TrimSpace(text)) == 0 || strings.Contains(text, `[{"`) &&
					form != "jsonl" {
					t.Errorf("%s -o %s printed %q", line, form, text)
				}
			}
		}
	}

	// Flow events go to the channel that is named for theirs.
	live, test := from.Apps[0].Environments["live"].Channels, from.Apps[0].Environments["test"].Channels
	if len(live) == 0 || len(test) == 0 {
		t.Fatalf("the demo has %d live and %d test channels", len(live), len(test))
	}
	exported = runs
	svc(from, 2, "import", "events", flows, "--app", from.Apps[0].ID, "--env", "test", "--channel", live[0].ID)
	if got := read(
		svc(from, 1, "import", "events", flows, "--app", from.Apps[0].ID, "--env", "test"),
	); got.Stored != 0 || got.Rejected != exported {
		t.Errorf("channels of another environment are not known here: %+v", got)
	}
	args := []string{"import", "events", flows, "--app", from.Apps[0].ID, "--env", "test"}
	for _, c := range live {
		args = append(args, "--channel", c.ID+"="+test[0].ID)
	}
	if got := read(svc(from, 0, args...)); got.Stored != exported || exported == 0 {
		t.Errorf("%d flow events were exported, the import says %+v", exported, got)
	}
	original, copied := svc(from, 0, "export", "events", "--kind", "flow", "--app", from.Apps[0].ID), svc(
		from, 0, "export", "events", "--kind", "flow", "--app", from.Apps[0].ID, "--env", "test",
	)
	for _, c := range live {
		original = strings.ReplaceAll(original, c.ID, test[0].ID)
	}
	if original != copied {
		t.Error("the copied flow events differ")
	}
}

// copyLedger takes the revenue ledger along, as a provider's history would be.
func copyLedger(t *testing.T, from, to *Dev) {
	t.Helper()
	connect := func(d *Dev) (conn *pgx.Conn, environment int64) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRow(
			t.Context(), `select id from environments where app_id = $1 and kind = 'live'`, d.Apps[0].ID,
		).Scan(&environment); err != nil {
			t.Fatal(err)
		}
		return conn, environment
	}
	source, sold := connect(from)
	defer source.Close(t.Context())
	target, bought := connect(to)
	defer target.Close(t.Context())
	rows, err := source.Query(t.Context(), `select $2::bigint, provider, provider_event_id, kind, app_user_id,
		occurred_at, amount_micros, product_id
		from revenue_ledger where environment_id = $1`, sold, bought)
	if err != nil {
		t.Fatal(err)
	}
	n, err := target.CopyFrom(t.Context(), pgx.Identifier{"revenue_ledger"},
		[]string{
			"environment_id", "provider", "provider_event_id", "kind", "app_user_id", "occurred_at", "amount_micros",
			"product_id",
		}, rows)
	if err != nil || n == 0 {
		t.Fatalf("%d ledger rows were copied: %v", n, err)
	}
}
