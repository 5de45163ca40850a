package ingest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// timeOrdered makes ids as a client of our SDKs does, n of them.
func timeOrdered(n int) []string {
	ids := make([]string, n)
	maker := uuid.New()
	for i := range ids {
		id := uuid.Must(uuid.NewV7())
		copy(id[8:11], maker[8:])
		ids[i] = id.String()
	}
	return ids
}

// eventsOf makes an event of a user for each of the ids.
func eventsOf(user string, ids ...string) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = event(id, "buy", user, "")
	}
	return list
}

func storeProduct(t testing.TB, w *Writer, list ...string) (stored, duplicates int) {
	t.Helper()
	answer, err := w.Product(context.Background(), body(list...), testOrigin())
	require.NoError(t, err)
	require.Empty(t, answer.Rejected)
	return answer.Stored, answer.Duplicates
}

func TestIDsOfSDKsArePackedByMaker(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	ids := timeOrdered(40)
	stored, duplicates := storeProduct(t, w, eventsOf("u", ids[:30]...)...)
	require.Equal(t, []int{30, 0}, []int{stored, duplicates})
	stored, duplicates = storeProduct(t, w, eventsOf("u", ids...)...)
	require.Equal(t, []int{10, 30}, []int{stored, duplicates})
	require.Zero(t, count(t, db, `select count(*) from event_seen`))
	require.LessOrEqual(t, count(t, db, `select count(*) from event_seen_packed`), 2, "of one slot, or two")

	// An id counts once, whoever sends it; of another client it has a row of its own.
	stored, duplicates = storeProduct(t, w, append(eventsOf("v", ids[:3]...), eventsOf("v", timeOrdered(1)...)...)...)
	require.Equal(t, []int{1, 3}, []int{stored, duplicates})

	// The same UUID in upper case is the same id; of another path, or as part of a text, it is not.
	stored, duplicates = storeProduct(t, w, event("0197AA00-0000-7000-8000-0000000000AB", "buy", "u", ""))
	require.Equal(t, []int{1, 0}, []int{stored, duplicates})
	stored, duplicates = storeProduct(t, w, event("0197aa00-0000-7000-8000-0000000000ab", "buy", "u", ""),
		event("x0197aa00-0000-7000-8000-0000000000ab", "buy", "u", ""))
	require.Equal(t, []int{1, 1}, []int{stored, duplicates})
	require.Equal(t, 1, count(t, db, `select count(*) from event_seen`))
	answer, err := w.Track(t.Context(), []byte(event(ids[0], "signup", "u", "")), testOrigin())
	require.NoError(t, err)
	require.Equal(t, 1, answer.Stored)
	require.Equal(t, 43, count(t, db, `select count(*) from product_event`))
}

func TestPackedBytesAreThoseThatTheSlotDoesNotSay(t *testing.T) {
	seen := map[string]string{}
	for range 20_000 {
		id := uuid.Must(uuid.NewV7())
		// Ids that differ in one bit, of all that version and variant leave.
		if bit := rand.IntN(128); bit/4 != 12 && bit/2 != 32 {
			id[bit/8] ^= 0x80 >> (bit % 8)
		}
		it := &item{environment: 1, path: PathProduct, key: id, product: &ProductEvent{EventID: id.String()}}
		require.True(t, it.packable())
		row := it.packedRow()
		place := fmt.Sprintf("%v %x", row, it.appendPacked(nil))
		require.Empty(t, seen[place], "two ids in one place")
		seen[place] = id.String()
	}
}

