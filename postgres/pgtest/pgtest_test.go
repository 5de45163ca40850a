package pgtest_test

import (
	"context"
	"testing"

	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestEachTestHasItsOwnMigratedDatabase(t *testing.T) {
	ctx := context.Background()
	first, second := pgtest.New(t), pgtest.New(t)
	if _, err := first.Pool.Exec(ctx, `insert into track_event (environment_id, occurred_at, event_key, received_at)
		values (1, now(), gen_random_uuid(), now())`); err != nil {
		t.Fatal(err)
	}
	for db, want := range map[string]int{"first": 1, "second": 0} {
		var got int
		pool := first.Pool
		if db == "second" {
			pool = second.Pool
		}
		if err := pool.QueryRow(ctx, `select count(*) from track_event`).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s database has %d events, want %d", db, got, want)
		}
	}
}
