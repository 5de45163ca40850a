package postgres_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// native returns a database with native partitions, whatever the variant of the run.
func native(t *testing.T) *postgres.DB {
	t.Helper()
	if pgtest.Capabilities(t).TimescaleDB == "" {
		return pgtest.New(t)
	}
	db := open(t, pgtest.EmptyURL(t))
	if err := postgres.Migrate(
		context.Background(), db, postgres.MigrateOptions{Logger: quiet, WithoutTimescale: true},
	); err != nil {
		t.Fatal(err)
	}
	return db
}

func insertEvent(t *testing.T, db *postgres.DB, id string, at time.Time) {
	t.Helper()
	exec(
		t, db,
		`insert into product_event (environment_id, occurred_at, event_id, event_key, received_at)
			values (1, $1, $2, gen_random_uuid(), now())`,
		at, id,
	)
}

// home returns the partition that holds the event. On a cluster it is in one of its shards, which have numbers behind.
func home(t *testing.T, db *postgres.DB, id string) string {
	t.Helper()
	return strings.Join(query[string](t, db, `
		select regexp_replace(tableoid::regclass::text, '^(product_event_(\d{6}|default))_\d+$', '\1')
		from product_event where event_id = $1`, id), ",")
}

func partitionOf(at time.Time) string { return "product_event_" + at.UTC().Format("200601") }

func TestCurrentMonthsHavePartitions(t *testing.T) {
	db := native(t)
	now := time.Now().UTC()
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	for offset := -1; offset <= 2; offset++ {
		at := first.AddDate(0, offset, 0)
		insertEvent(t, db, "start", at)
		insertEvent(t, db, "end", at.AddDate(0, 1, 0).Add(-time.Microsecond))
		for _, id := range []string{"start", "end"} {
			if got := home(t, db, id); got != partitionOf(at) {
				t.Errorf("the %s of %s is in %s", id, at.Format("2006-01"), got)
			}
		}
		exec(t, db, `delete from product_event`)
	}
}

func TestPartitionsAreMadeForLateEvents(t *testing.T) {
	ctx := context.Background()
	db := native(t)
	late := time.Now().UTC().AddDate(-1, 0, 0)
	if err := db.EnsurePartitions(ctx, slices.Values([]time.Time{late, late.AddDate(0, -3, 0), late})); err != nil {
		t.Fatal(err)
	}
	insertEvent(t, db, "late", late)
	if got := home(t, db, "late"); got != partitionOf(late) {
		t.Errorf("the late event is in %s, want %s", got, partitionOf(late))
	}
	// The indexes of the parent come with the partition.
	if n := query[int](
		t, db, `select count(*) from pg_index where indrelid = $1::text::regclass`, partitionOf(late),
	); n[0] != 5 {
		t.Errorf("the new partition has %d indexes, want 5", n[0])
	}
}

func TestEventsWithoutPartitionAreKeptAndMovedLater(t *testing.T) {
	ctx := context.Background()
	db := native(t)
	late := time.Now().UTC().AddDate(0, -8, 0)
	insertEvent(t, db, "early bird", late)
	if got := home(t, db, "early bird"); got != "product_event_default" {
		t.Fatalf("without a partition the event is in %s", got)
	}
	if err := db.EnsurePartitions(ctx, slices.Values([]time.Time{late})); err != nil {
		t.Fatal(err)
	}
	if got := home(t, db, "early bird"); got != partitionOf(late) {
		t.Errorf("the event is in %s, want %s", got, partitionOf(late))
	}
}

func TestWildTimesMakeNoPartitions(t *testing.T) {
	ctx := context.Background()
	db := native(t)
	before := query[int](t, db, `select count(*) from pg_inherits`)[0]
	wild := []time.Time{time.Now().AddDate(10, 0, 0), time.Now().AddDate(-10, 0, 0), time.Unix(0, 0), {}}
	if err := db.EnsurePartitions(ctx, slices.Values(wild)); err != nil {
		t.Fatal(err)
	}
	if after := query[int](t, db, `select count(*) from pg_inherits`)[0]; after != before {
		t.Errorf("%d partitions were made", after-before)
	}
	insertEvent(t, db, "future", wild[0])
	if got := home(t, db, "future"); got != "product_event_default" {
		t.Errorf("the event of a wrong clock is in %s", got)
	}
}

