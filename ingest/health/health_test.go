package health_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/ingest/health"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

var noon = time.Now().UTC().Truncate(24 * time.Hour).Add(-36 * time.Hour)

func event(t *testing.T, db *postgres.DB, environment int64, at time.Time, visitor string, delay time.Duration) {
	t.Helper()
	_, err := db.Pool.Exec(context.Background(), `
		insert into product_event (environment_id, occurred_at, event_key, received_at, name, app_user_id)
		values ($1, $2, gen_random_uuid(), $3, 'page_view', $4)`, environment, at, at.Add(delay), visitor)
	require.NoError(t, err)
}

func TestReadsReceiptsAndEvents(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	for hour, visitors := range map[int]int{0: 3, 1: 1, 26: 2} {
		for v := range visitors {
			event(t, db, 7, noon.Add(time.Duration(hour)*time.Hour+time.Minute), fmt.Sprint("v", v), time.Second)
		}
	}
	event(t, db, 8, noon, "somebody else", time.Hour)
	_, err := db.Pool.Exec(ctx, `
		insert into ingest_stat (environment_id, path, hour, accepted, duplicates, ignored, rejected, names_over_budget,
		session_hits_over_limit) values
			(7, 1, $1, 4, 2, 1, '{"event_too_old": 3}', 5, 6), (7, 1, $2, 2, 0, 0, '{"event_too_old": 1, "name_required": 1}', 0, 0),
			(7, 2, $1, 100, 0, 0, '{}', 4, 0), (8, 1, $1, 100, 0, 0, '{}', 0, 0)`, noon, noon.Add(26*time.Hour))
	require.NoError(t, err)
	for i, r := range []struct {
		environment, hour, over int
		started                 bool
	}{
		{7, 0, 3, true}, {7, 1, 4, false}, {7, 2, 0, false}, {7, 3, 0, true}, {7, 27, 9, false}, {7, -1, 9, false},
		{8, 0, 9, false},
	} {
		_, err := db.Pool.Exec(ctx, `
			insert into flow_run (environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at, home_day,
				changed_xid, hits, contexts, hits_over_limit)
			select $1, $2, gen_random_uuid(), gen_random_uuid(), false, $3, at, at, at::date, pg_current_xact_id(), '', '', $5
			from (select $4::timestamptz as at) t`,
			r.environment, fmt.Sprint("u", i), r.started, noon.Add(time.Duration(r.hour)*time.Hour), r.over)
		require.NoError(t, err)
	}

	_, err = db.Pool.Exec(ctx, `insert into experiment_served_count (environment_id, day, left_out)
		select e, ($1::timestamptz at time zone 'UTC')::date + d, 10 ^ (d + 1) from unnest(array[7, 8]) e, generate_series(-1, 2) d`,
		noon)
	require.NoError(t, err)
	h, err := health.Read(ctx, db, 7, noon, noon.Add(27*time.Hour), health.Hour, time.Now())
	require.NoError(t, err)
	require.Equal(t, health.Counts{Accepted: 6, Duplicates: 2, Ignored: 1, Rejected: 5, Events: 6, Visitors: 3}, h.Totals)
	require.Equal(
		t, []health.Rejection{{Code: "event_too_old", Count: 4}, {Code: "name_required", Count: 1}}, h.RejectedBy,
	)
	require.Equal(t, int64(9), h.NamesOverBudget, "of product and flow hits")
	require.Equal(t, int64(6), h.SessionHitsOverLimit)
	require.Equal(t, int64(7), h.RunHitsOverLimit)
	require.Equal(t, int64(2), h.RunsWithoutStart)
	require.Equal(t, int64(10+100), h.ServedLeftOut, "of the range's days")
	require.InDelta(t, 1, h.Delay.P50, 0.01)
	require.InDelta(t, 1, h.Delay.P99, 0.01)
	require.Len(t, h.Points, 27)
	require.Equal(
		t, health.Counts{Accepted: 4, Duplicates: 2, Ignored: 1, Rejected: 3, Events: 3, Visitors: 3}, h.Points[0].Counts,
	)
	require.Equal(t, health.Counts{}, h.Points[2].Counts)

	storage, err := db.EventStorage(ctx)
	require.NoError(t, err)
	require.Equal(t, !storage.HourlySketches, h.Exact)

	days, err := health.Read(ctx, db, 7, noon.Truncate(24*time.Hour), noon.Add(36*time.Hour), health.Day, time.Now())
	require.NoError(t, err)
	require.Len(t, days.Points, 2)
	require.Equal(t, h.Totals, days.Totals)
	require.Equal(t, int64(3), days.Points[0].Visitors)
	require.Equal(t, int64(2), days.Points[1].Visitors)
}

func TestEmptyRangeAndBadRange(t *testing.T) {
	db := pgtest.New(t)
	now := time.Now()
	h, err := health.Read(context.Background(), db, 7, time.Time{}, time.Time{}, health.Day, now)
	require.NoError(t, err)
	require.Len(t, h.Points, 7)
	require.Nil(t, h.Delay)
	require.Equal(t, health.Counts{}, h.Totals)

	var field *analytics.FieldError
	_, err = health.Read(context.Background(), db, 7, now, now.Add(-time.Hour), health.Day, now)
	require.ErrorAs(t, err, &field)
	require.Equal(t, "range.end", field.Field)
	_, err = health.Read(context.Background(), db, 7, now.AddDate(-1, 0, 0), now, health.Hour, now)
	require.ErrorAs(t, err, &field)
	require.Equal(t, "range", field.Field)
}
