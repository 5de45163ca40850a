package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// Rows are decoded without copying, from a buffer that the next rows overwrite.
// Every column of many rows of different lengths must come out as it was stored.
func TestEveryColumnIsReadAsItIsStored(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	write(t, db.Pool, "first", "s", today) // makes the name that the hits below have
	_, err := db.Pool.Exec(ctx, `
		insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, changed_xid,
			hits, source, medium, campaign, content, term, adset, creative, referrer, landing_url, country, region, city,
			platform,
			device, browser, os)
		select 7, 'visitor-' || n || repeat('x', n % 23), 's' || n, s.started_at, s.last_at, s.home_day, s.changed_xid,
			s.hits,
			repeat('so', 1 + n % 7), repeat('m', 1 + n % 5), repeat('ca', 1 + n % 11), repeat('co', 1 + n % 3), repeat('t',
			1 + n % 13), repeat('a', 1 + n % 2), repeat('cr', 1 + n % 9),
			case when n % 4 = 0 then '' else 'https://www.host' || n % 17 || '.example/' || repeat('path', n % 29) end, '',
			chr(65 + n % 26) || chr(65 + n % 11), 'region-' || n % 31, repeat('city', 1 + n % 6), 'web', repeat('d',
			1 + n % 4), repeat('b', 1 + n % 8), repeat('o', 1 + n % 10)
		from product_session s, generate_series(1, 5000) n where s.session_id = 's'`)
	require.NoError(t, err)
	s := newStore(t, db.Pool, Settings{})
	from, to := today.Add(-time.Hour), today.Add(time.Hour)
	view, err := s.View(ctx, environmentID, from, to)
	require.NoError(t, err)
	selection, err := s.engine.Select(view, analytics.Scope{Start: from, End: to}, nil, today)
	require.NoError(t, err)
	tables := map[analytics.Dimension]func(
		context.Context, analytics.Dimension, report.Page,
	) (*report.Table[report.Row], error){
		analytics.Referrer: selection.Attribution, analytics.Source: selection.Attribution,
		analytics.Medium:   selection.Attribution,
		analytics.Campaign: selection.Attribution, analytics.Content: selection.Attribution,
		analytics.Term:  selection.Attribution,
		analytics.Adset: selection.Attribution, analytics.Creative: selection.Attribution,
		analytics.Country: selection.Demographic,
		analytics.Browser: selection.Technology, analytics.OS: selection.Technology, analytics.Device: selection.Technology,
	}
	for dimension, table := range tables {
		column := pgx.Identifier{string(dimension)}.Sanitize()
		if dimension == analytics.Referrer {
			column = `coalesce(substring(referrer from '^https://www\.([^/]+)/'), '')`
		}
		rows, err := db.Pool.Query(ctx, fmt.Sprintf(`select %s, count(*) from product_session group by 1`, column))
		require.NoError(t, err)
		want := map[string]int64{}
		var value string
		var n int64
		_, err = pgx.ForEachRow(rows, []any{&value, &n}, func() error { want[value] = n; return nil })
		require.NoError(t, err)
		found, err := table(ctx, dimension, report.Page{First: 1000})
		require.NoError(t, err, dimension)
		got := map[string]int64{}
		for _, row := range found.Rows {
			got[row.Value] = row.Sessions
		}
		require.Equal(t, want, got, dimension)
	}
}
