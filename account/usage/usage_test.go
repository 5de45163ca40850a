package usage_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/account/usage"
	"github.com/svc-dev/svc/delivery/deliverytest"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

var now = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

const grace = 14 * 24 * time.Hour

func run(t *testing.T, db *postgres.DB, sql string, args ...any) {
	t.Helper()
	_, err := db.Pool.Exec(context.Background(), sql, args...)
	require.NoError(t, err)
}

// A report counts what live environments used in the month, by day and by app, and nothing else.
func TestAReportIsOfTheMonth(t *testing.T) {
	db := pgtest.New(t)
	app := deliverytest.NewApp(t, db.Pool)
	var workspace uuid.UUID
	require.NoError(t, db.Pool.QueryRow(t.Context(), `select workspace_id from apps where id = $1`, app.ID).Scan(&workspace))
	read := func(q usage.Question) (*usage.Report, error) {
		q.WorkspaceID, q.Grace = workspace, grace
		if q.Now.IsZero() {
			q.Now = now
		}
		return usage.Read(t.Context(), db.Pool, q)
	}
	free, err := read(usage.Question{})
	require.NoError(t, err)
	require.Equal(t, plan.SelfHosted().Key, free.Plan.Key)
	require.Len(t, free.Days, 20)
	require.False(t, free.Counted)
	require.EqualValues(t, 1, free.Apps)
	require.Empty(t, free.ByApp)
	require.Nil(t, free.GraceDaysLeft)

	run(t, db, `insert into plans (key, name, features, limits) values ('indie', 'Indie', '[]', '{"live_mau": 4}')`)
	run(t, db, `delete from subscriptions where workspace_id = $1`, workspace)
	run(t, db, `insert into subscriptions (id, plan_id, workspace_id) values ($1, 'indie', $2)`, uuid.New(), workspace)
	for _, day := range []struct {
		environment int64
		day         string
		people      int
	}{{app.Live.ID, "2026-11-01", 3}, {app.Live.ID, "2026-11-20", 2}, {app.Live.ID, "2026-10-31", 9}, {app.Test.ID, "2026-11-02", 9}} {
		run(t, db, `insert into live_user_day (environment_id, day, people) values ($1, $2::text::date, $3)`, day.environment, day.day, day.people)
		run(t, db, `insert into ingest_stat (environment_id, path, hour, accepted)
			values ($1, 1, $2::text::timestamp at time zone 'UTC' + interval '23 hours', $3)`, day.environment, day.day, 10*day.people)
	}
	run(t, db, `insert into live_user_total (workspace_id, month, people) values ($1, '2026-11-01', 5), ($1, '2026-10-01', 9)`, workspace)
	used, err := read(usage.Question{Month: "2026-11"})
	require.NoError(t, err)
	require.True(t, used.Counted)
	require.EqualValues(t, 5, used.LiveUsers)
	require.EqualValues(t, 50, used.Events)
	require.Equal(t, usage.PauseLimit, used.Pause, "five are more than four")
	require.EqualValues(t, 3, used.Days[0].NewLiveUsers)
	require.EqualValues(t, 3, used.Days[18].LiveUsers)
	today := usage.Day{Day: now.Truncate(24 * time.Hour), LiveUsers: 5, NewLiveUsers: 2, Events: 20}
	require.Equal(t, today, used.Days[19])
	require.Len(t, used.ByApp, 1)
	require.EqualValues(t, 5, used.ByApp[0].LiveUsers)
	before, err := read(usage.Question{Month: "2026-10"})
	require.NoError(t, err)
	require.Len(t, before.Days, 31)
	require.EqualValues(t, 9, before.LiveUsers)
	require.Empty(t, before.Pause, "a month that is over pauses nothing")

	run(t, db, `update subscriptions set status = 'past_due', past_due_since = $1 where workspace_id = $2`,
		now.Add(-10*24*time.Hour-time.Hour), workspace)
	late, err := read(usage.Question{Month: "2026-10"})
	require.NoError(t, err)
	require.Equal(t, 4, *late.GraceDaysLeft, "rounded up")
	require.Empty(t, late.Pause)
	later, err := read(usage.Question{Now: now.Add(5 * 24 * time.Hour)})
	require.NoError(t, err)
	require.Zero(t, *later.GraceDaysLeft)
	require.Equal(t, usage.PausePastDue, later.Pause)

	for _, wrong := range []string{"2026-12", "november", "2026-13", "2026-11-01"} {
		_, err := read(usage.Question{Month: wrong})
		require.True(t, fault.Is(err, fault.InvalidInput), wrong)
	}
}
