package store

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/postgres/pgtest"
)

// BenchmarkLoad times the first view of 30 days after the store was opened: names, first touches
// and every session. SVC_BENCH_SESSIONS sets how many sessions there are.
func BenchmarkLoad(b *testing.B) {
	sessions := sizeFrom("SVC_BENCH_SESSIONS", 20_000)
	db := pgtest.New(b)
	ctx := context.Background()
	for _, statement := range []struct {
		sql  string
		args []any
	}{
		{`insert into event_name (environment_id, id, kind, text, text_hash)
			select 7, i, 4, '/page/' || i, gen_random_uuid() from generate_series(1, 3000) i`, nil},
		// A hit is (ms since 2020) << 22 | name.
		{`insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day,
				source, medium, campaign, referrer, landing_url, country, region, city, platform, device, browser, os, hits)
			select 7, '0197aa00-0000-7000-8000-' || lpad((random() * random() * $1 * 0.5)::int::text, 12, '0'),
			'0197aa00-0000-7000-9000-' || lpad(i::text, 12, '0'),
				at, at + interval '5 minutes', at::date, 'source-' || (random() * random() * 200)::int, 'cpc',
				'campaign-' || (random() * random() * 500)::int,
				'https://ref-' || (random() * random() * 800)::int || '.example/', 'https://app.example/', 'C' || i % 120,
				'R' || i % 1200, 'City ' || i % 9000,
				'web', 'desktop', 'Safari', 'macOS',
				(select array_agg((((extract(epoch
				from at) * 1000)::bigint - 1577836800000 + h * 1000) << 22) | (1 + (i * 7 + h * h) % 3000))
					from generate_series(1, 1 + (i * 31) % 11) h)
			from (select i, timestamptz '2026-10-22 00:00Z' + (i::float8 / $1) * interval '30 days' as at
			from generate_series(0, $1 - 1) i) s`, []any{sessions}},
		{`insert into product_analytics_first_touch (environment_id, app_user_id, first_seen_at, session_rank,
			session_started_at, session_id, source)
			select 7, app_user_id, min(started_at), 0, min(started_at), min(session_id), 'google' from product_session
			group by app_user_id`, nil},
		{`vacuum analyze product_session`, nil},
	} {
		_, err := db.Pool.Exec(ctx, statement.sql, statement.args...)
		require.NoError(b, err)
	}
	from := time.Date(2026, 10, 22, 0, 0, 0, 0, time.UTC)
	for _, days := range []int{7, 30} {
		b.Run(strconv.Itoa(days)+"days", func(b *testing.B) {
			for b.Loop() {
				s := newStore(b, db.Pool, Settings{Patience: time.Minute, Budget: 4 << 30})
				view, err := s.View(ctx, environmentID, from.AddDate(0, 0, 30-days), from.AddDate(0, 0, 30))
				require.NoError(b, err)
				rows := 0
				for _, f := range view.Frames {
					rows += f.Sealed.Len()
				}
				b.ReportMetric(float64(rows), "sessions")
				b.ReportMetric(float64(s.replicas[environmentID].data.Bytes())/float64(rows), "B/session")
			}
		})
	}
}

// BenchmarkOpen times the opening of an environment that has many visitors and few sessions. SVC_BENCH_VISITORS
// sets how many first touches there are.
func BenchmarkOpen(b *testing.B) {
	visitors := sizeFrom("SVC_BENCH_VISITORS", 50_000)
	db := pgtest.New(b)
	ctx := context.Background()
	const batch = 100_000
	for from := 0; from < visitors; from += batch {
		_, err := db.Pool.Exec(ctx, `insert into product_analytics_first_touch
				(environment_id, app_user_id, first_seen_at, session_rank, session_started_at, session_id, source)
			select 7, gen_random_uuid()::text, timestamptz '2026-10-22 00:00Z' + i * interval '1 second', 0,
				timestamptz '2026-10-22 00:00Z', gen_random_uuid()::text, 'source-' || i % 50
			from generate_series($1::int, $2::int) i`, from+1, min(from+batch, visitors))
		require.NoError(b, err)
	}
	for _, sql := range []string{
		`insert into product_session (environment_id, app_user_id, session_id, started_at, last_at, home_day, hits)
			select environment_id, app_user_id, session_id, timestamptz '2026-11-20 00:00Z', timestamptz '2026-11-20 00:05Z',
				'2026-11-20', '{}' from product_analytics_first_touch limit 100`,
		`vacuum analyze product_analytics_first_touch`,
	} {
		_, err := db.Pool.Exec(ctx, sql)
		require.NoError(b, err)
	}
	from := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for b.Loop() {
		s := newStore(b, db.Pool, Settings{Patience: time.Minute, Budget: 4 << 30})
		_, err := s.View(ctx, environmentID, from, from.AddDate(0, 0, 1))
		require.NoError(b, err)
		b.ReportMetric(float64(s.replicas[environmentID].data.Bytes())/float64(visitors), "B/visitor")
		b.ReportMetric(float64(visitors), "visitors")
	}
}

// sizeFrom is a size that the environment may set.
func sizeFrom(variable string, size int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil && n > 0 {
		return n
	}
	return size
}
