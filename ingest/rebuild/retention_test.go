package rebuild

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/maintenance"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// After five years raw events and sessions go, whichever way the events are
// stored; the first touch stays, and a rebuild does not mistake what expired for
// what broke (analytics.md §4).
func TestRetentionKeepsFirstTouches(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	quiet := slog.New(slog.DiscardHandler)
	importer, err := ingest.NewImporter(db, ingest.Settings{}, ingest.Deps{Logger: quiet})
	require.NoError(t, err)
	require.NoError(t, importer.Start(ctx))
	event := func(id, visitor, session string, yearsAgo int) []byte {
		at := time.Now().UTC().AddDate(-yearsAgo, 0, 0).Format(time.RFC3339)
		return []byte(
			`{"eventId":"` + id + `","name":"x","timestamp":"` + at + `","appUserId":"` + visitor + `","sessionId":"` + session + `","context":{"platform":"web","attribution":{"source":"from ` + session + `"}}}`,
		)
	}
	answer, err := importer.Store(ctx, [][]byte{
		event("1", "came once", "old", 6), event("2", "came back", "old", 7), event("3", "came back", "new", 1),
		event("4", "young", "new", 2),
	}, ingest.History{EnvironmentID: environmentID, ReceivedAt: time.Now()})
	require.NoError(t, err)
	require.Equal(t, 4, answer.Stored)
	require.NoError(t, importer.Stop(ctx))
	touches := func() string {
		return text(
			t, db,
			`select jsonb_agg(to_jsonb(f) - 'changed_xid' order by app_user_id)::text from product_analytics_first_touch f`,
		)
	}
	before := touches()
	require.Contains(t, before, `"source": "from old"`)

	storage, err := db.EventStorage(ctx)
	require.NoError(t, err)
	if storage.Hypertables {
		_, err = db.Pool.Exec(ctx, `do $$ declare id int; begin
			for id in select job_id from timescaledb_information.jobs
			where proc_name = 'policy_retention' and hypertable_name = 'product_event' loop call run_job(id); end loop;
		end $$`)
		require.NoError(t, err)
	}
	keeping := maintenance.New(db, maintenance.Settings{}, maintenance.Deps{Logger: quiet})
	require.NoError(t, keeping.Start(ctx))
	require.Eventually(t, func() bool {
		return text(
			t, db, `select (select count(*) from product_session) || ' ' || (select count(*) from product_event)`,
		) == "2 2"
	}, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, keeping.Stop(ctx))
	require.Equal(
		t, `["new came back", "new young"]`,
		text(t, db, `select jsonb_agg(session_id || ' ' || app_user_id order by app_user_id)::text from product_session`),
	)
	require.Equal(t, before, touches())

	summary, err := Run(
		ctx, db.Pool,
		Options{EnvironmentID: environmentID, HitLimit: 10_000, Retention: 5 * 365 * 24 * time.Hour, Now: time.Now()},
	)
	require.NoError(t, err)
	require.Equal(t, Result{Events: 2, Sessions: Tally{Compared: 2}, FirstTouches: Tally{Compared: 1}}, summary)
	require.Equal(t, before, touches())
}
