package privacy_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/people/privacy"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// caller asks for archives.
var caller = uuid.MustParse("00000000-0000-4000-8000-000000000001")

// archive reads all pages and returns the rows by table.
func (w *world) archive(r privacy.Request) (rows map[string][]string, pages int) {
	w.t.Helper()
	r.EnvironmentID = w.app.Live.ID
	rows = map[string][]string{}
	for after := ""; ; pages++ {
		page, err := w.privacy.Archive(w.t.Context(), caller, r, after)
		require.NoError(w.t, err)
		require.LessOrEqual(w.t, len(page.Records), privacy.ArchiveRecords)
		for _, record := range page.Records {
			require.True(w.t, json.Valid(record.Row))
			rows[record.Table] = append(rows[record.Table], string(record.Row))
		}
		if after = page.After; after == "" {
			return rows, pages + 1
		}
	}
}

// Whatever table knows the person is in the archive, and nobody else is.
func TestAnArchiveHasEverythingOfAPerson(t *testing.T) {
	w := newWorld(t)
	w.live(zoe, phone, laptop)
	w.live("ben-mail@example", "ben-phone", "ben-laptop")
	w.privacy.SetPageTime(time.Minute) // so that it is one page on a busy machine too
	known := w.mentions("zoe-")
	for name, request := range map[string]privacy.Request{
		"by a device": {AppUserID: phone}, "by the custom user id": {CustomUserID: zoe},
	} {
		t.Run(name, func(t *testing.T) {
			rows, pages := w.archive(request)
			require.Equal(t, 1, pages)
			for table, n := range known {
				mentioning := 0
				for _, row := range rows[table] {
					if strings.Contains(row, "zoe-") {
						mentioning++
					}
				}
				require.Equal(t, n, mentioning, table)
			}
			require.Len(t, rows["experiment_served"], 2)
			require.Len(t, rows["experiment_unit"], 4)
			require.NotContains(t, fmt.Sprint(rows), "ben-")
		})
	}
	w.erase(privacy.Request{EnvironmentID: w.app.Live.ID, AppUserID: phone})
	rows, _ := w.archive(privacy.Request{AppUserID: phone})
	require.Empty(t, rows)
}

// Whenever events were, all at once, one a year, or rare for years and then a day of very many, every page is bounded
// and each event is given once, also while others arrive.
func TestAnArchiveComesInPages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		times  string // of event n
		events int
		large  int // bytes of each
	}{
		"a few a minute":  {`timestamptz '2026-01-01' + n / 100 * interval '1 minute'`, 3000, 1},
		"one a year":      {`timestamptz '2026-02-03' - n * interval '1 year'`, 40, 1},
		"all in a second": {`timestamptz '2026-02-03' + n % 1000 * interval '1 ms'`, 5000, 1},
		"ten years, then six seconds": {
			`timestamptz '2026-02-03' + n % 6000 * interval '1 ms' - greatest(10 - n, 0) * interval '1 year'`, 12_000, 1,
		},
		"all in a millisecond":          {`timestamptz '2026-02-03'`, 3000, 1},
		"large ones":                    {`timestamptz '2026-02-03' + n * interval '1 hour'`, 400, 20_000},
		"years, then a day of a second": {`timestamptz '2026-02-03' - greatest(n - 4000, 0) * interval '1 week'`, 4300, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			insert := func(table, prefix, device, times string, events, bytes int) {
				w.exec(`
					insert into `+table+` (environment_id, occurred_at, received_at, event_key, name, app_user_id, properties)
					select $1, `+times+`, now(), gen_random_uuid(), $2 || n, $3,
						jsonb_build_object('text', repeat('x', $5))
					from generate_series(1, $4::int) n`, w.app.Live.ID, prefix, device, events, bytes)
			}
			for _, table := range []string{"product_event", "track_event"} {
				// The first event of all has the least key.
				insert(table, table, phone, c.times, c.events, c.large)
				insert(table, "other's ", "ben-phone", c.times, c.events, c.large)
			}
			w.compress("product_event")
			given := map[string]int{}
			request := privacy.Request{EnvironmentID: w.app.Live.ID, AppUserID: phone}
			pages := 0
			for after := ""; ; pages++ {
				page, err := w.privacy.Archive(t.Context(), caller, request, after)
				require.NoError(t, err)
				require.LessOrEqual(t, len(page.Records), privacy.ArchiveRecords)
				bytes := 0
				for _, record := range page.Records {
					bytes += len(record.Row)
					var event struct{ Name string }
					require.NoError(t, json.Unmarshal(record.Row, &event))
					given[event.Name]++
				}
				require.LessOrEqual(t, bytes, 1<<20+c.large+1000)
				if after = page.After; after == "" {
					break
				}
				insert("product_event", fmt.Sprint("arrived ", pages), phone, c.times, 3, 1)
			}
			require.Greater(t, pages+1, 2*c.events*c.large>>20)
			for _, table := range []string{"product_event", "track_event"} {
				for n := range c.events {
					require.Equal(t, 1, given[fmt.Sprint(table, n+1)], "%s %d", table, n+1)
				}
			}
			for name, n := range given {
				require.Equal(t, 1, n, name)
				require.NotContains(t, name, "other")
			}
		})
	}
}

