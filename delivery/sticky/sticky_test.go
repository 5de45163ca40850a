package sticky_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/delivery/sticky"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var quiet = slog.New(slog.DiscardHandler)

const environment = 7

// newSplit returns an experiment of two arms of equal weight.
func newSplit() *delivery.Split {
	return delivery.NewSplit(environment, uuid.New(), "salt", []int{1, 1})
}

// named returns an id whose bucket is an arm's.
func named(of *delivery.Split, prefix string, arm int) string {
	for i := 0; ; i++ {
		if id := fmt.Sprint(prefix, i); of.Bucket(id) == arm {
			return id
		}
	}
}

func count(t *testing.T, db *postgres.DB, of *delivery.Split) []int {
	t.Helper()
	people, err := sticky.Count(t.Context(), db.Pool, environment, of.ExperimentID, of.Arms())
	require.NoError(t, err)
	return people
}

// The arm that was served first goes with whoever signs in, to all of their devices. Each step is asked of a server
// that knows and of one that does not.
func TestTheArmThatWasServedFirstSticks(t *testing.T) {
	t.Parallel()
	db, of := pgtest.New(t), newSplit()
	knows := sticky.New(db.Pool, sticky.Options{Logger: quiet})
	choose := func(device, custom string) int {
		t.Helper()
		first := knows.Choose(t.Context(), of, device, custom)
		require.Equal(t, first, knows.Choose(t.Context(), of, device, custom), "remembered")
		fresh := sticky.New(db.Pool, sticky.Options{Logger: quiet})
		require.Equal(t, first, fresh.Choose(t.Context(), of, device, custom), "stored")
		return first
	}
	phone, laptop, tablet := named(of, "phone", 0), named(of, "laptop", 1), named(of, "tablet", 1)
	zoe, ben := named(of, "zoe", 1), named(of, "ben", 1)

	require.Equal(t, 0, choose(phone, ""), "a device has the arm of its bucket")
	require.Equal(t, 0, choose(phone, zoe), "which its first person keeps")
	require.Equal(t, 1, choose(laptop, ""))
	require.Equal(t, []int{1, 1}, count(t, db, of))
	require.Equal(t, 0, choose(laptop, zoe), "and has on other devices")
	require.Equal(t, 0, choose(tablet, zoe), "also on one that nobody came on before")
	require.Equal(t, 0, choose(laptop, ""), "signed out, the device is still theirs")
	require.Equal(t, 0, choose(tablet, ""))
	require.Equal(t, []int{1, 0}, count(t, db, of), "a person counts once")

	require.Equal(t, 1, choose(phone, ben), "a second person on a device starts anew")
	require.Equal(t, 0, choose(phone, zoe))
	require.Equal(t, []int{1, 1}, count(t, db, of))
	desk := named(of, "desk", 0)
	require.Equal(t, 0, choose(desk, ""))
	require.Equal(t, 1, choose(desk, ben), "and has that arm elsewhere")

	eve := named(of, "eve", 1)
	require.Equal(t, 1, choose(named(of, "newphone", 0), eve), "who comes signed in has the arm of the id's bucket")
	require.Equal(t, []int{1, 2}, count(t, db, of))

	units := map[uuid.UUID]uuid.UUID{
		privacy.Person(phone): {}, privacy.Person(laptop): {}, privacy.Person(desk): {}, privacy.Person("stranger"): {},
	}
	require.NoError(t, sticky.Units(t.Context(), db.Pool, environment, of.ExperimentID, units))
	require.Equal(t, map[uuid.UUID]uuid.UUID{
		privacy.Person(phone): privacy.Person(zoe), privacy.Person(laptop): privacy.Person(zoe),
		privacy.Person(desk): privacy.Person(ben), privacy.Person("stranger"): {},
	}, units)
	for device, arm := range map[string]int{phone: 0, laptop: 0, desk: 1, "stranger": -1} {
		kept, err := sticky.Remembered(t.Context(), db.Pool, environment, of.ExperimentID, device)
		require.NoError(t, err)
		require.Equal(t, arm, kept, device)
	}
}

// What a device had before another server saw somebody sign in on it is served for a minute at most.
func TestASignInOnAnotherServerIsSeenSoon(t *testing.T) {
	t.Parallel()
	db, of, now := pgtest.New(t), newSplit(), time.Now()
	one := sticky.New(db.Pool, sticky.Options{Logger: quiet, Now: func() time.Time { return now }})
	two := sticky.New(db.Pool, sticky.Options{Logger: quiet})
	phone, laptop := named(of, "phone", 0), named(of, "laptop", 1)
	require.Equal(t, 1, one.Choose(t.Context(), of, laptop, ""))
	require.Equal(t, 0, two.Choose(t.Context(), of, phone, ""))
	require.Equal(t, 0, two.Choose(t.Context(), of, phone, "zoe"))
	require.Equal(t, 0, two.Choose(t.Context(), of, laptop, "zoe"))
	now = now.Add(time.Minute)
	require.Equal(t, 0, one.Choose(t.Context(), of, laptop, ""))
}