// Writers insert while several servers make the same partitions: nothing fails, nothing is lost, nothing stays behind.
func TestPartitionsAreMadeUnderLoad(t *testing.T) {
	ctx := context.Background()
	first := native(t)
	url := first.Pool.Config().ConnString()
	at := time.Now().UTC().AddDate(0, -6, 0)
	const servers, rounds = 3, 40
	var wait sync.WaitGroup
	for server := range servers {
		db := open(t, url)
		wait.Go(func() {
			for i := range rounds {
				if i == rounds/2 {
					if err := db.EnsurePartitions(ctx, slices.Values([]time.Time{at})); err != nil {
						t.Errorf("server %d: %v", server, err)
					}
				}
				if _, err := db.Pool.Exec(
					ctx,
					`insert into product_event (environment_id, occurred_at, event_key, received_at)
						values (1, $1, gen_random_uuid(), now())`,
					at,
				); err != nil {
					t.Errorf("server %d: %v", server, err)
				}
			}
		})
	}
	wait.Wait()
	if n := query[int](t, first, `select count(*) from `+partitionOf(at)); n[0] != servers*rounds {
		t.Errorf("%d events are in their partition, want %d", n[0], servers*rounds)
	}
}

func TestExpiredPartitionsAreDropped(t *testing.T) {
	ctx := context.Background()
	db := native(t)
	now := time.Now().UTC()
	expired, kept, stray := now.AddDate(0, -5, 0), now.AddDate(0, -1, 0), now.AddDate(-8, 0, 0)
	if err := db.EnsurePartitions(ctx, slices.Values([]time.Time{expired, kept})); err != nil {
		t.Fatal(err)
	}
	insertEvent(t, db, "expired", expired)
	insertEvent(t, db, "kept", kept)
	insertEvent(t, db, "stray", stray) // in the default partition
	if expired, err := openKeeping(
		t, db.Pool.Config().ConnString(), -1,
	).RemoveExpiredEvents(ctx, now); err != nil || expired.Rows != 0 || expired.Partitions != nil {
		t.Fatalf("with unlimited retention %+v was removed (%v)", expired, err)
	}
	keeping := openKeeping(t, db.Pool.Config().ConnString(), 90*24*time.Hour)
	if err := keeping.EnsurePartitions(ctx, slices.Values([]time.Time{expired})); err != nil {
		t.Fatal(err)
	}
	removed, err := keeping.RemoveExpiredEvents(ctx, now)
	if err != nil {
		t.Fatal(err)
	}
	if removed.Rows != 1 || removed.More || !slices.Contains(removed.Partitions, partitionOf(expired)) {
		t.Errorf("removed: %+v", removed)
	}
	if left := query[string](t, db, `select event_id from product_event`); strings.Join(left, ",") != "kept" {
		t.Errorf("left are %v, want kept", left)
	}
	if gone := query[bool](t, db, `select to_regclass($1) is null`, partitionOf(expired)); !gone[0] {
		t.Error("the expired partition is still there")
	}
	// An event of a month that was dropped has no partition of its own any more,
	// and with a longer retention it gets one again.
	for retention, want := range map[time.Duration]string{
		90 * 24 * time.Hour: "product_event_default", 0: partitionOf(expired),
	} {
		if err := openKeeping(
			t, db.Pool.Config().ConnString(), retention,
		).EnsurePartitions(ctx, slices.Values([]time.Time{expired})); err != nil {
			t.Fatal(err)
		}
		insertEvent(t, db, "again", expired)
		if got := home(t, db, "again"); got != want {
			t.Errorf("with a retention of %v the event of a dropped month is in %s, want %s", retention, got, want)
		}
		exec(t, db, `delete from product_event where event_id = 'again'; drop table if exists `+partitionOf(expired))
	}
}

// A month that was dropped is made again when an event needs it.
func TestDroppedMonthsAreForgotten(t *testing.T) {
	ctx := context.Background()
	db := native(t)
	at := time.Now().UTC().AddDate(0, -5, 0)
	ensure := func() {
		t.Helper()
		if err := db.EnsurePartitions(ctx, slices.Values([]time.Time{at})); err != nil {
			t.Fatal(err)
		}
	}
	ensure()
	if removed, err := db.RemoveExpiredEvents(ctx, at.AddDate(6, 0, 0)); err != nil || !slices.Contains(
		removed.Partitions, partitionOf(at),
	) {
		t.Fatalf("removed %+v (%v)", removed, err)
	}
	ensure()
	insertEvent(t, db, "again", at)
	if got := home(t, db, "again"); got != partitionOf(at) {
		t.Errorf("the event of a dropped month is in %s", got)
	}
}

// While somebody reads a month for long, dropping it gives up soon: writers wait
// behind it.
func TestDroppingAPartitionWaitsForNobody(t *testing.T) {
	ctx := context.Background()
	db := native(t)
	tx, err := db.Pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, `select count(*) from product_event`); err != nil {
		t.Fatal(err)
	}
	_, err = db.RemoveExpiredEvents(ctx, time.Now().AddDate(7, 0, 0))
	if err == nil || !strings.Contains(err.Error(), "55P03") {
		t.Errorf("while it is read: %v, want lock_not_available", err)
	}
}
