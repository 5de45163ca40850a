package served

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/packed"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// mergeAll merges as if all days were over.
func mergeAll(t testing.TB, db *postgres.DB) (merges int) {
	t.Helper()
	_, err := db.Pool.Exec(context.Background(), `
		update experiment_served_packed set day = day - 10000; update experiment_served_count set day = day - 10000`)
	require.NoError(t, err)
	for {
		merged, err := Merge(context.Background(), db.Pool)
		require.NoError(t, err)
		if !merged {
			break
		}
		merges++
	}
	_, err = db.Pool.Exec(context.Background(), `
		update experiment_served_packed set day = day + 10000; update experiment_served_count set day = day + 10000`)
	require.NoError(t, err)
	return merges
}

func counts(t testing.TB, db *postgres.DB) []int {
	t.Helper()
	all, err := Count(context.Background(), db.Pool, 7, uuid.UUID{1}, 3)
	require.NoError(t, err)
	for _, atOnce := range []int64{30, 1000} {
		some, err := countPeople(context.Background(), db.Pool, 7, uuid.UUID{1}, 3, atOnce)
		require.NoError(t, err)
		require.Equal(t, all, some, "in parts")
	}
	return all
}

// Servers that know nothing of each other append the same people, under several days. Before, between and after merges
// the count is the same.
func TestMergingChangesNoCount(t *testing.T) {
	db, at, ctx := pgtest.New(t), &clock{}, context.Background()
	for server := range 40 {
		at.set(fmt.Sprintf("2026-03-%02d 12:00:00", 1+server%3))
		c := New(db.Pool, Options{Now: at.now, Logger: quiet})
		for i := range 50 {
			c.Note(newArm(i%2), fmt.Sprint("person ", i+server))
		}
		require.NoError(t, c.Write(ctx))
	}
	want := []int{0, 0, 0}
	seen := map[string]bool{}
	for server := range 40 {
		for i := range 50 {
			if id := fmt.Sprint(i%2, " person ", i+server); !seen[id] {
				seen[id] = true
				want[i%2]++
			}
		}
	}
	require.Equal(t, want, counts(t, db))
	require.Equal(t, 40*2, number(t, db, `select count(*) from experiment_served_packed`))
	first := `select count(*) from experiment_served where day = '2026-03-01'`
	before := number(t, db, first)

	// A merge that is cut off leaves all as it was.
	tx, err := db.Pool.Begin(ctx)
	require.NoError(t, err)
	require.NoError(t, mergeArm(ctx, tx, pageOf(t, tx), arm{uuid.UUID{1}, 0}))
	require.NoError(t, tx.Rollback(ctx))
	require.Equal(t, want, counts(t, db))
	require.Equal(t, 40*2, number(t, db, `select count(*) from experiment_served_packed`))

	require.Equal(t, 3*2, mergeAll(t, db))
	require.Equal(t, want, counts(t, db))
	require.Equal(t, before, number(t, db, first), "the first day stays")
	require.Equal(t, 3*2, number(t, db, `select count(*) from experiment_served_packed`))
	require.Equal(t, number(t, db, `select sum(octet_length(people)) / 16 from experiment_served_packed`),
		number(t, db, `select sum(people) from experiment_served_count`))
	require.Zero(t, mergeAll(t, db), "again")

	// Late rows of the same people, twice.
	_, err = db.Pool.Exec(ctx, `
		insert into experiment_served_packed (environment_id, experiment_id, day, arm, people)
		select environment_id, experiment_id, day, arm, people || people from experiment_served_packed, generate_series(1, 2);
		update experiment_served_count c set people = people + 4 * (select sum(octet_length(p.people)) / 16 / 5
			from experiment_served_packed p where p.day = c.day)`)
	require.NoError(t, err)
	require.Equal(t, want, counts(t, db))
	require.Equal(t, 3*2, mergeAll(t, db))
	require.Equal(t, want, counts(t, db))
	require.Equal(t, number(t, db, `select sum(octet_length(people)) / 16 from experiment_served_packed`),
		number(t, db, `select sum(people) from experiment_served_count`))
}

// pageOf returns the page of the first row.
func pageOf(t testing.TB, tx pgx.Tx) (p page) {
	t.Helper()
	require.NoError(t, tx.QueryRow(context.Background(), `select environment_id, day - '1970-01-01'::date
		from experiment_served_packed order by id limit 1`).Scan(&p.environment, &p.day))
	return p
}

