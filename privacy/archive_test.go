package privacy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/privacy"
)

// archive reads all pages and returns the rows by table.
func (w *world) archive(r privacy.Request) (rows map[string][]string, pages int) {
	w.t.Helper()
	r.EnvironmentID = w.app.Live.ID
	rows = map[string][]string{}
	for after := ""; ; pages++ {
		page, err := w.privacy.Archive(w.t.Context(), r, after)
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
			require.NotContains(t, fmt.Sprint(rows), "ben-")
		})
	}
	w.erase(privacy.Request{EnvironmentID: w.app.Live.ID, AppUserID: phone})
	rows, _ := w.archive(privacy.Request{AppUserID: phone})
	require.Empty(t, rows)
}

func TestAnArchiveComesInPages(t *testing.T) {
	w := newWorld(t)
	w.exec(`
		insert into product_event (environment_id, occurred_at, received_at, event_key, name, app_user_id, properties)
		select $1, at, at, gen_random_uuid(), 'note ' || n, case n % 2 when 0 then $2 else 'ben-phone' end,
			jsonb_build_object('text', repeat('x', case when n < 5000 then 1 else 5000 end))
		from generate_series(1, 6000) n, lateral (select timestamptz '2026-01-01' + n / 100 * interval '1 minute' as at) as t`,
		w.app.Live.ID, phone)
	rows, pages := w.archive(privacy.Request{AppUserID: phone})
	require.GreaterOrEqual(t, pages, 5, "2,500 small events fill two, 2.5 MB in 500 large ones two more")
	require.Len(t, rows["product_event"], 3000)
	names := map[string]bool{}
	for _, row := range rows["product_event"] {
		var event struct{ Name string }
		require.NoError(t, json.Unmarshal([]byte(row), &event))
		names[event.Name] = true
	}
	require.Len(t, names, 3000, "each once")
}

func TestAnArchiveIsOfSomebody(t *testing.T) {
	w := newWorld(t)
	_, err := w.privacy.Archive(t.Context(), privacy.Request{}, "")
	require.True(t, fault.Is(err, fault.InvalidInput))
	_, err = w.privacy.Archive(t.Context(), privacy.Request{CustomUserID: "nobody"}, "")
	require.True(t, fault.Is(err, fault.NotFound))
	for _, after := range []string{"%", "bm8", "eyJzIjotMX0"} {
		_, err = w.privacy.Archive(t.Context(), privacy.Request{AppUserID: phone}, after)
		var invalid *fault.Error
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, "after", invalid.Field)
	}
}
