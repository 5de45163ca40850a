package liveusers

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/internal/packed"
	"github.com/svc-dev/svc/internal/recent"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var quiet = slog.New(slog.DiscardHandler)

// clock is a time that tests move.
type clock struct{ unix atomic.Int64 }

func newClock(at string) *clock {
	c := &clock{}
	c.set(at)
	return c
}

func (c *clock) now() time.Time { return time.Unix(c.unix.Load(), 0) }
func (c *clock) set(at string)  { t, _ := time.Parse(time.DateTime, at); c.unix.Store(t.Unix()) }

var workspace = uuid.UUID{7}

// limited returns the live environment of an app in the workspace, whose plan has a limit.
func limited(environment, limit int64) *delivery.Tenant {
	bought := plan.Of(&plan.Subscription{PlanKey: "indie", Limits: map[string]int64{"live_mau": limit}})
	return &delivery.Tenant{ID: environment, Kind: "live", WorkspaceID: workspace, Plan: bought}
}

func number(t testing.TB, db *postgres.DB, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

// flush writes who waits and reads what all servers have.
func flush(t testing.TB, c *Counter) {
	t.Helper()
	require.NoError(t, c.Write(context.Background()))
	require.NoError(t, c.Read(context.Background()))
}

func TestTheLimitItselfIsAllowedAndOneMoreIsNot(t *testing.T) {
	db, at := pgtest.New(t), newClock("2026-03-31 12:00:00")
	c := New(db.Pool, Options{Now: at.now, Logger: quiet})
	shop, blog := limited(1, 400), limited(2, 400)
	for i := range 399 {
		c.Note(shop, fmt.Sprint(i), at.now())
		c.Note(shop, fmt.Sprint(i), at.now())
	}
	flush(t, c)
	c.Note(blog, "0", at.now()) // of two apps: two people
	flush(t, c)
	require.Equal(t, 400, number(t, db, `select people from live_user_total`))
	require.False(t, c.Exceeded(shop))
	c.Note(blog, "1", at.now())
	flush(t, c)
	require.True(t, c.Exceeded(shop), "every app of the workspace")
	require.True(t, c.Exceeded(blog))

	require.False(t, c.Exceeded(limited(1, 401)), "an upgrade lifts it")
	unlimited := &delivery.Tenant{ID: 1, Kind: "live", WorkspaceID: workspace, Plan: plan.SelfHosted()}
	require.False(t, c.Exceeded(unlimited))
	test := limited(3, 0)
	test.Kind = "test"
	c.Note(test, "tester", at.now())
	c.Note(unlimited, "visitor", at.now())
	require.False(t, c.Exceeded(test))
	require.False(t, c.Counts(test))
	require.False(t, c.Counts(unlimited))
	require.Zero(t, c.People())

	// The turn of the month, to the second: the last of the old one are its own.
	at.set("2026-03-31 23:59:59")
	require.True(t, c.Exceeded(shop))
	c.Note(shop, "late", at.now())
	at.set("2026-04-01 00:00:00")
	require.False(t, c.Exceeded(shop))
	c.Note(shop, "0", at.now())
	flush(t, c)
	const inMonth = `select people from live_user_total where month = $1`
	const onDay = `select sum(people) from live_user_day where day = $1`
	require.Equal(t, 402, number(t, db, inMonth, "2026-03-01"))
	require.Equal(t, 1, number(t, db, inMonth, "2026-04-01"))
	require.Equal(t, 402, number(t, db, onDay, "2026-03-31"))
	require.Equal(t, 1, number(t, db, onDay, "2026-04-01"))
}

// Servers note the same people at once, in their own orders, and one of them forgets all of it: each is counted once,
// and each server knows of the others'.
func TestServersCountTogether(t *testing.T) {
	db := pgtest.New(t)
	start := func() *Counter {
		c := New(db.Pool, Options{Logger: quiet})
		require.NoError(t, c.Start(context.Background()))
		return c
	}
	counters := []*Counter{start(), start()}
	const people = 1500
	tenants := []*delivery.Tenant{limited(1, 2*people-1), limited(2, 2*people-1)}
	var requests sync.WaitGroup
	for worker := range 8 {
		requests.Go(func() {
			for _, i := range rand.Perm(2 * people) {
				counters[worker%2].Note(tenants[i%2], fmt.Sprint("person ", i/2), time.Now())
			}
		})
	}
	requests.Wait()
	require.NoError(t, counters[0].Stop(context.Background()))
	again := start()
	again.Note(tenants[0], "person 0", time.Now())
	require.NoError(t, again.Stop(context.Background()))
	require.Eventually(t, func() bool { return counters[1].Exceeded(tenants[0]) }, 5*time.Second, 10*time.Millisecond)
	require.NoError(t, counters[1].Stop(context.Background()))
	require.Equal(t, 2*people, number(t, db, `select count(*) from live_user`))
	require.Equal(t, 2*people, number(t, db, `select people from live_user_total`))
	require.Equal(t, 2*people, number(t, db, `select sum(people) from live_user_day`))
	fresh := start()
	require.True(t, fresh.Exceeded(tenants[1]), "a server that starts knows at once")
	require.NoError(t, fresh.Stop(context.Background()))
}

// While the database is away people wait, a limit holds all the same, and nobody who waits is lost.
func TestPeopleWaitForTheDatabase(t *testing.T) {
	db, at := pgtest.New(t), newClock("2026-03-10 12:00:00")
	c := New(db.Pool, Options{Now: at.now, Logger: quiet})
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	small := limited(1, 400)
	for i := range 401 {
		require.False(t, c.Exceeded(small), i)
		c.Note(small, fmt.Sprint(i), at.now())
		if i == 200 {
			require.Error(t, c.Write(gone))
		}
	}
	require.True(t, c.Exceeded(small))
	require.Error(t, c.Write(gone))
	c.Note(small, "0", at.now())
	require.Equal(t, 401, c.People())

	other := &delivery.Tenant{ID: 9, Kind: "live", WorkspaceID: uuid.UUID{9}, Plan: plan.Of(&plan.Subscription{
		Limits: map[string]int64{"live_mau": 1 << 40},
	})}
	for i := range packed.MaxWaitingOwner + 5000 {
		c.Note(other, fmt.Sprint(i), at.now())
	}
	require.Equal(t, 401+packed.MaxWaitingOwner, c.People(), "what waits is bounded")
	flush(t, c)
	require.Zero(t, c.People())
	require.True(t, c.Exceeded(small))
	require.Equal(t, 401, number(t, db, `select people from live_user_total where workspace_id = $1`, workspace))
	for i := range packed.MaxWaitingOwner + 5000 { // those who found no room come again
		c.Note(other, fmt.Sprint(i), at.now())
	}
	flush(t, c)
	require.Equal(t, packed.MaxWaitingOwner+5000, number(t, db, `select count(*) from live_user where environment_id = 9`))
}

// A server that forgot whom it knew reads them again, and so does one whose transaction ended in nobody knows what.
func TestWhoeverIsForgottenIsNotCountedAgain(t *testing.T) {
	db, at := pgtest.New(t), newClock("2026-03-10 12:00:00")
	one, two := New(db.Pool, Options{Now: at.now, Logger: quiet}), New(db.Pool, Options{Now: at.now, Logger: quiet})
	tenant := limited(1, 1<<40)
	for round := range 3 {
		for i := range 100 {
			one.Note(tenant, fmt.Sprint("of both ", i), at.now())
			two.Note(tenant, fmt.Sprint("of both ", i), at.now())
			two.Note(tenant, fmt.Sprint("of two ", round, i), at.now())
		}
		flush(t, one)
		flush(t, two)
		clear(one.months)
		one.noted = recent.New()
	}
	require.Equal(t, 100+3*100, number(t, db, `select people from live_user_total`))
	require.Equal(t, 100+3*100, number(t, db, `select count(distinct person) from live_user`))
	require.Equal(t, 100+3*100, number(t, db, `select sum(octet_length(people)) / 16 from live_user_packed`))

	// The transaction is committed, and the server told otherwise.
	waiting := map[page]*packed.Waiting[int64]{}
	two.Note(tenant, "somebody", at.now())
	two.View(func(w map[page]*packed.Waiting[int64]) { maps.Copy(waiting, w) })
	require.NoError(t, two.store(t.Context(), waiting))
	flush(t, two)
	require.Equal(t, 401, number(t, db, `select people from live_user_total`))
	require.Equal(t, 401, number(t, db, `select sum(people) from live_user_day`))
	require.Equal(t, 401, number(t, db, `select count(*) from live_user`))
}

// What was cut off of a row, which the table refuses, is nobody; the rest counts.
func TestADamagedRowIsReadAsFarAsItGoes(t *testing.T) {
	db := pgtest.New(t)
	const damaged = `insert into live_user_packed (environment_id, month, people)
		select 1, '2026-03-01', uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || 'x'`
	_, err := db.Pool.Exec(t.Context(), damaged)
	require.ErrorContains(t, err, "live_user_packed_people_check")
	_, err = db.Pool.Exec(t.Context(), `alter table live_user_packed drop constraint live_user_packed_people_check`)
	require.NoError(t, err)
	_, err = db.Pool.Exec(t.Context(), damaged)
	require.NoError(t, err)
	at := newClock("2026-03-10 12:00:00")
	c := New(db.Pool, Options{Now: at.now, Logger: quiet})
	c.Note(limited(1, 10), "ada", at.now())
	flush(t, c)
	require.Len(t, c.months[environmentMonth{1, monthOf(at.now())}].people, 2)
	require.Equal(t, 3, number(t, db, `select count(*) from live_user`))
}

func TestMonthsThatWereUsedTheLongestAgoAreForgotten(t *testing.T) {
	day := func(n int) time.Time { return time.Unix(int64(n)*24*60*60, 0) }
	people := func(n int) map[uuid.UUID]struct{} {
		of := map[uuid.UUID]struct{}{}
		for i := range n {
			of[uuid.UUID{byte(i), byte(i >> 8), byte(i >> 16)}] = struct{}{}
		}
		return of
	}
	m := months{
		{1, 1}: {people: people(maxKnown/2 + 1), used: day(1)}, {2, 1}: {people: people(maxKnown / 2), used: day(2)},
		{3, 1}: {people: people(10), used: day(3)},
	}
	m.forget()
	require.Len(t, m, 2)
	require.NotContains(t, m, environmentMonth{1, 1})
	m = months{{1, 1}: {people: people(maxKnown + 1), used: day(1)}}
	m.forget()
	require.Len(t, m, 1, "whoever writes needs one")
}
