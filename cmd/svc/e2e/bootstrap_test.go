package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// on returns a Dev that stands for another database of the same PostgreSQL.
func (d *Dev) on(database string) *Dev {
	return &Dev{DevFile: DevFile{DatabaseURL: database}, Dir: d.Dir}
}

// TestEmptyDatabases is about what becomes of them.
func TestEmptyDatabases(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	t.Run("the first administrator", func(t *testing.T) { makesTheFirstAdministrator(t, d) })
	t.Run("migrations run once, whoever starts", func(t *testing.T) { migratesOnce(t, d) })
	t.Run("seeded histories are equal", func(t *testing.T) { seedsEqualHistories(t, d) })
}

const setUp = `mutation($i: CompleteSetupInput!) { completeSetup(input: $i) { email workspaces { nodes { role workspace { name } } } } }`

func makesTheFirstAdministrator(t *testing.T, d *Dev) {
	t.Run("by settings", func(t *testing.T) {
		secret := filepath.Join(t.TempDir(), "password")
		if err := os.WriteFile(secret, []byte("correct-horse\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		other := d.on(d.Database(t, "by_settings"))
		p, address := other.Serve(
			t, "SVC_ADMIN_EMAIL=Ada@example.com", "SVC_ADMIN_PASSWORD_FILE="+secret, "SVC_WORKSPACE_NAME=Acme",
		)
		if strings.Contains(p.Log(), "/setup?token=") {
			t.Error("a set-up address is logged although there is an administrator")
		}
		var data struct {
			SignIn struct {
				Workspaces struct {
					Nodes []struct {
						Role      string
						Workspace struct{ Name string }
					}
				}
			}
		}
		signIn := `mutation { signIn(input: {email: "ada@example.com", password: "correct-horse"}) { workspaces { nodes { role workspace { name } } } } }`
		if err := Ask(Browser(), address+"/graphql", signIn, nil, &data); err != nil {
			t.Fatal(err)
		}
		if w := data.SignIn.Workspaces.Nodes; len(w) != 1 || w[0].Role != "OWNER" || w[0].Workspace.Name != "Acme" {
			t.Errorf("workspaces %v", w)
		}
		p.Stop()
		// The settings are for a server without users; later ones change nobody's password.
		_, again := other.Serve(t, "SVC_ADMIN_EMAIL=eve@example.com", "SVC_ADMIN_PASSWORD=another-horse")
		if err := Ask(Browser(), again+"/graphql", signIn, nil, nil); err != nil {
			t.Error(err)
		}
		if err := Ask(
			Browser(), again+"/graphql",
			`mutation { signIn(input: {email: "eve@example.com", password: "another-horse"}) { email } }`, nil, nil,
		); err == nil {
			t.Error("a second administrator was made")
		}
	})
	t.Run("by the set-up address", func(t *testing.T) {
		other := d.on(d.Database(t, "by_address"))
		first, _ := other.Serve(t)
		link := regexp.MustCompile(`http://[^"]+/setup\?token=([A-Za-z0-9_]+)`)
		old := link.FindStringSubmatch(first.Log())
		first.Stop()
		p, address := other.Serve(t)
		match := link.FindStringSubmatch(p.Log())
		if old == nil || match == nil || old[1] == match[1] {
			t.Fatalf("set-up addresses %v, then %v", old, match)
		}
		if page := get(t, match[0]); page.Status != 200 || !strings.Contains(string(page.Body), `id="email"`) {
			t.Errorf("the logged address answers %d", page.Status)
		}
		if page := get(t, address+"/setup?token="+old[1]); page.Status != 404 {
			t.Errorf("the address of an earlier start answers %d", page.Status)
		}
		input := map[string]any{"token": match[1], "email": "ada@example.com", "password": "short", "workspaceName": "Acme"}
		if err := Ask(
			Browser(), address+"/graphql", setUp, map[string]any{"i": input}, nil,
		); err == nil || !strings.Contains(err.Error(), "password") {
			t.Errorf("a short password: %v", err)
		}
		input["password"] = "correct-horse"
		browser := Browser()
		var data struct{ CompleteSetup struct{ Email string } }
		if err := Ask(
			browser, address+"/graphql", setUp, map[string]any{"i": input}, &data,
		); err != nil || data.CompleteSetup.Email != "ada@example.com" {
			t.Fatalf("%v %v", data, err)
		}
		var viewer struct{ Viewer *struct{ Email string } }
		if err := Ask(browser, address+"/graphql", `{ viewer { email } }`, nil, &viewer); err != nil || viewer.Viewer == nil {
			t.Errorf("who completed the set-up is not signed in: %v", err)
		}
		if err := Ask(Browser(), address+"/graphql", setUp, map[string]any{"i": input}, nil); err == nil {
			t.Error("the address worked twice")
		}
		if page := get(t, match[0]); page.Status != http.StatusNotFound {
			t.Errorf("the used address answers %d", page.Status)
		}
		p.Stop()
		if again, _ := other.Serve(t); strings.Contains(again.Log(), "/setup?token=") {
			t.Error("a set-up address is logged although there is an administrator")
		}
	})
	t.Run("an invitation leads to the page", func(t *testing.T) {
		studio := d.SignIn(t, d.BaseURL)
		var workspaces struct {
			Viewer struct {
				Workspaces struct {
					Nodes []struct{ Workspace struct{ ID string } }
				}
			}
		}
		studio.Query(`{ viewer { workspaces { nodes { workspace { id } } } } }`, nil, &workspaces)
		var invited struct{ InviteMember struct{ SetupToken string } }
		studio.Query(`mutation($w: ID!) { inviteMember(input: {workspaceId: $w, email: "new@example.com", role: VIEWER}) { setupToken } }`,
			map[string]any{"w": workspaces.Viewer.Workspaces.Nodes[0].Workspace.ID}, &invited)
		page := get(t, d.BaseURL+"/setup?token="+invited.InviteMember.SetupToken)
		if page.Status != 200 || !strings.Contains(
			string(page.Body), "new@example.com",
		) || strings.Contains(string(page.Body), `id="email"`) {
			t.Errorf("%d %s", page.Status, page.Body)
		}
	})
}

func migratesOnce(t *testing.T, d *Dev) {
	t.Run("svc migrate twice", func(t *testing.T) {
		database := d.Database(t, "migrated")
		for range 2 {
			exit, _, stderr := Run(t, []string{"SVC_DATABASE_URL=" + database}, "migrate")
			if exit != 0 {
				t.Fatalf("%d %s", exit, stderr)
			}
		}
		var files, distinct int
		query(t, d.on(database), `select count(*), count(distinct version_id) from schema_migration`, &files, &distinct)
		if files < 3 || files != distinct {
			t.Errorf("%d migrations were noted, %d different ones", files, distinct)
		}
	})
	t.Run("two servers start at once on an empty database", func(t *testing.T) {
		other := d.on(d.Database(t, "shared"))
		env := []string{"SVC_DATABASE_URL=" + other.DatabaseURL, "SVC_ADDR=127.0.0.1:0", "SVC_ADMIN_ADDR=", "SVC_MEDIA_DIR=" + t.TempDir(),
			"SVC_FRAME_DIR=",
			"SVC_BASE_URL=http://svc.test", "SVC_ADMIN_EMAIL=ada@example.com", "SVC_ADMIN_PASSWORD=correct-horse"}
		servers := []*Process{Spawn(t, env, "serve"), Spawn(t, env, "serve")}
		for _, p := range servers {
			Until(t, time.Minute, "the server serves", func() error {
				if p.Ended() {
					t.Fatalf("svc serve ended with %d:\n%s", p.Wait(), p.Log())
				}
				if !strings.Contains(p.Log(), `"msg":"serving"`) {
					return fmt.Errorf("log: %s", p.Log())
				}
				return nil
			})
		}
		var users, workspaces int
		query(t, other, `select (select count(*) from users), (select count(*) from workspaces)`, &users, &workspaces)
		if users != 1 || workspaces != 1 {
			t.Errorf("%d administrators with %d workspaces were made", users, workspaces)
		}
	})
	t.Run("a database that refuses is named at once", func(t *testing.T) {
		began := time.Now()
		missing := strings.Replace(d.DatabaseURL, "/svc?", "/missing?", 1)
		exit, _, stderr := Run(t, []string{"SVC_DATABASE_URL=" + missing}, "migrate")
		if exit != 1 || !strings.Contains(stderr, `missing`) || time.Since(began) > 20*time.Second {
			t.Errorf("%d after %s: %s", exit, time.Since(began), stderr)
		}
		if exit, _, stderr := Run(t, nil, "migrate"); exit != 2 || !strings.Contains(stderr, "SVC_DATABASE_URL") {
			t.Errorf("without a database: %d %s", exit, stderr)
		}
	})
}

// history returns what people did, without what a database numbers by itself.
func history(t testing.TB, database, table, columns string) []string {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, err := conn.Query(context.Background(), fmt.Sprintf(`select row(%s)::text from %s order by 1`, columns, table))
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func seedsEqualHistories(t *testing.T, d *Dev) {
	seed := func(name string, number int) string {
		t.Helper()
		database := d.Database(t, name)
		exit, _, stderr := Run(t, []string{
			"SVC_DATABASE_URL=" + database, "SVC_MEDIA_DIR=" + t.TempDir(), "SVC_FRAME_DIR=", "SVC_ADMIN_EMAIL=ada@example.com",
			"SVC_ADMIN_PASSWORD=correct-horse",
		},
			"seed", "demo", "--days", "3", "--seed", fmt.Sprint(number), "--until", "2026-03-03")
		if exit != 0 {
			t.Errorf("svc seed demo: %d %s", exit, stderr)
		}
		return database
	}
	var first, second, other string
	var wait sync.WaitGroup
	wait.Go(func() { first = seed("seed_a", 5) })
	wait.Go(func() { second = seed("seed_b", 5) })
	wait.Go(func() { other = seed("seed_c", 6) })
	wait.Wait()
	for table, columns := range map[string]string{
		"product_events": `occurred_at, event_id, name, app_user_id, custom_user_id, session_id, page, source, medium, campaign, referrer, landing_url, organic,
			country, region, city, platform, device, browser, os, app_version, locale, properties`,
		"product_session":               `session_id, app_user_id, started_at, last_at, country, platform, cardinality(hits)`,
		"product_analytics_first_touch": `app_user_id, first_seen_at`,
		"revenue_ledger":                `provider, provider_event_id, app_user_id, occurred_at, amount_micros`,
	} {
		a, b, c := history(t, first, table, columns), history(t, second, table, columns), history(t, other, table, columns)
		if len(a) == 0 || strings.Join(a, "\n") != strings.Join(b, "\n") {
			t.Errorf("%s: %d and %d rows that differ", table, len(a), len(b))
		}
		if strings.Join(a, "\n") == strings.Join(c, "\n") {
			t.Errorf("%s: another seed makes the same", table)
		}
	}
	exit, _, stderr := Run(
		t, []string{"SVC_DATABASE_URL=" + first, "SVC_MEDIA_DIR=" + t.TempDir(), "SVC_FRAME_DIR="}, "seed", "demo", "--email",
		"nobody@example.com",
	)
	if exit != 1 || !strings.Contains(stderr, "nobody@example.com") || !strings.Contains(stderr, "--email") {
		t.Errorf("somebody who is not there: %d %s", exit, stderr)
	}
	if exit, _, stderr := Run(t, nil, "seed", "demo", "--days", "0"); exit != 2 || !strings.Contains(stderr, "--days") {
		t.Errorf("no days: %d %s", exit, stderr)
	}
}
