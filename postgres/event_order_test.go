package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

type storedEvent struct {
	At  time.Time
	Key uuid.UUID
}

func (e storedEvent) compare(other storedEvent) int {
	if order := e.At.Compare(other.At); order != 0 {
		return order
	}
	return bytes.Compare(e.Key[:], other.Key[:])
}

// randomTimes are times at the borders of what shares a key of the index, of hours and of partitions, some of them at
// the same moment.
func randomTimes(random *rand.Rand, n int) []time.Time {
	month := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-time.Now().UTC().Day())
	borders := []time.Time{month, month.Add(5 * time.Minute), month.Add(time.Hour), month.AddDate(0, -1, 0).Add(time.Hour)}
	times := make([]time.Time, n)
	for i := range times {
		times[i] = borders[random.IntN(len(borders))].Add(time.Duration(random.IntN(7)-3) * time.Microsecond)
		if random.IntN(2) == 0 {
			times[i] = times[i].Add(time.Duration(random.IntN(7200)-3600) * time.Second)
		}
	}
	return times
}

// Pages of any size, in either direction and of any range, have the events in the order of time.
func TestEventsByTime(t *testing.T) {
	db := pgtest.New(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, table := range []string{"product_event", "track_event"} {
		var all []storedEvent
		for _, at := range randomTimes(random, 400) {
			all = append(all, storedEvent{at, uuid.New()})
			exec(t, db, `insert into `+table+` (environment_id, occurred_at, received_at, event_key)
				select e, $1, now(), $2 from generate_series(1, 2) e`, at, all[len(all)-1].Key)
		}
		slices.SortFunc(all, storedEvent.compare)
		for range 40 {
			from, until := all[random.IntN(len(all))].At, all[random.IntN(len(all))].At.Add(time.Microsecond)
			want := slices.DeleteFunc(slices.Clone(all), func(e storedEvent) bool {
				return e.At.Before(from) || !e.At.Before(until)
			})
			newest := random.IntN(2) == 0
			if newest {
				slices.Reverse(want)
			}
			got := walk(t, db, table, from, until, newest, func() int { return 1 + random.IntN(len(all)/2) })
			if !slices.EqualFunc(got, want, func(a, b storedEvent) bool { return a.compare(b) == 0 }) {
				t.Fatalf("%s from %s until %s, newest first %v: %v, want %v", table, from, until, newest, got, want)
			}
		}
	}
}

// walk reads the events of a range page by page, as readers with a cursor do.
func walk(
	t *testing.T, db *postgres.DB, table string, from, until time.Time, newest bool, size func() int,
) (all []storedEvent) {
	t.Helper()
	order, after := postgres.InTime+", event_key", ">"
	if newest {
		order, after = strings.ReplaceAll(order, ",", " desc,")+" desc", "<"
	}
	for {
		args := []any{from, until, size()}
		sql := `select occurred_at, event_key from ` + table + ` where environment_id = 1 and occurred_at >= $1
			and occurred_at < $2 and ` + postgres.WithinTime("$1", "$2")
		if n := len(all); n > 0 {
			sql += fmt.Sprintf(` and (occurred_at, event_key) %s ($4, $5)`, after)
			args = append(args, all[n-1].At, all[n-1].Key)
			if newest {
				sql += ` and occurred_at <= $4 and ` + postgres.WithinTime("$1", "$4")
			} else {
				sql += ` and occurred_at >= $4 and ` + postgres.WithinTime("$4", "$2")
			}
		}
		rows, err := db.Pool.Query(context.Background(), sql+` order by `+order+` limit $3`, args...)
		if err != nil {
			t.Fatal(err)
		}
		page, err := pgx.CollectRows(rows, pgx.RowToStructByPos[storedEvent])
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}

// What the indexes have of a time is the number of its five minutes, on hypertables the time, and infinite bounds are
// beyond all of them.
func TestTheBinOfATime(t *testing.T) {
	db := pgtest.New(t)
	random := rand.New(rand.NewPCG(3, 4))
	sql := `select ` + postgres.TimeBin("$1::timestamptz") + `::text, ` + postgres.TimeBin("$1") + ` between ` +
		postgres.TimeBin("'-infinity'") + ` and ` + postgres.TimeBin("'infinity'") + `, $1::text`
	for range 500 {
		at := time.Unix(random.Int64N(20e9)-10e9, random.Int64N(1e6)*1e3) // from 1653 on
		if random.IntN(2) == 0 {
			at = at.Truncate(5 * time.Minute).Add(time.Duration(random.IntN(3)-1) * time.Microsecond)
		}
		microseconds, length := at.UnixMicro(), (5 * time.Minute).Microseconds()
		want := microseconds / length
		if microseconds%length < 0 {
			want--
		}
		var got, same string
		var isWithin bool
		if err := db.Pool.QueryRow(context.Background(), sql, at).Scan(&got, &isWithin, &same); err != nil {
			t.Fatal(err)
		}
		if pgtest.Capabilities(t).TimescaleDB == "" {
			same = fmt.Sprint(want)
		}
		if got != same || !isWithin {
			t.Errorf("%s: %s, between the infinite ones %v, want %s", at, got, isWithin, same)
		}
	}
}

// A page is read along the index, not by sorting all that the range has.
func TestAPageOfEventsReadsAPageOfTheIndex(t *testing.T) {
	db := pgtest.New(t)
	exec(t, db, `insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
		select 1, now() - make_interval(secs => n * 20), now(), gen_random_uuid(), 'page_view', 'u' || n % 100
		from generate_series(1, 60000) n`)
	exec(t, db, `analyze product_event`)
	for name, sql := range map[string]string{
		"newest": `select * from product_event where environment_id = 1 and occurred_at >= now() - interval '13 days'
				and occurred_at < now() and ` + postgres.WithinTime("now() - interval '13 days'", "now()") +
			` order by time_bin(occurred_at) desc, occurred_at desc, event_key desc limit 50`,
		"oldest": `select * from product_event where environment_id = 1 order by ` + postgres.InTime + ` limit 1`,
		"an hour": `select * from product_event where environment_id = 1 and occurred_at >= now() - interval '1 hour'
				and occurred_at < now() and ` + postgres.WithinTime("now() - interval '1 hour'", "now()"),
	} {
		if read := rowsRead(t, db, sql); read > 1000 {
			t.Errorf("%s: %d rows read", name, read)
		}
	}
}

// rowsRead returns how many rows of the events a query took from its tables.
func rowsRead(t *testing.T, db *postgres.DB, sql string) (read int) {
	t.Helper()
	for _, line := range query[string](t, db, `explain (analyze, timing off, costs off) `+sql) {
		var rows, loops, removed int
		i := strings.Index(line, "(actual rows=")
		if i >= 0 && strings.Contains(line, " on ") && !strings.Contains(line, "Bitmap Index") {
			if _, err := fmt.Sscanf(line[i:], "(actual rows=%d loops=%d)", &rows, &loops); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			read += rows * loops
		} else if _, err := fmt.Sscanf(strings.TrimSpace(line), "Rows Removed by Filter: %d", &removed); err == nil {
			read += removed
		}
	}
	return read
}
