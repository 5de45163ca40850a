package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
)

// keptDays is for how many days the app that old events are imported into keeps them.
const keptDays = 30

// historyLoad is what is taken out of the database and brought into it while servers and the database fail.
type historyLoad struct {
	brief    string // the app of imports
	exported int    // exports that came to their end
	imported map[string]bool
}

func newHistoryLoad(s *Studio) historyLoad {
	h := historyLoad{brief: s.createApp("Brief"), imported: map[string]bool{}}
	s.Query(`mutation($app: ID!, $days: Int!) { setRetention(input: {appId: $app, kind: PRODUCT, days: $days}) { id } }`,
		map[string]any{"app": h.brief, "days": keptDays}, nil)
	return h
}

// export writes all events out. An export that comes to its end has everything that was acknowledged before it began,
// once; one whose connection is lost says that it failed.
func (b *besides) export(ctx context.Context) {
	before, database := b.load.promised()
	exit, lines, _ := Run(b.t, []string{"SVC_DATABASE_URL=" + database}, "export", "events", "--app", b.app, "--kind", "all")
	if exit == 0 {
		b.history.exported++
		written := map[string]int{}
		for line := range strings.Lines(lines) {
			var e struct{ EventID string }
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				b.t.Errorf("an export wrote %q: %v", line, err)
				return
			}
			if written[e.EventID]++; written[e.EventID] == 2 {
				b.t.Errorf("an export has %s twice", e.EventID)
			}
		}
		for id := range before {
			if written[id] == 0 {
				b.t.Errorf("an export of %d events lacks %s, which was acknowledged before", len(written), id)
				return
			}
		}
	}
	select {
	case <-ctx.Done():
	case <-time.After(2 * time.Second):
	}
}

// promised returns what has been acknowledged, and where the database is.
func (l *crashLoad) promised() (ids map[string]bool, database string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.acknowledged), l.database
}

// bringIn imports events of the last two months, of which the app keeps one, until an import comes to its end.
func (b *besides) bringIn(ctx context.Context) {
	var lines strings.Builder
	young := map[string]bool{}
	for n := range 400 {
		id, age := uuid.NewString(), time.Duration(1+n%(keptDays-5))*24*time.Hour
		if n%2 == 0 {
			age += (keptDays + 4) * 24 * time.Hour
		} else {
			young[id] = true
		}
		at := time.Now().Add(-age).UTC().Format(time.RFC3339Nano)
		fmt.Fprintf(&lines, `{"eventId":%q,"name":"seen","appUserId":"u%d","sessionId":"s%d-%d","timestamp":%q}`+"\n",
			id, n%40, n, len(b.history.imported), at)
	}
	file := filepath.Join(b.t.TempDir(), "history.ndjson")
	b.until("an import of history", func() error {
		if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
			return err
		}
		_, database := b.load.promised()
		env := []string{"SVC_DATABASE_URL=" + database}
		exit, said, problem := Run(b.t, env, "import", "events", file, "--app", b.history.brief)
		if exit != 0 {
			return fmt.Errorf("ended with %d: %s%s", exit, said, problem)
		}
		return nil
	})
	maps.Copy(b.history.imported, young)
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// compareHistory waits until nothing is left that is older than the app keeps; the rest of what was imported is there
// once, however often an import was cut off. What a server does every hour it does when it starts, too.
func (b *besides) compareHistory() {
	b.t.Helper()
	if b.history.exported == 0 || len(b.history.imported) == 0 {
		b.t.Errorf("%d exports and imports of %d events came to their end", b.history.exported, len(b.history.imported))
	}
	b.dev.Kill()
	b.load.second.Kill()
	b.load.revive()
	for table, column := range map[string]string{"product_event": "occurred_at", "product_session": "last_at"} {
		Until(b.t, 2*time.Minute, "old events leave", func() error {
			if n := countRows(b.t, b.dev, `select count(*) from `+table+` where environment_id in (
				select id from environments where app_id = $1) and `+column+` < now() - interval '31 days'`, b.history.brief,
			); n > 0 {
				return fmt.Errorf("%s has %d rows of more than a month", table, n)
			}
			return nil
		})
	}
	env := []string{"SVC_DATABASE_URL=" + b.dev.DatabaseURL}
	exit, lines, problem := Run(b.t, env, "export", "events", "--app", b.history.brief)
	if exit != 0 {
		b.t.Fatalf("the export of what was imported ended with %d: %s", exit, problem)
	}
	left := maps.Clone(b.history.imported)
	for line := range strings.Lines(lines) {
		var e struct{ EventID string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			b.t.Fatal(err)
		}
		if !left[e.EventID] {
			b.t.Errorf("%s was imported once, and is there twice or should have left", e.EventID)
		}
		delete(left, e.EventID)
	}
	if len(left) > 0 {
		b.t.Errorf("%d of %d imported events are lost", len(left), len(b.history.imported))
	}
}