// Rows of today are merged once there are many, by several at once, while people come and one of them is erased.
func TestMergingWhilePeopleCome(t *testing.T) {
	db, ctx := pgtest.New(t), context.Background()
	const people, writes = 2000, 100
	gone := privacy.Person("person 3")
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			c := New(db.Pool, Options{Logger: quiet})
			for i := range people {
				c.Note(newArm(0), fmt.Sprint("person ", i))
				if i%(people/writes) == 0 && c.Write(ctx) != nil {
					t.Error("can't write")
				}
			}
			if c.Write(ctx) != nil {
				t.Error("can't write")
			}
		})
	}
	for range 2 {
		workers.Go(func() {
			for range writes {
				if _, err := Merge(ctx, db.Pool); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	require.Equal(t, []int{people, 0, 0}, counts(t, db))
	_, err := db.Pool.Exec(ctx, `insert into erased_person (environment_id, person, erased_at) values (7, $1, now())`, gone)
	require.NoError(t, err)
	late := New(db.Pool, Options{Logger: quiet})
	late.Note(newArm(0), "person 3")
	late.Note(newArm(0), "last")
	require.NoError(t, late.Write(ctx))
	mergeAll(t, db)
	require.Equal(t, []int{people + 1 - 1, 0, 0}, counts(t, db), "a merge leaves out who is erased")
	require.Zero(t, number(t, db, peopleSQL+` where person = $1`, gone))
	require.Equal(t, 1, number(t, db, `select count(*) from experiment_served_packed`))
	require.Equal(t, people+1, number(t, db, `select sum(people) from experiment_served_count`), "who was noted that day")
}

// Full rows are left alone, the rest fills one.
func TestMergingFillsRows(t *testing.T) {
	db, ctx := pgtest.New(t), context.Background()
	_, err := db.Pool.Exec(ctx, `
		insert into experiment_served_packed (environment_id, experiment_id, day, arm, people)
		select 7, '01000000-0000-0000-0000-000000000000', '2026-03-01', 0, string_agg(uuid_send(gen_random_uuid()), '')
		from generate_series(0, $1 * 5 / 2 - 1) i group by i / ($1 / 2)`, packed.MaxPeople)
	require.NoError(t, err)
	_, err = db.Pool.Exec(ctx, `
		insert into experiment_served_packed (environment_id, experiment_id, day, arm, people)
		select 7, '01000000-0000-0000-0000-000000000000', '2026-03-01', 0, string_agg(uuid_send(gen_random_uuid()), '')
		from generate_series(1, $1)`, packed.MaxPeople)
	require.NoError(t, err)
	const sizes = `select string_agg((octet_length(people) / 16)::text, ' ' order by octet_length(people), id)
		from experiment_served_packed where merged`
	mergeAll(t, db)
	var got string
	require.NoError(t, db.Pool.QueryRow(ctx, sizes).Scan(&got))
	require.Equal(t, strings.Join([]string{"32768", "65536", "65536", "65536"}, " "), got)
	all, err := Count(ctx, db.Pool, 7, uuid.UUID{1}, 1)
	require.NoError(t, err)
	require.Equal(t, []int{packed.MaxPeople * 7 / 2}, all)
}

// What was cut off of a row, which the table refuses, is nobody; the rest counts, and a merge repairs it.
func TestADamagedRowIsReadAsFarAsItGoes(t *testing.T) {
	db, ctx := pgtest.New(t), context.Background()
	const damaged = `insert into experiment_served_packed (environment_id, experiment_id, day, arm, people)
		values (7, '01000000-0000-0000-0000-000000000000', '2026-03-01', 0,
			uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || 'x')`
	_, err := db.Pool.Exec(ctx, damaged)
	require.ErrorContains(t, err, "experiment_served_packed_people_check")
	_, err = db.Pool.Exec(ctx, `alter table experiment_served_packed drop constraint experiment_served_packed_people_check`)
	require.NoError(t, err)
	_, err = db.Pool.Exec(ctx, damaged)
	require.NoError(t, err)
	require.Equal(t, []int{2, 0, 0}, counts(t, db))
	require.Equal(t, 2, number(t, db, peopleSQL))
	require.Equal(t, 1, mergeAll(t, db))
	require.Equal(t, []int{2, 0, 0}, counts(t, db))
	require.Equal(t, 32, number(t, db, `select octet_length(people) from experiment_served_packed`))
}
