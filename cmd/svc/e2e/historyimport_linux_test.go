package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// historyLines are those of the file that is imported: more than a server imports between two looks at how far it is.
const historyLines = 150_000

// The server is killed twice in the middle of an import that somebody started in the dashboard: the import goes on by
// itself, and each event of the file is stored once.
func TestAnImportOfHistorySurvivesKills(t *testing.T) {
	t.Parallel()
	d := StartDev(t, []string{"SVC_RATE_LIMIT_KEY=0"}, "--demo=none")
	var file strings.Builder
	file.WriteString("event_id,name,occurred_at,app_user_id,page\n")
	from := time.Now().UTC().AddDate(0, 0, -20)
	for n := range historyLines {
		at := from.Add(time.Duration(n) * time.Second).Format(time.DateTime)
		fmt.Fprintf(&file, "e%d,page_view,%s,u%d,/p%d\n", n, at, n%500, n%9)
	}
	content := []byte(file.String())

	studio := d.SignIn(t, d.BaseURL)
	var made struct{ CreateHistoryImport struct{ ID string } }
	studio.Query(`mutation($a: ID!, $b: Int!) { createHistoryImport(input: {appId: $a, source: CSV, fileName: "h.csv", bytes: $b}) {
		id } }`, map[string]any{"a": d.Apps[0].ID, "b": len(content)}, &made)
	id := made.CreateHistoryImport.ID
	for at := 0; at < len(content); at += 4 << 20 {
		form, contentType := fileForm(t,
			`mutation($i: ID!, $p: Int!, $f: Upload!) { uploadHistoryPart(input: {id: $i, position: $p, file: $f}) { received } }`,
			map[string]any{"i": id, "p": at, "f": nil}, "part", []string{"variables.f"}, content[at:min(at+4<<20, len(content))])
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, studio.url, strings.NewReader(string(form)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", contentType)
		answer, err := studio.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("the part at %d is answered with %d", at, answer.StatusCode)
		}
	}
	studio.Query(`mutation($i: ID!) { startHistoryImport(input: {id: $i}) { state } }`, map[string]any{"i": id}, nil)

	stored := func() (events, ids int) {
		query(t, d, `select count(*), count(distinct event_id) from product_event`, &events, &ids)
		return events, ids
	}
	before := 0
	for kill := range 2 {
		Until(t, time.Minute, "the import goes on", func() error {
			if events, _ := stored(); events <= before+historyLines/10 {
				return fmt.Errorf("%d events are stored", events)
			}
			return nil
		})
		d.Kill()
		d.Start(t) // and the database, which ends with it
		if before, _ = stored(); before >= historyLines {
			t.Fatalf("the import was over before kill %d", kill+1)
		}
	}
	studio = d.SignIn(t, d.BaseURL)
	var read struct {
		App struct {
			HistoryImport struct {
				State, Problem                      string
				Lines, Stored, Duplicates, Rejected int
			}
		}
	}
	Until(t, 2*time.Minute, "the import ends", func() error {
		studio.Query(`query($a: ID!, $i: ID!) { app(id: $a) { historyImport(id: $i) {
			state problem lines stored duplicates rejected } } }`, map[string]any{"a": d.Apps[0].ID, "i": id}, &read)
		if state := read.App.HistoryImport.State; state == "RUNNING" {
			return fmt.Errorf("it is %s after %d lines", state, read.App.HistoryImport.Lines)
		}
		return nil
	})
	got := read.App.HistoryImport
	if got.State != "FINISHED" || got.Stored != historyLines || got.Duplicates != 0 || got.Rejected != 0 {
		t.Errorf("the import ended with %+v", got)
	}
	if events, ids := stored(); events != historyLines || ids != historyLines {
		t.Errorf("%d events are stored, of %d ids", events, ids)
	}
	t.Logf("%d events, the server killed twice, each stored once", historyLines)
}
