package rebuild

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

const runHitLimit = 8

// sendFlows stores batches of made-up flow events: with run ids and without, over the limit of hits, over the budget
// of names, and with custom properties that the database writes in another form than they were sent in.
func sendFlows(t *testing.T, db *postgres.DB, events int) {
	t.Helper()
	writer, err := ingest.New(db, ingest.Settings{RunHitLimit: runHitLimit, NameBudget: 12},
		ingest.Deps{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.NoError(t, writer.Start(t.Context()))
	random := rand.New(rand.NewPCG(1, 9))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	for range 4 {
		var list []map[string]any
		for range events / 4 {
			e := map[string]any{
				"eventId": uuid.NewString(), "name": pick("flow_started", "step_viewed", "choice_selected", "flow_completed"),
				"flowId":    "11111111-1111-4111-8111-11111111111" + pick("1", "2"),
				"versionId": "22222222-2222-4222-8222-222222222222", "variantId": pick("", "b"),
				"timestamp":  time.Now().Add(-time.Duration(random.IntN(5*24*3600)) * time.Second).Format(time.RFC3339),
				"identity":   map[string]any{"appUserId": fmt.Sprintf("v%d", random.IntN(12)), "sessionId": pick("", "s1")},
				"properties": map[string]any{"value": pick("yes", "no"), "field_key": fmt.Sprint("field", random.IntN(20))},
				"context": map[string]any{"platform": pick("", "web", "ios"), "customProperties": json.RawMessage(pick(
					`{}`, `{"tier":"gold"}`, `{"z":1.50,"a":1e2,"é":[],"z":"\u00e9"}`, `{"b":-0,"a":1E-3,"tags":["x"]}`,
				))},
			}
			if e["name"] != "flow_started" {
				e["stepId"], e["fromStepId"] = fmt.Sprint("step", random.IntN(9)), pick("", "step1")
			}
			if random.IntN(2) == 0 {
				e["runId"], e["seq"] = "0197aa00-0000-4000-8000-00000000000"+pick("1", "2"), random.IntN(9)
			}
			list = append(list, e)
		}
		list = append(list, map[string]any{
			"eventId": uuid.NewString(), "name": "banner_impression", "flowId": uuid.NewString(), "versionId": uuid.NewString(),
			"timestamp": time.Now().Format(time.RFC3339), "identity": map[string]any{"appUserId": "sees banners"},
		})
		body, err := json.Marshal(map[string]any{"events": list})
		require.NoError(t, err)
		answer, err := writer.Flow(
			t.Context(), body, ingest.Request{EnvironmentID: environmentID, ChannelID: 3, ReceivedAt: time.Now()},
		)
		require.NoError(t, err)
		require.Equal(t, len(list), answer.Stored, answer.Rejected)
	}
	require.NoError(t, writer.Stop(context.Background()))
}

func rebuildRuns(t *testing.T, db *postgres.DB, dryRun bool) (Result, []Difference) {
	t.Helper()
	var differences []Difference
	summary, err := Run(t.Context(), db.Pool, Options{
		EnvironmentID: environmentID, HitLimit: hitLimit, RunHitLimit: runHitLimit, Retention: retention, DryRun: dryRun,
		Now: time.Now(), Difference: func(d Difference) { differences = append(differences, d) },
	})
	require.NoError(t, err)
	require.EqualValues(t, len(differences), summary.Wrong())
	return summary, differences
}

// runState returns what is stored of runs. Of those over the limit which hits are kept is a matter of arrival.
func runState(t *testing.T, db *postgres.DB) string {
	t.Helper()
	return text(t, db, `
		select string_agg(format('%s %s %s %s %s %s..%s %s+%s', app_user_id, flow_id, run_key, derived, started, first_at,
			last_at, octet_length(hits) / 48, hits_over_limit), e'\n' order by app_user_id, flow_id, run_key) from flow_run`)
}

func TestRunsDontDifferUnlessSomethingBroke(t *testing.T) {
	db := pgtest.New(t)
	sendFlows(t, db, 600)
	for _, tried := range []string{
		`flow_run where hits_over_limit > 0`, `flow_run where derived`, `flow_run where not started`,
		`flow_name where text = '(other)'`,
	} {
		require.NotEqual(t, "0", text(t, db, `select count(*)::text from `+tried), tried)
	}
	names := text(t, db, `select count(*)::text from flow_name`)
	summary, differences := rebuildRuns(t, db, false)
	require.Empty(t, differences)
	require.EqualValues(t, 604, summary.Events)
	require.Equal(t, text(t, db, `select count(*)::text from flow_run`), fmt.Sprint(summary.Runs.Compared))
	require.Equal(t, names, text(t, db, `select count(*)::text from flow_name`), "looking adds no names")
	require.Equal(t, "0", text(t, db, `select count(*)::text from frame_invalidated`))
}

func TestBrokenRunsArePutRight(t *testing.T) {
	db := pgtest.New(t)
	sendFlows(t, db, 400)
	before, hits := runState(t, db), []string{"hits"}
	const one = ` where (app_user_id, flow_id, run_key) = (select app_user_id, flow_id, run_key from flow_run
		where hits_over_limit = 0 and octet_length(hits) >= 96 order by 1, 2, 3 limit 1)`
	for what, broken := range map[string]struct {
		sql    string
		kind   Kind
		fields []string
	}{
		"a run is gone": {`delete from flow_run` + one, Missing, nil},
		"a run is too many": {`insert into flow_run select environment_id, app_user_id, flow_id, gen_random_uuid(), derived,
			started, first_at, last_at, home_day, changed_xid, hits, contexts, 0 from flow_run` + one, Unexpected, nil},
		"a run of nobody": {`insert into flow_run select environment_id, 'nobody', flow_id, run_key, derived,
			started, first_at, last_at, home_day, changed_xid, hits, contexts, 0 from flow_run` + one, Unexpected, nil},
		"a banner's person has a run": {`insert into flow_run select environment_id, 'sees banners', flow_id, run_key,
			derived, started, first_at, last_at, home_day, changed_xid, hits, contexts, 0 from flow_run` + one, Unexpected, nil},
		"a lost hit":   {`update flow_run set hits = substring(hits for octet_length(hits) - 48)` + one, Different, hits},
		"a hit beyond": {`update flow_run set hits_over_limit = 1` + one, Different, hits},
		"a hit's seq":  {`update flow_run set hits = set_byte(hits, 32, 77)` + one, Different, hits},
		"no contexts":  {`update flow_run set contexts = ''` + one, Different, hits},
		"half a hit":   {`update flow_run set hits = substring(hits for 50)` + one, Different, hits},
		"its start and times": {`update flow_run set started = not started, derived = not derived,
			first_at = (first_at at time zone 'UTC' + interval '1 s') at time zone 'UTC',
			last_at = (last_at at time zone 'UTC' + interval '1 s') at time zone 'UTC'` + one,
			Different, []string{"derived", "firstAt", "lastAt", "started"}},
	} {
		exec(t, db, broken.sql)
		damaged := runState(t, db)
		summary, differences := rebuildRuns(t, db, true)
		require.Len(t, differences, 1, what)
		require.Equal(t, broken.kind, differences[0].Kind, what)
		require.Equal(t, broken.fields, differences[0].Fields, what)
		require.Equal(t, runTable, differences[0].Table)
		require.Zero(t, summary.Runs.Fixed)
		require.Equal(t, damaged, runState(t, db), "a dry run changes nothing")
		summary, again := rebuildRuns(t, db, false)
		require.Equal(t, differences, again, what)
		require.EqualValues(t, 1, summary.Runs.Fixed)
		_, none := rebuildRuns(t, db, false)
		require.Empty(t, none, what)
		require.Equal(t, before, runState(t, db), what)
	}
	require.NotEqual(t, "0", text(t, db, `select count(*)::text from frame_invalidated`))
}

// Events that were stored before runs were are made runs of, names and all.
func TestRunsOfOldEventsAreMade(t *testing.T) {
	db := pgtest.New(t)
	sendFlows(t, db, 200)
	before := runState(t, db)
	exec(t, db, `delete from flow_run`)
	exec(t, db, `delete from flow_name`)
	summary, _ := rebuildRuns(t, db, false)
	require.Equal(t, summary.Runs.Compared, summary.Runs.Missing)
	require.Equal(t, summary.Runs.Missing, summary.Runs.Fixed)
	require.Equal(t, before, runState(t, db))
	steps := text(t, db, `select count(*)::text from flow_name where kind = 1`)
	require.Equal(t, "9", steps, "beyond the budget of clients")
	_, none := rebuildRuns(t, db, false)
	require.Empty(t, none)
}
