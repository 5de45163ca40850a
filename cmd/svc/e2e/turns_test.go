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
	tx, waiting := lockAuditLog(t, d)
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
		sendOne(t, d, address, fmt.Sprint("turns", i))
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

// The fields of one operation are worked on at once, and take no more connections than its caller may have: queries of
// others, with another key of the same workspace too, and events of apps have theirs.
func TestManyFieldsLeaveConnectionsToOthers(t *testing.T) {
	const atOnce, fields = 8, 60
	d := StartDev(t, nil, "--demo=none")
	_, address := d.Serve(t, "SVC_RATE_LIMIT_ADDRESS=0", "SVC_RATE_LIMIT_KEY=0", "SVC_DATABASE_CONNECTIONS=20")
	workspace, greedy := workspaceKey(t, d, "AUDIT_READ")
	_, other := workspaceKey(t, d, "AUDIT_READ")
	admin := d.SignIn(t, address)
	tx, waiting := lockAuditLog(t, d)
	answered := make(chan error, 1)
	go func() {
		answered <- Ask(&http.Client{Timeout: time.Minute}, address+"/graphql",
			"query($w: ID!) { "+numbered(fields, "a%d: workspace(id: $w) { auditLog(first: 1) { nodes { action } } } ")+"}",
			map[string]any{"w": workspace}, nil, "Authorization", "Bearer "+greedy)
	}()
	Until(t, time.Minute, "fields wait for the lock", func() error {
		if n := waiting(); n < atOnce {
			return fmt.Errorf("%d wait", n)
		}
		return nil
	})
	for i := range 10 {
		began := time.Now()
		admin.Query(`query($w: ID!) { workspace(id: $w) { name members(first: 5) { nodes { role } } } }`,
			map[string]any{"w": workspace}, nil)
		if err := Ask(http.DefaultClient, address+"/graphql", `query($w: ID!) { workspace(id: $w) { name } }`,
			map[string]any{"w": workspace}, nil, "Authorization", "Bearer "+other); err != nil {
			t.Errorf("query %d with another key: %v", i, err)
		}
		sendOne(t, d, address, fmt.Sprint("fields", i))
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("others were answered after %s", took)
		}
		if n := waiting(); n > atOnce {
			t.Fatalf("%d fields of one caller have connections", n)
		}
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Errorf("once the lock is gone: %v", err)
	}
}

// lockAuditLog keeps queries of the audit log waiting, for ten seconds or until the transaction ends, and returns what
// counts those that wait.
func lockAuditLog(t *testing.T, d *Dev) (tx pgx.Tx, waiting func() int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	if tx, err = conn.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Queries of the audit log end when the server gives up waiting for the lock, after ten seconds.
	if _, err := tx.Exec(t.Context(), `lock table audit_entries in access exclusive mode`); err != nil {
		t.Fatal(err)
	}
	return tx, func() (n int) {
		if err := tx.QueryRow(t.Context(), `select count(*) from pg_locks
			where not granted and relation = 'audit_entries'::regclass`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// sendOne sends an event, which must be stored.
func sendOne(t *testing.T, d *Dev, address, user string) {
	t.Helper()
	answer, err := Do(http.DefaultClient, http.MethodPost, address+"/v1/sdk/track", map[string]any{
		"events": []any{map[string]any{
			"eventId": uuid.NewString(), "name": "sign_up", "timestamp": time.Now().UTC().Format(time.RFC3339),
			"identity": map[string]any{"appUserId": user},
		}},
	}, "Authorization", "Bearer "+d.Apps[0].Environments["live"].PublishableKey)
	if err != nil || answer.Status != http.StatusOK || !strings.Contains(string(answer.Body), `"rejected":[]`) {
		t.Errorf("event of %s: %v %d %s", user, err, answer.Status, answer.Body)
	}
}
