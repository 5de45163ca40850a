package served

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/internal/packed"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var quiet = slog.New(slog.DiscardHandler)

// clock is a time that tests move.
type clock struct{ unix atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(c.unix.Load(), 0) }
func (c *clock) set(at string)  { t, _ := time.Parse(time.DateTime, at); c.unix.Store(t.Unix()) }
func newArm(position int) *delivery.Arm {
	return &delivery.Arm{EnvironmentID: 7, ExperimentID: uuid.UUID{1}, Position: position}
}

func number(t testing.TB, db *postgres.DB, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

const peopleSQL = `select count(*) from experiment_served`

func TestPeopleAreCountedOnceAnArm(t *testing.T) {
	db, at := pgtest.New(t), &clock{}
	at.set("2026-03-01 23:59:59")
	c := New(db.Pool, Options{Now: at.now, Logger: quiet})
	write := func() { t.Helper(); require.NoError(t, c.Write(context.Background())) }
	control, treatment := newArm(0), newArm(1)
	c.Note(control, "ada")
	c.Note(control, "ada")
	c.Note(control, "ben")
	write()
	at.set("2026-03-02 00:00:00")
	write()
	c.Note(control, "ada")
	c.Note(treatment, "ada") // an id that moved between experiments' salts can't, but the table takes it
	c.Note(treatment, "")
	write()
	write()
	require.Equal(t, 4, number(t, db, peopleSQL))
	require.Equal(t, 2, number(t, db, peopleSQL+` where day = '2026-03-01' and arm = 0`), "the first day stays")
	require.Equal(t, 1, number(t, db, peopleSQL+` where environment_id = 7 and experiment_id = $1 and arm = 1
		and person = encode(substring(sha256('ada') for 16), 'hex')::uuid`, uuid.UUID{1}))
	require.Equal(t, 4, number(t, db, `select sum(people) from experiment_served_count where left_out = 0`))
}

// Servers note the same people at once, in their own orders, and forget some: each is one row.
func TestServersCountTogether(t *testing.T) {
	db := pgtest.New(t)
	var counters []*Counter
	for range 2 {
		c := New(db.Pool, Options{Logger: quiet})
		require.NoError(t, c.Start(context.Background()))
		counters = append(counters, c)
	}
	const people, arms = 500, 3
	var requests sync.WaitGroup
	for worker := range 8 {
		requests.Go(func() {
			for _, i := range rand.Perm(people * arms) {
				counters[worker%2].Note(newArm(i%arms), fmt.Sprint("person ", i/arms))
			}
		})
	}
	requests.Wait()
	for _, c := range counters {
		require.NoError(t, c.Stop(context.Background()))
	}
	require.Equal(t, people*arms, number(t, db, peopleSQL))
	mergeAll(t, db)
	require.Equal(t, people*arms, number(t, db, peopleSQL))
	require.Equal(t, people*arms, number(t, db, `select sum(octet_length(people)) / 16 from experiment_served_packed`))
	require.Equal(t, people*arms, number(t, db, `select sum(people) from experiment_served_count where left_out = 0`))
}

func TestStrangersMakeNoMorePeopleADay(t *testing.T) {
	db, at := pgtest.New(t), &clock{}
	at.set("2026-03-01 12:00:00")
	one, two := New(db.Pool, Options{PeoplePerDay: 10, Now: at.now}), New(db.Pool, Options{PeoplePerDay: 10, Now: at.now})
	for i := range 7 {
		one.Note(newArm(0), fmt.Sprint("one ", i))
		two.Note(newArm(0), fmt.Sprint("two ", i))
	}
	require.NoError(t, one.Write(context.Background()))
	require.NoError(t, two.Write(context.Background()))
	require.Equal(t, 10, number(t, db, peopleSQL))
	for range 3 { // a person who was left out counts so once
		for i := range 5 {
			two.Note(newArm(0), fmt.Sprint("more ", i))
		}
	}
	two.Note(&delivery.Arm{EnvironmentID: 8, ExperimentID: uuid.UUID{2}}, "a neighbour")
	require.NoError(t, two.Write(context.Background()))
	require.Equal(t, 10, number(t, db, peopleSQL+` where environment_id = 7`))
	require.Equal(t, 1, number(t, db, peopleSQL+` where environment_id = 8`))
	require.Equal(t, 4+5, number(t, db, `select left_out from experiment_served_count where environment_id = 7`))

	at.set("2026-03-02 12:00:00")
	require.NoError(t, two.Write(context.Background()))
	two.Note(newArm(0), "more 0")
	require.NoError(t, two.Write(context.Background()))
	require.Equal(t, 11, number(t, db, peopleSQL+` where environment_id = 7`), "another day has room")
}

func TestPeopleWaitForTheDatabase(t *testing.T) {
	db := pgtest.New(t)
	c := New(db.Pool, Options{Logger: quiet})
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for i := range 1000 {
		c.Note(newArm(0), fmt.Sprint(i))
		if i%100 == 0 {
			require.Error(t, c.Write(gone))
		}
	}
	// An environment whose people are invented leaves room for the others'.
	for i := range packed.MaxWaitingOwner + 5000 {
		c.Note(&delivery.Arm{EnvironmentID: 8, ExperimentID: uuid.UUID{2}}, fmt.Sprint(i))
	}
	// Those for whom there was no room come again and again, and count as left out once. Some few share a place in memory
	// and forget each other.
	for range 20 {
		for i := range 5000 {
			c.Note(&delivery.Arm{EnvironmentID: 8, ExperimentID: uuid.UUID{2}}, fmt.Sprint(packed.MaxWaitingOwner+i))
		}
	}
	var again int64
	c.View(func(waiting map[page]*packed.Waiting[arm]) { again = waiting[page{8, c.day()}].LeftOut - 5000 })
	require.Less(t, again, int64(3000), "of 100,000 that would be counted otherwise")
	require.Error(t, c.Write(gone))
	require.Equal(t, 1000+packed.MaxWaitingOwner, c.People())
	c.Note(newArm(1), "late")
	require.NoError(t, c.Write(context.Background()))
	require.Zero(t, c.People())
	require.Equal(t, 1001, number(t, db, peopleSQL+` where environment_id = 7`))
	require.Equal(t, packed.MaxWaitingOwner, number(t, db, peopleSQL+` where environment_id = 8`))
	require.Equal(t, 5000+int(again), number(t, db, `select left_out from experiment_served_count
		where environment_id = 8`))
	// Whoever was left out because the database was away is noted when they come again.
	c.Note(&delivery.Arm{EnvironmentID: 8, ExperimentID: uuid.UUID{2}}, fmt.Sprint(packed.MaxWaitingOwner+1))
	require.NoError(t, c.Write(context.Background()))
	require.Equal(t, packed.MaxWaitingOwner+1, number(t, db, peopleSQL+` where environment_id = 8`))
}

// TestBytesOfAPerson prints what a million people cost. SVC_TEST_MEASURE=1 runs it.
func TestBytesOfAPerson(t *testing.T) {
	if os.Getenv("SVC_TEST_MEASURE") == "" {
		t.Skip("it measures; SVC_TEST_MEASURE=1 runs it")
	}
	db := pgtest.New(t)
	c := New(db.Pool, Options{Logger: quiet})
	const people = 1_000_000
	began, slowest, database := time.Now(), time.Duration(0), backendTime(t, db)
	for i := range people {
		c.Note(newArm(i%2), uuid.NewString())
		if i%10_000 == 9_999 {
			at := time.Now()
			require.NoError(t, c.Write(context.Background()))
			slowest = max(slowest, time.Since(at))
		}
	}
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	used := usage.Utime.Nano() + usage.Stime.Nano()
	t.Logf("%.2f µs of processor time of this process a person", float64(used)/1000/people)
	t.Logf("%.2f µs of the database's", float64((backendTime(t, db)-database).Nanoseconds())/1000/people)
	t.Logf("%d people in %v, the slowest write of 10,000 took %v", people, time.Since(began), slowest)
	for _, relation := range []string{"experiment_served_packed", "experiment_served_packed_pkey"} {
		t.Logf("%s: %.1f bytes a person", relation, float64(number(t, db, `select pg_total_relation_size($1::regclass)`, relation))/people)
	}
}

// backendTime returns the processor time of the connections to the database so far.
func backendTime(t *testing.T, db *postgres.DB) (used time.Duration) {
	t.Helper()
	rows, err := db.Pool.Query(context.Background(), `select pid from pg_stat_activity where datname = current_database()`)
	require.NoError(t, err)
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	require.NoError(t, err)
	for _, pid := range pids {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		require.NoError(t, err)
		var ns int64
		_, err = fmt.Sscan(string(content), &ns)
		require.NoError(t, err)
		used += time.Duration(ns)
	}
	return used
}

func BenchmarkNote(b *testing.B) {
	c := New(nil, Options{Logger: quiet})
	arm := newArm(0)
	c.Note(arm, "0197aa00-0000-7000-8000-000000000001")
	b.ReportAllocs()
	for b.Loop() {
		c.Note(arm, "0197aa00-0000-7000-8000-000000000001")
	}
}
