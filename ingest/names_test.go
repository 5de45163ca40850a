package ingest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
)

// clock is a settable time for the parts of a writer that ask for it.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func TestNamesAreSharedByServersAndOutliveThem(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	servers := []*Writer{startWriter(t, db, Settings{}, Deps{}), startWriter(t, db, Settings{}, Deps{})}
	long := "/" + strings.Repeat("long page ", 200)
	var wg sync.WaitGroup
	for round := range 20 {
		wg.Go(func() {
			var list []string
			for i := range 10 {
				list = append(list,
					event(fmt.Sprintf("p%d-%d", round, i), "page_view", fmt.Sprint("u", round), fmt.Sprintf(`,"page":"/%d"`, i)),
					event(fmt.Sprintf("s%d-%d", round, i), "screen_view", fmt.Sprint("u", round), fmt.Sprintf(`,"page":"/%d"`, i)),
					event(fmt.Sprintf("c%d-%d", round, i), fmt.Sprintf("/%d", i), fmt.Sprint("u", round), ""))
			}
			list = append(list, event(fmt.Sprintf("x%d", round), "session_start", fmt.Sprint("u", round), ""),
				event(fmt.Sprintf("l%d", round), "page_view", fmt.Sprint("u", round), fmt.Sprintf(`,"page":%q`, long)))
			if _, err := servers[round%2].Product(ctx, body(list...), testOrigin()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, 32, count(t, db, `select count(*) from event_name`))
	require.Equal(t, 32, count(t, db, `select max(id) from event_name`), "ids are dense")
	require.Equal(
		t, 1, count(t, db, `select count(*) from event_name where kind = 4 and text = $1`, strings.TrimSpace(long)),
	)
	require.Equal(t, 1, count(t, db, `select count(*) from event_name where kind = 1 and text = ''`))
	require.Zero(t, count(t, db, `select count(*) from product_events e where not exists (
		select from event_name n where n.environment_id = e.environment_id and n.id = e.name_id
		  and n.text = case when e.name in ('page_view', 'screen_view') then e.page when e.name = 'session_start' then ''
		else e.name end)`))

	third := startWriter(t, db, Settings{}, Deps{})
	_, err := third.Product(ctx, body(event("again", "page_view", "u", `,"page":"/3"`)), testOrigin())
	require.NoError(t, err)
	require.Equal(t, 32, count(t, db, `select count(*) from event_name`))
}

func TestNamesOverTheBudgetOfTheDay(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	day := &clock{at: time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)}
	w := startWriter(t, db, Settings{NameBudget: 3, StatsEvery: time.Hour}, Deps{Now: day.now})
	n := 0
	view := func(pages ...string) {
		var list []string
		for _, page := range pages {
			n++
			list = append(list, event(fmt.Sprint("e", n), "page_view", "u", fmt.Sprintf(`,"page":%q`, page)))
		}
		answer, err := w.Product(ctx, body(list...), testOrigin())
		require.NoError(t, err)
		require.Equal(t, len(pages), answer.Stored)
	}
	reported := func(text string) int {
		return count(
			t, db,
			`select count(*) from product_session s, unnest(s.hits) hit join event_name m on m.id = hit & 4194303
				where m.environment_id = s.environment_id and m.text = $1`,
			text,
		)
	}
	view("/1", "/2")
	view("/3", "/4", "/5")
	view("/6", "/1", "/4")
	_, err := w.Product(ctx, body(event("start", "session_start", "u", ""), event("other", "buy", "u", "")), testOrigin())
	require.NoError(t, err)
	require.Equal(t, 2, count(t, db, `select count(*) from event_name where text = '(other)'`), "one a kind")
	require.Equal(t, 3, count(t, db, `select count(*) from event_name where kind = 4 and text <> '(other)'`))
	require.Equal(t, 2, reported("/1"))
	require.Equal(t, 5, reported(OtherName), "/4 twice, /5, /6 and buy come after the third name")
	require.Equal(t, 1, count(t, db, `select count(*) from product_event where page = '/6'`), "raw events keep their page")
	require.NoError(t, w.stats.write(ctx))
	require.Equal(t, 5, count(t, db, `select sum(names_over_budget) from ingest_stat`))

	// Another server knows the same budget; the next day has a new one.
	second := startWriter(t, db, Settings{NameBudget: 3}, Deps{Now: day.now})
	_, err = second.Product(ctx, body(event("second", "page_view", "u", `,"page":"/8"`)), testOrigin())
	require.NoError(t, err)
	require.Equal(t, 6, reported(OtherName))
	day.add(2 * time.Hour)
	view("/6", "/8", "/9", "/10")
	require.Equal(t, 7, reported(OtherName))
	require.Equal(t, 6, count(t, db, `select count(*) from event_name where kind = 4 and text <> '(other)'`))

	// Names that are known stay known whatever the day.
	day.add(48 * time.Hour)
	view("/1")
	require.Equal(t, 3, reported("/1"))
}

func TestNameMemoryIsBounded(t *testing.T) {
	n := newNames(nil, productNames, 1, time.Now)
	for i := range nameCacheSize/1000 + 2 {
		found := map[hitName]int32{}
		var denied []hitName
		for j := range 1000 {
			found[hitName{1, KindCustom, fmt.Sprint(i, " ", j)}] = 1
			denied = append(denied, hitName{1, KindPageView, fmt.Sprint(i, " ", j)})
		}
		n.remember(found, denied)
		require.LessOrEqual(t, len(n.known), nameCacheSize)
		require.LessOrEqual(t, len(n.denied), nameCacheSize)
	}
}
