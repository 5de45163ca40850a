package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestMaintenanceOfSeveralServers kills the server that leads the maintenance, and stops
// one whose sweep waits for a lock.
func TestMaintenanceOfSeveralServers(t *testing.T) {
	t.Parallel()
	d := StartDev(t, nil, "--demo=none")
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	value := func(sql string) (n int) {
		t.Helper()
		if err := conn.QueryRow(ctx, sql).Scan(&n); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return n
	}
	expire := func() {
		t.Helper()
		_, err := conn.Exec(ctx, `
			insert into event_seen (environment_id, path, event_key, seen_at)
			select 1, 1, gen_random_uuid(), now() - interval '9 days' from generate_series(1, 12000)`)
		if err != nil {
			t.Fatal(err)
		}
	}
	swept := func() error {
		if left := value(`select count(*) from event_seen where seen_at < now() - interval '8 days'`); left > 0 {
			return fmt.Errorf("%d expired keys are left", left)
		}
		return nil
	}
	// makeLeader cuts leaders off until the server has the lead. A leader whose
	// connection ends stands back for some seconds.
	makeLeader := func(p *Process) {
		t.Helper()
		metrics := admin(t, p) + "/metrics"
		Until(t, 2*time.Minute, "the server leads", func() error {
			if strings.Contains(string(get(t, metrics).Body), "svc_upkeep_leader 1") {
				return nil
			}
			_, err := conn.Exec(ctx, `
				select pg_terminate_backend(pid, 10000) from pg_stat_activity
				where datname = current_database() and application_name = 'svc maintenance'`)
			return errors.Join(err, errors.New("another leads"))
		})
	}
	const leader = `select coalesce(max(pid), 0) from pg_stat_activity
		where datname = current_database() and application_name = 'svc maintenance'`

	// The server of `svc dev` came first and leads.
	first := value(leader)
	if first == 0 {
		t.Fatal("nobody leads")
	}
	expire()
	Until(t, time.Minute, "the first leader sweeps", swept)
	one, _ := d.Serve(t, "SVC_ADMIN_ADDR=127.0.0.1:0")
	if metric := get(t, admin(t, one)+"/metrics"); !strings.Contains(string(metric.Body), "svc_upkeep_leader 0") {
		t.Error("the second server does not say that it doesn't lead")
	}
	if _, err := conn.Exec(ctx, `select pg_terminate_backend($1::int, 10000)`, first); err != nil {
		t.Fatal(err)
	}
	Until(t, time.Minute, "somebody leads again", func() error {
		if now := value(leader); now == 0 || now == first {
			return fmt.Errorf("leader %d", now)
		}
		return nil
	})
	expire()
	Until(t, time.Minute, "the next leader sweeps", swept)

	makeLeader(one)
	one.Kill()
	expire()
	Until(t, time.Minute, "another server takes over and sweeps", swept)

	two, address := d.Serve(t, "SVC_ADMIN_ADDR=127.0.0.1:0")
	makeLeader(two)
	sendEvents(t, address, d.Apps[0].Environments["live"].PublishableKey)
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, `lock table event_seen in access exclusive mode`); err != nil {
		t.Fatal(err)
	}
	Until(t, time.Minute, "the sweep waits", func() error {
		if value(`select count(*) from pg_locks where not granted and relation = 'event_seen'::regclass`) == 0 {
			return errors.New("nobody waits")
		}
		return nil
	})
	two.Signal(syscall.SIGTERM)
	ended := make(chan int, 1)
	go func() { ended <- two.Wait() }()
	select {
	case exit := <-ended:
		if exit != 0 {
			t.Errorf("exit code %d:\n%s", exit, two.Log())
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the server waits for its sweep")
	}
	if strings.Contains(two.Log(), "queue was empty") {
		t.Errorf("the log speaks of a queue:\n%s", two.Log())
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if n := value(`select coalesce(sum(accepted), 0)::int from ingest_stat`); n != 2 {
		t.Errorf("%d events are counted, want 2", n)
	}
}

func sendEvents(t *testing.T, address, key string) {
	t.Helper()
	answer, err := Do(Browser(), "POST", address+"/v1/sdk/analytics/events",
		map[string]any{
			"events": []event{newEvent("maintenance-1", "s"), newEvent("maintenance-2", "s")},
		}, "Authorization", "Bearer "+key)
	if err != nil || answer.Status != 200 {
		t.Fatalf("send: %d %s %v", answer.Status, answer.Body, err)
	}
}