// Whoever asks at once on several servers gets one arm: whatever the order, a person has one, and keeps it.
func TestAPersonHasOneArmWhateverTheOrder(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		of := newSplit()
		type asked struct{ device, custom string }
		var keepers []*sticky.Keeper
		for range 3 {
			keepers = append(keepers, sticky.New(db.Pool, sticky.Options{Logger: quiet}))
		}
		kept := map[string]int{}
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			var round []asked
			for range rapid.IntRange(1, 6).Draw(t, "at once") {
				round = append(round, asked{
					rapid.SampledFrom([]string{"d1", "d2", "d3", "d4"}).Draw(t, "device"),
					rapid.SampledFrom([]string{"", "zoe", "ben"}).Draw(t, "custom"),
				})
			}
			arms := make([]int, len(round))
			var together sync.WaitGroup
			for i, ask := range round {
				together.Go(func() { arms[i] = keepers[i%3].Choose(context.Background(), of, ask.device, ask.custom) })
			}
			together.Wait()
			for i, ask := range round {
				if ask.custom == "" {
					continue
				}
				if before, known := kept[ask.custom]; known && before != arms[i] {
					t.Fatalf("%s had %d and gets %d on %s", ask.custom, before, arms[i], ask.device)
				}
				kept[ask.custom] = arms[i]
			}
		}
	})
}

// An environment remembers a number of new ids a day. Whoever is beyond it has the arm of their bucket, is not counted,
// and is said to be left out; those who are known stay.
func TestNewUnitsOfADayAreBounded(t *testing.T) {
	t.Parallel()
	db, of := pgtest.New(t), newSplit()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	k := sticky.New(db.Pool, sticky.Options{UnitsPerDay: 3, Logger: quiet, Now: func() time.Time { return now }})
	stored := func() (n int) {
		require.NoError(t, db.Pool.QueryRow(t.Context(), `select count(*) from experiment_unit`).Scan(&n))
		return n
	}
	zoe := named(of, "zoe", 1)
	phone := named(of, "phone", 0)
	require.Equal(t, 0, k.Choose(t.Context(), of, phone, ""))
	require.Equal(t, 0, k.Choose(t.Context(), of, phone, zoe))
	require.Equal(t, 2, stored())
	for i := range 10 {
		id := fmt.Sprint("stranger", i)
		require.Equal(t, of.Bucket(id), k.Choose(t.Context(), of, id, ""))
	}
	require.Equal(t, 3, stored())
	late := named(of, "late", 1)
	require.Equal(t, 0, k.Choose(t.Context(), of, late, zoe), "a person who is known keeps the arm")
	require.Equal(t, 3, stored())

	now = now.Add(24 * time.Hour)
	require.Equal(t, 0, k.Choose(t.Context(), of, late, zoe))
	require.Equal(t, 4, stored(), "there is room on the next day")
	now = now.Add(time.Minute)
	require.Equal(t, of.Bucket("next"), k.Choose(t.Context(), of, "next", ""))
	var leftOut int
	require.NoError(t, db.Pool.QueryRow(t.Context(),
		`select sum(left_out) from experiment_served_count where environment_id = $1`, environment).Scan(&leftOut))
	require.Equal(t, 10, leftOut)
}

// While the database is away everybody has the arm of their bucket at once, and who is known the one that they keep.
func TestResolveGoesOnWithoutADatabase(t *testing.T) {
	t.Parallel()
	db, of := pgtest.New(t), newSplit()
	pool, err := pgxpool.NewWithConfig(t.Context(), db.Pool.Config())
	require.NoError(t, err)
	k := sticky.New(pool, sticky.Options{Logger: quiet})
	phone, zoe := named(of, "phone", 0), named(of, "zoe", 1)
	require.Equal(t, 0, k.Choose(t.Context(), of, phone, ""))
	require.Equal(t, 0, k.Choose(t.Context(), of, phone, zoe))
	pool.Close()
	for _, laptop := range []string{named(of, "laptop", 0), named(of, "laptop", 1)} {
		require.Equal(t, 1, k.Choose(t.Context(), of, laptop, zoe), "the id's bucket is the same on all devices")
	}
	require.Equal(t, 0, k.Choose(t.Context(), of, phone, zoe))
	require.Equal(t, []int{1, 0}, count(t, db, of))
}

func TestAnExperimentWithoutArms(t *testing.T) {
	t.Parallel()
	of := delivery.NewSplit(environment, uuid.New(), "salt", nil)
	require.Equal(t, -1, sticky.New(nil, sticky.Options{}).Choose(t.Context(), of, "d", "zoe"))
}

// BenchmarkKnown is what a resolve of somebody who came before costs.
func BenchmarkKnown(b *testing.B) {
	db, of := pgtest.New(b), newSplit()
	k := sticky.New(db.Pool, sticky.Options{Logger: quiet})
	k.Choose(b.Context(), of, "phone", "zoe")
	b.ReportAllocs()
	for b.Loop() {
		k.Choose(b.Context(), of, "phone", "zoe")
	}
}

// People who come for the first time take a few connections of the pool, however many come and however long the
// database makes them wait.
func TestNewPeopleTakeFewConnections(t *testing.T) {
	t.Parallel()
	db, of := pgtest.New(t), newSplit()
	keeper := sticky.New(db.Pool, sticky.Options{Logger: quiet})
	require.Equal(t, 0, keeper.Choose(t.Context(), of, named(of, "first", 0), "")) // the day's count is made
	tx, err := db.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), `lock table experiment_unit in share mode`) // it can be read, and is not written
	require.NoError(t, err)

	var wait sync.WaitGroup
	for i := range 60 {
		wait.Go(func() { keeper.Choose(t.Context(), of, fmt.Sprint("invented", i), "") })
	}
	most := int32(0)
	for began := time.Now(); time.Since(began) < 250*time.Millisecond; time.Sleep(time.Millisecond) {
		most = max(most, db.Pool.Stat().AcquiredConns()-1) // one is the test's
	}
	wait.Wait()
	require.Positive(t, most)
	require.LessOrEqual(t, most, int32(4), "of one environment")
}
