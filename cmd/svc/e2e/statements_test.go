package e2e

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// stopHere is the function of a trigger that waits for whoever holds a lock; stoppedHere is who waits.
const (
	stopHere = `create function stop_here() returns trigger language plpgsql as $$ begin
		perform pg_advisory_xact_lock_shared(4711); return coalesce(new, old); end $$`
	stoppedHere = ` from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`
)

// database opens a connection to the database of d until the test ends, and returns what runs a statement on it.
func database(t testing.TB, d *Dev) (conn *pgx.Conn, exec func(sql string, args ...any)) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn, func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}