// compress puts the chunks of a table in the columnstore, where there is one.
func (w *world) compress(table string) {
	w.t.Helper()
	capabilities, err := w.db.Capabilities(w.t.Context())
	require.NoError(w.t, err)
	if capabilities.TimescaleDB != "" {
		w.exec(`select compress_chunk(c) from show_chunks($1::text::regclass) c`, table)
	}
}

// Sessions and runs of all devices are given once each, over several pages.
func TestAnArchiveOfManySessionsAndRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day,
			changed_xid, hits, custom_user_id)
		select $1, (array[$2, $3, 'ben-phone'])[1 + n % 3], case when n % 2 = 0 then '"' else '' end || n, now(), now(),
			current_date, pg_current_xact_id(), '{1}', (array[$4, $4, ''])[1 + n % 3]
		from generate_series(1, 4500) n`, w.app.Live.ID, phone, laptop, zoe)
	w.exec(`insert into flow_run (environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at,
			home_day, changed_xid, hits, contexts, hits_over_limit)
		select $1, (array[$2, $3, 'ben-phone'])[1 + n % 3], md5((n % 7)::text)::uuid, md5(n::text)::uuid, false, true, now(),
			now(), current_date, pg_current_xact_id(), '', '', 0 from generate_series(1, 4500) n`, w.app.Live.ID, phone, laptop)
	w.privacy.SetPageTime(time.Minute)
	rows, pages := w.archive(privacy.Request{CustomUserID: zoe})
	require.Equal(t, 7, pages)
	for table, column := range map[string]string{"product_session": "session_id", "flow_run": "run_key"} {
		once := map[any]bool{}
		for _, text := range rows[table] {
			var row map[string]any
			require.NoError(t, json.Unmarshal([]byte(text), &row))
			require.NotEqual(t, "ben-phone", row["app_user_id"])
			once[row[column]] = true
		}
		require.Len(t, rows[table], 3000)
		require.Len(t, once, 3000)
	}
}

// A page goes on where another of the same person ended, and nowhere else: not with the place of another caller, person
// or environment, nor with one that was made up, which would leave the entry in the audit log out.
func TestAPlaceBelongsToAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.privacy.SetPageTime(time.Minute) // so that pages are full on a busy machine too
	w.exec(`insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
		select e, now(), now(), gen_random_uuid(), 'note', u
		from generate_series(1, 1500) n, unnest($1::bigint[]) e, unnest($2::text[]) u`,
		[]int64{w.app.Live.ID, w.app.Test.ID}, []string{phone, "ben-phone"})
	live, test := w.app.Live.ID, w.app.Test.ID
	begin := func(r privacy.Request) string {
		page, err := w.privacy.Archive(t.Context(), caller, r, "")
		require.NoError(t, err)
		require.NotEmpty(t, page.After)
		return page.After
	}
	mine := privacy.Request{EnvironmentID: live, AppUserID: phone}
	place := begin(mine)
	page, err := w.privacy.Archive(t.Context(), caller, mine, place)
	require.NoError(t, err)
	require.Len(t, page.Records, 500)
	elsewhere := privacy.New(w.db)
	elsewhere.SetPageTime(time.Minute)
	another, err := elsewhere.Archive(t.Context(), caller, mine, place)
	require.NoError(t, err, "another server reads the same places")
	require.Equal(t, page.Records, another.Records) // how far the next page looks depends on how long this one took

	_, err = w.privacy.Archive(t.Context(), uuid.New(), mine, place)
	var invalid *fault.Error
	require.ErrorAs(t, err, &invalid, "given to another caller")
	require.Equal(t, "after", invalid.Field)

	signed, err := base64.RawURLEncoding.DecodeString(place)
	require.NoError(t, err)
	for name, forged := range map[string]string{
		"of another person":      begin(privacy.Request{EnvironmentID: live, AppUserID: "ben-phone"}),
		"of another environment": begin(privacy.Request{EnvironmentID: test, AppUserID: phone}),
		"without a signature":    base64.RawURLEncoding.EncodeToString(signed[sha256.Size:]),
		"with another person": base64.RawURLEncoding.EncodeToString(
			bytes.Replace(signed, []byte(phone), []byte("ben-phone"), 1)),
		"made up":     base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("x", sha256.Size) + `{"s":0}`)),
		"cut":         place[:len(place)-4],
		"no base64":   "%",
		"much longer": place + strings.Repeat("A", 1<<20),
	} {
		_, err := w.privacy.Archive(t.Context(), caller, mine, forged)
		var invalid *fault.Error
		require.ErrorAs(t, err, &invalid, name)
		require.Equal(t, "after", invalid.Field, name)
	}
}

// Places do not open a person's data without an entry in the audit log for ever.
func TestAPlaceIsOfADay(t *testing.T) {
	t.Parallel()
	p := privacy.New(pgtest.New(t))
	r := privacy.Request{EnvironmentID: 1, AppUserID: phone}
	fresh, err := p.PlaceBegun(t.Context(), caller, r, time.Now().Add(-23*time.Hour))
	require.NoError(t, err)
	_, err = p.Archive(t.Context(), caller, r, fresh)
	require.NoError(t, err)
	old, err := p.PlaceBegun(t.Context(), caller, r, time.Now().Add(-25*time.Hour))
	require.NoError(t, err)
	_, err = p.Archive(t.Context(), caller, r, old)
	require.ErrorContains(t, err, "more than a day ago")
}

// A page ends when its time is up, also without records, and goes on from there.
func TestAPageEndsWhenItsTimeIsUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.privacy.SetPageTime(0)
	w.exec(`insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
		select $1, now() - n * interval '1 year', now(), gen_random_uuid(), 'note', case n when 4 then 'ben-phone' else $2 end
		from generate_series(1, 4) n`, w.app.Live.ID, phone)
	rows, pages := w.archive(privacy.Request{AppUserID: phone})
	require.Greater(t, pages, 4)
	require.Len(t, rows["product_event"], 3)
}

// A page gives a search up that takes too long, and the next ones go on where it was.
func TestASearchThatTakesTooLongIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id)
		select $1, now() - n * interval '1 minute', now(), gen_random_uuid(), 'note', $2
		from generate_series(1, 1500) n`, w.app.Live.ID, phone)
	request := privacy.Request{EnvironmentID: w.app.Live.ID, AppUserID: phone}
	first, err := w.privacy.Archive(t.Context(), caller, request, "")
	require.NoError(t, err)
	tx, err := w.db.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `lock table product_event in access exclusive mode`)
	require.NoError(t, err)
	page, err := w.privacy.Archive(t.Context(), caller, request, first.After)
	require.NoError(t, err)
	require.Empty(t, page.Records)
	require.NotEmpty(t, page.After)
	require.NoError(t, tx.Rollback(t.Context()))
	given := len(first.Records)
	for after := page.After; after != ""; after = page.After {
		page, err = w.privacy.Archive(t.Context(), caller, request, after)
		require.NoError(t, err)
		given += len(page.Records)
	}
	require.Equal(t, 1500, given)
}

func TestAnArchiveIsOfSomebody(t *testing.T) {
	w := newWorld(t)
	_, err := w.privacy.Archive(t.Context(), caller, privacy.Request{}, "")
	require.True(t, fault.Is(err, fault.InvalidInput))
	_, err = w.privacy.Archive(t.Context(), caller, privacy.Request{CustomUserID: "nobody"}, "")
	require.True(t, fault.Is(err, fault.NotFound))
}
