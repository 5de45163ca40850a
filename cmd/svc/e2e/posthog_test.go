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
		d.Eventually(t, 30*time.Second, func() error {
			exit, out, stderr := RunIn(t, d, "analytics", "summary", app.ID)
			if exit != 0 {
				return fmt.Errorf("exit %d: %s", exit, stderr)
			}
			if !strings.Contains(out, fmt.Sprintf(`"visitors": %d`, want)) {
				return fmt.Errorf("want %d visitors: %s", want, out)
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

	if told := svc(1, nil, "import", "posthog", os.Args[0]+"absent"); !strings.Contains(told, "absent") {
		t.Errorf("an absent file: %s", told)
	}
}