// A row that is full remembers the rest one by one, also when its first batch is too large for it.
func TestFullRowsOfTheLedger(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	at := uuid.MustParse("0197aa00-0000-7000-8000-000000000000")
	for user, step := range map[string]int{"grows": 50, "at once": 300} {
		ids := make([]string, 3*packedIDs)
		for i := range ids {
			at[10], at[14], at[15] = byte(step), byte(i>>8), byte(i)
			ids[i] = at.String()
		}
		of := func(from, to int) []string { return eventsOf(user, ids[from:min(to, len(ids))]...) }
		total := 0
		for from := 0; from < len(ids); from += step {
			stored, duplicates := storeProduct(t, w, of(max(0, from-10), from+step)...)
			require.Equal(t, min(from, 10), duplicates)
			total += stored
		}
		require.Equal(t, len(ids), total)
		for range 2 {
			_, duplicates := storeProduct(t, w, of(0, 300)...)
			require.Equal(t, 300, duplicates)
		}
		_, duplicates := storeProduct(t, w, of(5, 6)...)
		require.Equal(t, 1, duplicates, "one alone")
		require.Equal(t, len(ids), count(t, db, `select count(*) from product_event where app_user_id = $1`, user))
	}
	require.Equal(t, 2, count(t, db, `select count(*) from event_seen_packed where closed`))
	require.LessOrEqual(t, count(t, db, `select max(octet_length(keys)) from event_seen_packed`), packedIDs*packedBytes)
}

func TestPackedIDsUnderConcurrentRetriesOnTwoServers(t *testing.T) {
	db := pgtest.New(t)
	servers := []*Writer{startWriter(t, db, Settings{}, Deps{}), startWriter(t, db, Settings{}, Deps{})}
	const people, each, retries = 5, 60, 24
	var lists [people][]string
	for i := range lists {
		lists[i] = eventsOf(fmt.Sprint("user-", i), timeOrdered(each)...)
	}
	var wg sync.WaitGroup
	var stored atomic.Int64
	for i := range retries {
		wg.Go(func() {
			var list []string
			for _, l := range lists { // some of each, in some order
				from := rand.IntN(each / 2)
				list = append(list, l[from:from+each/2]...)
			}
			rand.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
			n, _ := storeProduct(t, servers[i%2], list...)
			stored.Add(int64(n))
		})
	}
	wg.Wait()
	n, _ := storeProduct(t, servers[0], slices.Concat(lists[:]...)...)
	require.EqualValues(t, people*each, stored.Load()+int64(n))
	require.Equal(t, people*each, count(t, db, `select count(*) from product_event`))
	require.Equal(t, people*each, count(t, db, `select count(distinct event_key) from product_event`))
	require.Equal(t, people*each, count(t, db, `select sum(cardinality(hits)) from product_session`))
}

// earlier makes the ledger one that was packed since so long ago, by servers of which some may be of the version
// before.
func earlier(t *testing.T, db *postgres.DB, since time.Duration) {
	t.Helper()
	_, err := db.Pool.Exec(t.Context(), `update event_seen_packed_since set since = now() - $1::interval`, since)
	require.NoError(t, err)
}

func TestLedgerAfterAnUpgrade(t *testing.T) {
	db := pgtest.New(t)
	ids := timeOrdered(30)
	enterAsBefore := func(ids ...string) (entered int) {
		for _, id := range ids {
			tag, err := db.Pool.Exec(t.Context(), `insert into event_seen (environment_id, path, event_key, seen_at)
				values (7, 1, $1, now()) on conflict do nothing`, id)
			require.NoError(t, err)
			entered += int(tag.RowsAffected())
		}
		return entered
	}
	require.Equal(t, 10, enterAsBefore(ids[:10]...))

	earlier(t, db, time.Hour)
	w := startWriter(t, db, Settings{}, Deps{})
	stored, duplicates := storeProduct(t, w, eventsOf("u", ids[5:15]...)...)
	require.Equal(t, []int{5, 5}, []int{stored, duplicates})
	require.Zero(t, enterAsBefore(ids[:15]...), "a server of the version before knows what this one stored")

	earlier(t, db, ledgerOverlap+time.Hour)
	stored, duplicates = storeProduct(t, w, eventsOf("u", ids[:20]...)...)
	require.Equal(t, []int{5, 15}, []int{stored, duplicates})
	require.Equal(t, 15, count(t, db, `select count(*) from event_seen`), "the packed ledger alone takes new ones")

	_, err := db.Pool.Exec(t.Context(), `truncate event_seen`)
	require.NoError(t, err)
	earlier(t, db, 30*24*time.Hour)
	stored, duplicates = storeProduct(t, w, eventsOf("u", ids...)...)
	require.Equal(t, []int{10, 20}, []int{stored, duplicates})
	require.True(t, w.ledger.packed.Load())
}
