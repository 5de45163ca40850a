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
)

// TestTheHistoryOfPostHogComesAndGoes imports an export, kills the import on its way, and removes it; reports follow.
func TestTheHistoryOfPostHogComesAndGoes(t *testing.T) {
	d := StartDev(t, nil, "--demo=none")
	app := d.Apps[0]
	if answer, body := send(
		t, d.BaseURL, app.Environments["live"].PublishableKey, []event{newEvent("living", "s")},
	); answer.Status != http.StatusOK || body.Stored != 1 {
		t.Fatalf("answered %d %s", answer.Status, answer.Body)
	}
	env := []string{"SVC_DATABASE_URL=" + d.DatabaseURL}
	svc := func(wantExit int, into any, args ...string) (stderr string) {
		t.Helper()
		exit, stdout, stderr := Run(t, env, append(args, "--app", app.ID)...)
		if exit != wantExit {
			t.Fatalf("svc %v: exit %d, want %d\n%s%s", args, exit, wantExit, stdout, stderr)
		}
		if into != nil {
			if err := json.Unmarshal([]byte(stdout), into); err != nil {
				t.Fatalf("svc %v printed %q: %v", args, stdout, err)
			}
		}
		return stderr
	}
	const people = 40
	var lines strings.Builder
	at := time.Now().Add(-72 * time.Hour).UTC()
	for i := range 5000 {
		fmt.Fprintf(&lines, `{"uuid":"01900000-0000-7000-8000-%012d","event":"$pageview","distinct_id":"p%d","timestamp":%q,`+
			`"properties":"{\"$session_id\":\"s%d\",\"$pathname\":\"/%d\",\"$lib\":\"web\"}"}`+"\n",
			i, i%people, at.Add(time.Duration(i)*time.Second).Format("2006-01-02 15:04:05.000000"), i%people, i%3)
	}
	lines.WriteString(`{"uuid":"broken","event":"$pageview","distinct_id":"p1","timestamp":"soon","properties":{}}` + "\n")
	lines.WriteString(`{"uuid":"set","event":"$set","distinct_id":"p1"}` + "\n")
	file := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	type counts struct{ Lines, Stored, Duplicates, Rejected, LeftOut int64 }
	var got counts
	svc(1, &got, "import", "posthog", file, "--dry-run")
	if want := (counts{Lines: 5002, Rejected: 1, LeftOut: 1}); got != want {
		t.Errorf("dry run %+v, want %+v", got, want)
	}
	got = counts{}
	told := svc(1, &got, "import", "posthog", file)
	if want := (counts{Lines: 5002, Stored: 5000, Rejected: 1, LeftOut: 1}); got != want {
		t.Errorf("import %+v, want %+v", got, want)
	}
	if want := `{"line":5001,"eventId":"broken","code":"timestamp_invalid","message":"timestamp is not`; !strings.Contains(
		told, want,
	) {
		t.Errorf("rejects: %s", told)
	}
	visitors := func(want int) {
		t.Helper()
		Until(t, 30*time.Second, fmt.Sprintf("%d visitors are in reports", want), func() error {
			var summary struct{ Visitors int }
			exit, out, stderr := Run(t, []string{"SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey},
				"analytics", "product", "summary", app.ID)
			if exit != 0 || json.Unmarshal([]byte(out), &summary) != nil || summary.Visitors != want {
				return fmt.Errorf("exit %d: %s%s", exit, out, stderr)
			}
			return nil
		})
	}
	visitors(people + 1)
	type imported struct {
		ID, FileName string
		FinishedAt   *time.Time
		counts
	}
	var listed []imported
	svc(0, &listed, "import", "list")
	if len(listed) != 1 || listed[0].FileName != "events.jsonl" || listed[0].FinishedAt == nil || listed[0].counts != got {
		t.Fatalf("listed %+v", listed)
	}
	got = counts{}
	svc(1, &got, "import", "posthog", file)
	if want := (counts{Lines: 5002, Duplicates: 5000, Rejected: 1, LeftOut: 1}); got != want {
		t.Errorf("second import %+v, want %+v", got, want)
	}
	svc(2, nil, "import", "remove", listed[0].ID, "--env", "test")
	svc(2, nil, "import", "remove", "7")
	svc(0, nil, "import", "remove", listed[0].ID)
	visitors(1)

	// Killed on its way, or just behind its end: each event is stored once, whichever record has it.
	killed := Spawn(t, env, "import", "posthog", file, "--app", app.ID)
	Until(t, time.Minute, "the import is on its way", func() error {
		if _, err := os.Stat(file + ".import-state.json"); err != nil && !killed.Ended() {
			return err
		}
		return nil
	})
	_ = killed.command.Process.Kill() // it may have ended
	killed.Wait()
	svc(1, nil, "import", "posthog", file)
	svc(0, &listed, "import", "list")
	var stored int64
	for _, i := range listed {
		stored += i.Stored
		if i.FileName == "events.jsonl" && (i.FinishedAt == nil || i.Lines != 5002 || i.Rejected != 1 || i.LeftOut != 1) {
			t.Errorf("listed %+v", i)
		}
	}
	var events int64
	query(t, d, `select count(*) from product_event where event_id like 'posthog:%'`, &events)
	if stored != 5000 || events != 5000 {
		t.Errorf("%d events are stored, the imports say %d: %+v", events, stored, listed)
	}
	visitors(people + 1)

	svc(2, nil, "import", "posthog", file+".absent")

	// A table of Umami comes as well.
	table := filepath.Join(filepath.Dir(file), "website_event.csv")
	day := at.Format(time.DateOnly)
	if err := os.WriteFile(table, []byte("event_id,session_id,visit_id,created_at,event_type,url_path,page_title,event_name\n"+
		"u1,q1,v1,"+day+" 01:00:00,1,/,\"Two\nlines\",\n"+"u2,q1,v1,"+day+" 01:00:01,2,/,,buy\n"+
		"u3,q2,v2,"+day+" 01:00:02,1,,,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got = counts{}
	told = svc(1, &got, "import", "umami", table)
	if got.Stored != 2 || got.Rejected != 1 || !strings.Contains(told, `"line":5,"eventId":"u3"`) {
		t.Errorf("import of Umami: %+v %s", got, told)
	}
	visitors(people + 2)
	svc(1, nil, "import", "umami", file)
	svc(2, nil, "import", "umami", table, "--time-zone", "Middle/Earth")

	// So do visits of Matomo and rows of Google Analytics, and go again.
	visits, rows := filepath.Join(filepath.Dir(file), "visits.json"), filepath.Join(filepath.Dir(file), "events.json")
	for path, text := range map[string]string{
		visits: fmt.Sprintf(`[{"idSite":1,"idVisit":7,"visitorId":"m","actionDetails":[`+
			`{"type":"action","url":"https://a.example/","pageId":1,"timestamp":%d},{"type":"action","pageId":2}]}]`, at.Unix()),
		rows: fmt.Sprintf(`{"event_name":"page_view","event_timestamp":"%d","user_pseudo_id":"g","event_params":[`+
			`{"key":"page_location","value":{"string_value":"https://a.example/"}}]}`, at.UnixMicro()),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got = counts{}
	told = svc(1, &got, "import", "matomo", visits)
	if got.Stored != 1 || got.Rejected != 1 || !strings.Contains(told, `"line":2,"eventId":"matomo:1.7.2"`) {
		t.Errorf("import of Matomo: %+v %s", got, told)
	}
	svc(0, &got, "import", "ga4", rows)
	visitors(people + 4)
	svc(0, &listed, "import", "list")
	for _, i := range listed {
		svc(0, nil, "import", "remove", i.ID)
	}
	visitors(1)
}
