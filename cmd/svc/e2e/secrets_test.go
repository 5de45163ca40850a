package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestSecretsAreNowhereInTheClear looks for secrets of connections and endpoints, the ones of before a rotation among
// them, and for the key of the server in everything that a server writes: its log, answers and errors of GraphQL,
// exports, and every table.
func TestSecretsAreNowhereInTheClear(t *testing.T) {
	key := strings.Repeat("e2e server key. ", 2) // 32 bytes
	settings := []string{
		"SVC_SECRET_KEYS=first:" + base64.StdEncoding.EncodeToString([]byte(key)), "SVC_LOG_LEVEL=debug",
	}
	d := StartDev(t, settings, "--demo=none")
	studio, app := d.SignIn(t, d.BaseURL), d.Apps[0].ID
	client := &http.Client{Timeout: 20 * time.Second}
	secrets := []string{key}
	deliver := func(p Provider, customer string, want int) {
		t.Helper()
		for _, e := range SubscriptionEvents(p.Name, customer) {
			if answer, err := p.Deliver(client, d.BaseURL, e); err != nil || answer.Status != want {
				t.Fatalf("%s: %v %d %s", e.ID, err, answer.Status, answer.Body)
			}
		}
	}
	var written strings.Builder // what people are answered
	ask := func(document string, variables map[string]any) {
		t.Helper()
		body := map[string]any{"query": document, "variables": variables}
		answer, err := Do(studio.client, http.MethodPost, d.GraphQLURL, body)
		if err != nil || answer.Status != http.StatusOK && answer.Status != http.StatusUnprocessableEntity {
			t.Fatalf("%s: %v %d %s", document, err, answer.Status, answer.Body)
		}
		written.Write(answer.Body)
	}
	const try = `mutation($i: ID!) { testRevenueSource(id: $i) { accepted status state reason } }`
	const add = `mutation($i: AddRevenueSecretInput!) {
		addRevenueSecret(input: $i) { source { secrets { id lastFour } } } }`
	const remove = `mutation($i: ID!, $s: ID!) { removeRevenueSecret(id: $i, secretId: $s) { secrets { id lastFour } } }`
	for _, p := range studio.ConnectAll(t, app) {
		secrets = append(secrets, p.Secret)
		deliver(p, "before", http.StatusOK)
		ask(try, map[string]any{"i": p.Source})
		// Rotation.
		next, given := p, ""
		if p.Name != "REVENUECAT" {
			given = "whsec_" + base64.StdEncoding.EncodeToString([]byte("the next secret of "+p.Name))
		}
		if next.Secret = studio.AddSecret(p.Source, given); next.Secret == "" {
			next.Secret = given
		}
		secrets = append(secrets, next.Secret)
		time.Sleep(1100 * time.Millisecond) // a server knows of a secret within a second
		deliver(next, "rotated", http.StatusOK)
		var known struct {
			App struct {
				RevenueSources []struct {
					ID      string
					Secrets []struct{ ID string }
				}
			}
		}
		studio.Query(`query($a: ID!) { app(id: $a) { revenueSources { id secrets { id } } } }`,
			map[string]any{"a": app}, &known)
		for _, source := range known.App.RevenueSources {
			if source.ID == p.Source {
				ask(remove, map[string]any{"i": p.Source, "s": source.Secrets[0].ID})
			}
		}
		time.Sleep(1100 * time.Millisecond)
		deliver(p, "after", http.StatusUnauthorized)
		ask(try, map[string]any{"i": p.Source})
		// Input that is wrong.
		for i, wrong := range []string{"short-" + p.Name, "whsec_%%%wrong" + p.Name, strings.Repeat("long"+p.Name, 100)} {
			if p.Name == "SUPERWALL" || i != 1 {
				secrets = append(secrets, wrong)
				ask(add, map[string]any{"i": map[string]any{"id": p.Source, "secret": wrong}})
			}
		}
		ask(add, map[string]any{"i": map[string]any{"id": p.Source + "x", "secret": next.Secret}})
		ask(add, map[string]any{"i": map[string]any{"id": p.Source, "secret": []string{next.Secret}, "of": "another shape"}})
		forged := p
		forged.Secret = "Bearer forged-by-a-stranger-" + p.Name
		secrets = append(secrets, forged.Secret)
		deliver(forged, "forged", http.StatusUnauthorized)
	}
	var endpoint struct {
		CreateWebhookEndpoint struct {
			Secret   string
			Endpoint struct{ ID string }
		}
	}
	studio.Query(`mutation($i: CreateWebhookEndpointInput!) {
			createWebhookEndpoint(input: $i) { secret endpoint { id } } }`,
		map[string]any{"i": map[string]any{
			"appId": app, "environment": "LIVE", "name": "Ours", "url": "https://svc.example/hook",
		}}, &endpoint)
	var rotated struct{ RotateWebhookSecret struct{ Secret string } }
	studio.Query(`mutation($i: WebhookEndpointInput!) { rotateWebhookSecret(input: $i) { secret } }`,
		map[string]any{"i": map[string]any{"id": endpoint.CreateWebhookEndpoint.Endpoint.ID}}, &rotated)
	secrets = append(secrets, endpoint.CreateWebhookEndpoint.Secret, rotated.RotateWebhookSecret.Secret)

	// The key of the server is replaced: the first server can't open secrets any more, and says so without more.
	nextKey := strings.Repeat("the server's next", 2)[:32]
	secrets = append(secrets, nextKey)
	other, address := d.Serve(t, "SVC_SECRET_KEYS=second:"+base64.StdEncoding.EncodeToString([]byte(nextKey))+
		",first:"+base64.StdEncoding.EncodeToString([]byte(key)), "SVC_LOG_LEVEL=debug")
	answer, err := Do(client, http.MethodPost, address+"/v1/webhooks/stripe/x", "{}")
	if err != nil || answer.Status != http.StatusUnauthorized {
		t.Fatalf("%v %d", err, answer.Status)
	}
	ask(`query($a: ID!) { app(id: $a) {
		revenueSources { id path lastError secrets { id lastFour } } unmappedRevenue { nodes { subject personIds } }
		webhookEndpoints(environment: LIVE) { id name url }
	} }`, map[string]any{"a": app})
	ask(`{ viewer { workspaces { nodes { workspace {
		auditLog(first: 100) { nodes { action subject detail } }
	} } } } }`, nil)
	if !strings.Contains(written.String(), "revenue_connection.add_secret") ||
		!strings.Contains(written.String(), "https://svc.example/hook") {
		t.Fatalf("the scenario did not come to its end:\n%s", written.String())
	}
	places := map[string]string{
		"the answers of GraphQL": written.String(), "the log": d.Log(), "another server's log": other.Log(),
	}
	env := []string{"SVC_DATABASE_URL=" + d.DatabaseURL, "SVC_API_URL=" + d.BaseURL, "SVC_API_KEY=" + d.APIKey}
	for name, args := range map[string][]string{
		"the export of events": {"export", "events", "--app", app, "--kind", "all"},
		"the export of people": {"export", "served", "--app", app},
		"a person's export":    {"people", "export", app, "--user", "before"},
		"the list of sources":  {"revenue", "sources", app},
		"a replay":             {"revenue", "replay", "--app", app},
		"the configuration":    {"config", "check"},
	} {
		_, stdout, stderr := Run(t, append(env, settings...), args...)
		if stdout+stderr == "" && name != "the export of events" && name != "the export of people" {
			t.Errorf("%s is empty", name)
		}
		places[name] = stdout + stderr
	}
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `
		select format('%I.%I', schemaname, tablename) from pg_tables
		where schemaname not in ('pg_catalog', 'information_schema') order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		var text string
		if err := conn.QueryRow(
			ctx, `select coalesce(string_agg(to_jsonb(t)::text, e'\n'), '') from `+name+` t`,
		).Scan(&text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		places["the table "+name] = text
	}
	for name, text := range places {
		for _, secret := range secrets {
			bare := strings.TrimPrefix(strings.TrimPrefix(secret, "Bearer "), "whsec_")
			for _, form := range []string{
				bare, hex.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(bare)),
				base64.StdEncoding.EncodeToString([]byte(secret)),
			} {
				if strings.Contains(text, form) {
					t.Errorf("%s has the secret %q", name, secret)
				}
			}
		}
	}
	if len(names) < 50 || len(secrets) < 15 {
		t.Errorf("%d tables, %d secrets: %s", len(names), len(secrets), fmt.Sprint(names))
	}
}
