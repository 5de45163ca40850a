package parquetfiles

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const benchEvents = 200_000

// storeMany stores page views of one day as SDKs send them.
func storeMany(t testing.TB, db *postgres.DB, n int) {
	t.Helper()
	_, err := db.Pool.Exec(context.Background(), `
		insert into product_event (environment_id, occurred_at, received_at, event_key, event_id, name, app_user_id,
			session_id, page, source, organic, country, region, city, platform, device, browser, os, app_version, locale,
			properties)
		select 11, '2026-03-01 00:00Z'::timestamptz + n * interval '400 milliseconds', '2026-03-01 10:00Z',
			md5(n::text)::uuid, md5(n::text)::uuid::text, 'page_view', 'p' || n % 60000, 's' || n % 60000,
			'/page-' || n % 100, 'news.example', false, 'DE', 'BY', 'Ulm', 'web', 'desktop', 'Chrome', 'Mac OS', '1.2', 'de-DE',
			'{"plan": "pro"}'
		from generate_series(1, $1::int) n`, n)
	require.NoError(t, err)
	_, err = db.Pool.Exec(context.Background(), `analyze product_event`)
	require.NoError(t, err)
}

func BenchmarkExport(b *testing.B) {
	db := pgtest.New(b)
	storeMany(b, db, benchEvents)
	for b.Loop() {
		done, err := Export(b.Context(), db.Pool, Options{
			App: "app", Environment: "live", EnvironmentID: 11, To: Folder(b.TempDir()), Tables: []string{"events"},
		})
		require.NoError(b, err)
		require.EqualValues(b, benchEvents, done.Rows)
	}
	b.ReportMetric(benchEvents*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
