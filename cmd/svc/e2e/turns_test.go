package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Whoever asks much at once takes a part of the database's connections: the others wait in line, and queries of others
// and the events of apps do not.
func TestOneCallerLeavesConnectionsToOthers(t *testing.T) {
	const atOnce, asked = 8, 60
	d := StartDev(t, nil, "--demo=none")
	_, address := d.Serve(t, "SVC_RATE_LIMIT_ADDRESS=0", "SVC_RATE_LIMIT_KEY=0", "SVC_DATABASE_CONNECTIONS=20")
	workspace, greedy := workspaceKey(t, d, "AUDIT_READ")
	_, other := workspaceKey(t, d, "MEDIA_MANAGE")
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Queries of the audit log end when the server gives up waiting for the lock, after ten seconds.
	if _, err := tx.Exec(t.Context(), `lock table audit_entries in access exclusive mode`); err != nil {
		t.Fatal(err)
	}
	waiting := func() (n int) {
		if err := tx.QueryRow(t.Context(), `select count(*) from pg_locks
			where not granted and relation = 'audit_entries'::regclass`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	answers := make(chan error, asked)
	for range asked {
		go func() {
			answers <- Ask(&http.Client{Timeout: time.Minute}, address+"/graphql",
				`query($w: ID!) { workspace(id: $w) { auditLog(first: 1) { nodes { action } } } }`,
				map[string]any{"w": workspace}, nil, "Authorization", "Bearer "+greedy)
		}()
	}
	Until(t, time.Minute, "queries wait for the lock", func() error {
		if n := waiting(); n < atOnce {
			return fmt.Errorf("%d wait", n)
		}
		return nil
	})
	for i := range 20 {
		if err := Ask(http.DefaultClient, address+"/graphql", `query($w: ID!) { workspace(id: $w) { name } }`,
			map[string]any{"w": workspace}, nil, "Authorization", "Bearer "+other); err != nil {
			t.Errorf("query %d of another caller: %v", i, err)
		}
		answer, err := Do(http.DefaultClient, http.MethodPost, address+"/v1/sdk/track", map[string]any{
			"events": []any{map[string]any{
				"eventId": uuid.NewString(), "name": "sign_up", "timestamp": time.Now().UTC().Format(time.RFC3339),
				"identity": map[string]any{"appUserId": "turns"},
			}},
		}, "Authorization", "Bearer "+d.Apps[0].Environments["live"].PublishableKey)
		if err != nil || answer.Status != http.StatusOK || !strings.Contains(string(answer.Body), `"rejected":[]`) {
			t.Errorf("event %d: %v %d %s", i, err, answer.Status, answer.Body)
		}
		if n := waiting(); n > atOnce {
			t.Fatalf("%d queries of one caller have connections", n)
		}
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range asked { // those that waited in line are answered, whatever became of the first
		<-answers
	}
	if err := Ask(http.DefaultClient, address+"/graphql",
		`query($w: ID!) { workspace(id: $w) { auditLog(first: 1) { nodes { action } } } }`,
		map[string]any{"w": workspace}, nil, "Authorization", "Bearer "+greedy); err != nil {
		t.Errorf("once the line is gone: %v", err)
	}
}
