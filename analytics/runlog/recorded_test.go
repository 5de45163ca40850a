package runlog_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/runlog"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// storeRuns stores runs that start at moments: each comes to one step and completes, some have another pass before.
func storeRuns(t *testing.T, db *postgres.DB, flow session.Key, starts []time.Time) {
	t.Helper()
	for id, kind := range map[int]run.NameKind{1: run.KindStep, 2: run.KindField, 3: run.KindOption} {
		_, err := db.Pool.Exec(t.Context(), `
			insert into flow_name (environment_id, id, kind, text, text_hash) values (1, $1, $2, $3, gen_random_uuid())`,
			id, kind, fmt.Sprint("name ", id))
		require.NoError(t, err)
	}
	var events []run.Event
	for i, start := range starts {
		key := session.Key(uuid.New())
		for place, hit := range []run.Hit{
			{Name: run.FlowStarted}, {Name: run.StepViewed, Step: 1}, {Name: run.ChoiceSelected, Step: 1, Subject: 2, Value: 3},
			{Name: run.StepCompleted, Step: 1}, {Name: run.FlowCompleted},
		} {
			hit.Key, hit.At, hit.Seq = session.Key(uuid.New()), start.UnixMilli()+int64(place), int64(place)
			events = append(events, run.Event{
				Person: fmt.Sprint("p", i%7), Flow: flow, RunID: key, Hit: hit,
				Context: run.Context{Release: run.Release{Version: session.Key{byte(1 + i%3)}, AssignmentVersion: -1}},
			})
		}
	}
	for _, r := range run.Fold(events) {
		_, err := db.Pool.Exec(t.Context(), `
			insert into flow_run (environment_id, app_user_id, flow_id, run_key, derived, started, first_at, last_at, home_day,
				hits, contexts)
			values (1, $1, $2, $3, $4, $5, $6, $7, ($6::timestamptz at time zone 'utc')::date, $8, $9)`,
			r.Person, pgtype.UUID{Bytes: r.Flow, Valid: true}, pgtype.UUID{Bytes: r.Key, Valid: true}, r.Derived, r.Started,
			time.UnixMilli(r.FirstAt), time.UnixMilli(r.LastAt), r.Hits, r.Contexts)
		require.NoError(t, err)
	}
}

// Whatever number of runs is asked for, those that started last are read, from several days and by both readers.
func TestTheNewestRunsAreRecorded(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewPCG(1, 2))
	var starts []time.Time
	for i := range 300 {
		day := random.IntN(5) * random.IntN(3) // days with many runs, with few, and with none
		starts = append(starts, now.AddDate(0, 0, -1-day).Add(time.Duration(i)*time.Minute))
	}
	flow := session.Key(uuid.MustParse(theFlow))
	storeRuns(t, db, flow, starts)
	slices.SortFunc(starts, func(a, b time.Time) int { return b.Compare(a) })
	reader := &runlog.Reader{DB: db.Pool, EnvironmentID: 1, Flow: flow}
	for _, limit := range []int{1, 2, 17, 100, 150, 299, 300, 1000} {
		got, err := reader.Recorded(t.Context(), db.Pool, limit, nil, now, time.Hour)
		require.NoError(t, err)
		want := starts[:min(limit, len(starts))]
		require.True(t, got.Complete)
		require.Equal(t, len(want), got.Len(), "limit %d", limit)
		require.Equal(t, want[0], got.Last, "limit %d", limit)
		require.Equal(t, want[len(want)-1], got.First, "limit %d", limit)
		require.LessOrEqual(t, len(got.Versions), 3)
	}
	other := &runlog.Reader{DB: db.Pool, EnvironmentID: 1, Flow: session.Key{1}}
	none, err := other.Recorded(t.Context(), db.Pool, 10, nil, now, time.Hour)
	require.NoError(t, err)
	require.Zero(t, none.Len())
	require.True(t, none.Complete)
}
