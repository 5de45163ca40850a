package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/postgres"
	"github.com/svc-dev/svc/postgres/pgtest"
)

// flowLine is a flow event of the wire in the test's flow.
type flowLine map[string]any

func newFlowLine(name, person string, at time.Time) flowLine {
	return flowLine{
		"eventId": uuid.NewString(), "name": name, "timestamp": at.Format("2006-01-02T15:04:05.000Z"),
		"flowId": "11111111-1111-4111-8111-111111111111", "versionId": "22222222-2222-4222-8222-222222222222",
		"identity": map[string]any{"appUserId": person, "sessionId": "s"},
	}
}

func (l flowLine) with(key string, value any) flowLine { l[key] = value; return l }

func flowBody(t require.TestingT, lines ...flowLine) []byte {
	body, err := json.Marshal(map[string]any{"events": lines})
	require.NoError(t, err)
	return body
}

// sendFlow sends events as one batch and returns what became of them.
func sendFlow(t require.TestingT, w *Writer, lines ...flowLine) Answer {
	answer, err := w.Flow(
		context.Background(), flowBody(t, lines...), Request{EnvironmentID: 7, ChannelID: 4, ReceivedAt: time.Now()},
	)
	require.NoError(t, err)
	require.Empty(t, answer.Rejected)
	return answer
}

// storedRuns reads flow_run, and the texts of its names as kind:text.
func storedRuns(t require.TestingT, db *postgres.DB) ([]run.Row, func(id int32) string) {
	texts := map[int32]string{}
	rows, err := db.Pool.Query(context.Background(), `select id, kind, text from flow_name where environment_id = 7`)
	require.NoError(t, err)
	var id int32
	var kind int16
	var text string
	_, err = pgx.ForEachRow(rows, []any{&id, &kind, &text}, func() error {
		texts[id] = fmt.Sprintf("%d:%s", kind, text)
		return nil
	})
	require.NoError(t, err)
	rows, err = db.Pool.Query(context.Background(), `
		select app_user_id, flow_id, run_key, derived, started, first_at, last_at, hits, contexts
		from flow_run where environment_id = 7 order by app_user_id collate "C", flow_id, run_key`)
	require.NoError(t, err)
	runs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r run.Row, err error) {
		var flow, key pgtype.UUID
		var first, last time.Time
		err = row.Scan(&r.Person, &flow, &key, &r.Derived, &r.Started, &first, &last, &r.Hits, &r.Contexts)
		r.Flow, r.Key, r.FirstAt, r.LastAt = flow.Bytes, key.Bytes, first.UnixMilli(), last.UnixMilli()
		return r, err
	})
	require.NoError(t, err)
	return runs, func(id int32) string { return texts[id] }
}

// readable writes every run of rows with its hits as texts.
func readable(t require.TestingT, rows []run.Row, text func(id int32) string) string {
	var b strings.Builder
	for i := range rows {
		found, err := rows[i].Runs(text)
		require.NoError(t, err)
		for _, r := range found {
			fmt.Fprintf(
				&b, "%s %s pass %d start %v %d..%d\n", r.Person, uuid.UUID(r.Key), r.Pass, r.HasStart, r.StartedAt, r.LastAt,
			)
			fmt.Fprintf(&b, "  %v\n", r.Context)
			for _, h := range r.Hits {
				fmt.Fprintf(&b, "  %s", h.Name)
				for _, id := range []int32{h.Step, h.From, h.Subject, h.Value} {
					switch id {
					case 0:
						b.WriteString(" -")
					case run.FromStart:
						b.WriteString(" start")
					default:
						b.WriteString(" " + text(id))
					}
				}
				b.WriteString("\n")
			}
		}
	}
	return b.String()
}

func TestAFlowsHitsAreStoredInRuns(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	at := time.Now().UTC().Add(-time.Hour).Truncate(time.Second)
	const id = "0197aa00-0000-4000-8000-00000000000a"
	seq := 0
	gold := map[string]any{"platform": "ios", "customProperties": map[string]any{"tier": "gold"}}
	line := func(name string, more ...any) flowLine {
		l := newFlowLine(name, "u", at.Add(time.Duration(seq)*time.Second)).with("runId", id).with("seq", seq)
		seq++
		for i := 0; i < len(more); i += 2 {
			l[more[i].(string)] = more[i+1]
		}
		return l
	}
	properties := func(pairs ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	}
	lines := []flowLine{
		line("flow_started", "context", gold),
		line("step_viewed", "stepId", "goal", "fromStepId", nil, "assignmentVersion", 3),
		line("choice_selected", "stepId", "goal", "properties", properties("field_key", "why", "value", "opt_a")),
		line("choice_selected", "stepId", "goal", "fieldClassification", "sensitive",
			"properties", properties("field_key", "why", "value", "secret")),
		line("text_submitted", "stepId", "name", "properties", properties("field_key", "name", "value", "granted")),
		line("text_submitted", "stepId", "push",
			"properties", properties("field_key", "permission:push", "value", "granted")),
		line("text_submitted", "stepId", "push",
			"properties", properties("field_key", "permission:push", "value", "my name")),
		line("decision_evaluated",
			"properties", properties("decision_node_id", "d1", "matched_case_id", "c1", "used_else_branch", false)),
		line("decision_evaluated",
			"properties", properties("decision_node_id", "d2", "matched_case_id", nil, "used_else_branch", true)),
		line("surface_presented", "stepId", "wall", "fromStepId", "goal", "properties", properties("provider", "stripe")),
		line("surface_outcome", "stepId", "wall",
			"properties", properties("provider", "stripe", "outcome", "purchase_completed")),
		line("iap_purchase", "stepId", "wall",
			"properties", properties("provider", "stripe", "surface_node_id", "wall", "product_id", "pro")),
		line("step_skipped", "stepId", "age", "properties", properties("field_key", "age", "empty_capture", true)),
		line("choice_selected", "stepId", "goal",
			"properties", properties("field_key", strings.Repeat("é", 256), "value", strings.Repeat("x", 257))),
		line("choice_selected", "stepId", "goal", "properties", properties("field_key", 5, "value", []string{"a"})),
		line("flow_completed", "properties", properties("responseCount", 3)),
		newFlowLine("banner_impression", "u", at).with("runId", uuid.NewString()),
	}
	require.Equal(t, len(lines), sendFlow(t, w, lines...).Stored)
	rows, text := storedRuns(t, db)
	require.Len(t, rows, 1, "a banner is no flow")
	require.Equal(t, strings.Join([]string{
		fmt.Sprintf("u %s pass 0 start true %d..%d", id, at.UnixMilli(), at.Add(15*time.Second).UnixMilli()),
		fmt.Sprintf(`  {{4 %v -1 %v } {ios  } {  } {  } {"tier":"gold"}}`,
			[16]byte(uuid.MustParse("22222222-2222-4222-8222-222222222222")), [16]byte{}),
		"  flow_started - - - -",
		"  step_viewed 1:goal start - -",
		"  choice_selected 1:goal - 2:why 3:opt_a",
		"  choice_selected 1:goal - 2:why 3:__redacted__",
		"  text_submitted 1:name - 2:name -",
		"  text_submitted 1:push - 2:permission:push 7:granted",
		"  text_submitted 1:push - 2:permission:push -",
		"  decision_evaluated - - 4:d1 5:c1",
		"  decision_evaluated - - 4:d2 -",
		"  surface_presented 1:wall 1:goal 6:stripe -",
		"  surface_outcome 1:wall - 6:stripe 7:purchase_completed",
		"  iap_purchase 1:wall - 6:stripe 8:pro",
		"  step_skipped 1:age - 2:age -",
		"  choice_selected 1:goal - 2:" + strings.Repeat("é", 256) + " 3:(other)",
		"  choice_selected 1:goal - - -",
		"  flow_completed - - - -",
		"",
	}, "\n"), readable(t, rows, text))
	require.Zero(t, count(t, db, `select count(*) from flow_name where text in ('secret', 'my name')`))
}

// makeFlowLines makes events of a few people: with run ids, without, and of both kinds at once, some with a lost start.
func makeFlowLines(random *rand.Rand, n int) []flowLine {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	start := time.Now().UTC().Add(-30 * time.Hour).Truncate(time.Hour)
	lines := make([]flowLine, n)
	for i := range lines {
		person := pick("p1", "p2", "p3")
		l := newFlowLine(
			pick("flow_started", "step_viewed", "step_viewed", "choice_selected", "flow_completed", "flow_abandoned"), person,
			start.Add(time.Duration(random.IntN(6))*time.Millisecond+time.Duration(random.IntN(2))*24*time.Hour),
		)
		if l["name"] != "flow_started" {
			l["stepId"] = pick("welcome", "goal", "wall")
		}
		l["identity"] = map[string]any{"appUserId": person, "sessionId": pick("", "s1", "s2")}
		if random.IntN(2) == 0 {
			l["runId"] = "0197aa00-0000-4000-8000-00000000000" + pick("1", "2")
			l["seq"] = random.IntN(4)
		}
		l["context"] = map[string]any{
			"platform": pick("", "web", "ios"), "locale": pick("", "de"), "device": pick("", "phone"),
			"customProperties": map[string]any{"n": random.IntN(2)},
		}
		lines[i] = l
	}
	return lines
}

// foldLines says what the rows of lines are, by the fold that is tested against the rules. Names get made-up ids.
func foldLines(t require.TestingT, lines []flowLine) ([]run.Row, func(id int32) string) {
	batch, err := DecodeFlow(flowBody(t, lines...), Rules{ReceivedAt: time.Now(), Window: 7 * 24 * time.Hour})
	require.NoError(t, err)
	require.Empty(t, batch.Rejected)
	var texts []string
	var events []run.Event
	for i := range batch.Events {
		it := &item{environment: 7, path: PathFlow, flow: &batch.Events[i], channel: 4}
		names, _ := flowNames.of(it)
		for j, name := range names {
			if name.kind == 0 {
				continue
			}
			text := fmt.Sprintf("%d:%s", name.kind, name.text)
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
			it.nameIDs[j] = int32(slices.Index(texts, text) + 1)
		}
		if event, ok := it.runEvent(); ok {
			events = append(events, event)
		}
	}
	return run.Fold(events), func(id int32) string { return texts[id-1] }
}

// Two servers store the same events in different orders and batches, each with some sent again: the runs are those of
// the events.
func TestRunsOfTwoServersAreThoseOfTheirEvents(t *testing.T) {
	for seed := range uint64(4) {
		db := pgtest.New(t)
		servers := []*Writer{startWriter(t, db, Settings{}, Deps{}), startWriter(t, db, Settings{}, Deps{})}
		lines := makeFlowLines(rand.New(rand.NewPCG(seed, 1)), 300)
		var wait sync.WaitGroup
		for worker := range 6 {
			wait.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(worker)+2))
				order := random.Perm(len(lines))
				for len(order) > 0 {
					n := min(len(order), 1+random.IntN(60))
					var some []flowLine
					for _, i := range order[:n] {
						some = append(some, lines[i])
					}
					order = order[n:]
					_, err := servers[worker%2].Flow(context.Background(), flowBody(t, some...),
						Request{EnvironmentID: 7, ChannelID: 4, ReceivedAt: time.Now()})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wait.Wait()
		want, wantText := foldLines(t, lines)
		got, text := storedRuns(t, db)
		require.Len(t, got, len(want))
		for i := range got {
			require.Equal(t, len(want[i].Hits), len(got[i].Hits))
			require.Equal(t, []any{want[i].Derived, want[i].Started, want[i].FirstAt, want[i].LastAt},
				[]any{got[i].Derived, got[i].Started, got[i].FirstAt, got[i].LastAt})
		}
		require.Equal(t, readable(t, want, wantText), readable(t, got, text))
		require.Equal(t, 300, count(t, db, `select count(*) from flow_event`))
	}
}

// A transaction that fails stores neither events nor hits, and what is sent again is stored once.
func TestRunsAndEventsAreStoredTogether(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	_, err := db.Pool.Exec(ctx, `alter table flow_run add constraint no_bad check (app_user_id <> 'bad')`)
	require.NoError(t, err)
	w := startWriter(t, db, Settings{}, Deps{})
	at := time.Now().UTC()
	good, bad := newFlowLine("flow_started", "good", at), newFlowLine("flow_started", "bad", at)
	answer, err := w.Flow(ctx, flowBody(t, good, bad), Request{EnvironmentID: 7, ChannelID: 4, ReceivedAt: at})
	require.NoError(t, err)
	require.Equal(t, 1, answer.Stored)
	require.Len(t, answer.Rejected, 1)
	require.Equal(t, 1, count(t, db, `select count(*) from flow_event`))
	require.Equal(t, 1, count(t, db, `select count(*) from flow_run`))
	_, err = db.Pool.Exec(ctx, `alter table flow_run drop constraint no_bad`)
	require.NoError(t, err)
	require.Equal(t, 1, sendFlow(t, w, bad, good).Stored)
	require.Equal(t, 1, sendFlow(t, w, good, bad, newFlowLine("step_viewed", "good", at)).Stored)
	require.Equal(t, 3, count(t, db, `select sum(octet_length(hits)) / 48 from flow_run`))
}

func TestLongRunsKeepTheHitsThatCameFirst(t *testing.T) {
	db := pgtest.New(t)
	const limit = 5
	w := startWriter(t, db, Settings{RunHitLimit: limit}, Deps{})
	at := time.Now().UTC().Add(-time.Hour)
	for i, n := range []int{3, 4, 1} { // 3 kept, then 2 of 4, then none
		var lines []flowLine
		for j := range n {
			lines = append(lines, newFlowLine("step_viewed", "u", at.Add(-time.Duration(10*i+j)*time.Second)))
		}
		require.Equal(t, n, sendFlow(t, w, lines...).Stored)
	}
	var six []flowLine
	for range 6 {
		six = append(six, newFlowLine("step_viewed", "v", at))
	}
	sendFlow(t, w, six...)
	require.Equal(t, 5*48, count(t, db, `select octet_length(hits) from flow_run where app_user_id = 'u'`))
	require.Equal(t, 3, count(t, db, `select hits_over_limit from flow_run where app_user_id = 'u'`))
	require.Equal(t, 5*48, count(t, db, `select octet_length(hits) from flow_run where app_user_id = 'v'`))
	require.Equal(t, 1, count(t, db, `select hits_over_limit from flow_run where app_user_id = 'v'`))
	rows, _ := storedRuns(t, db)
	require.Equal(t, at.Add(-20*time.Second).UnixMilli(), rows[0].FirstAt, "times are those of all hits")
}

// What the hits of a run say of it is bounded in bytes: hits that would say more are over the limit.
func TestWhatRunsSayIsBounded(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	at := time.Now().UTC()
	line := func(person string, i int) flowLine {
		// The longest custom properties there may be, three bytes a character.
		return newFlowLine("step_viewed", person, at).with("context", map[string]any{
			"customProperties": map[string]any{"k": fmt.Sprint(i) + strings.Repeat("€", 8192-9)},
		})
	}
	sendFlow(t, w, line("at once", 0), line("at once", 1), line("at once", 2), line("at once", 0))
	for i := range 4 {
		sendFlow(t, w, line("by turns", i%3))
	}
	for person, over := range map[string]int{"at once": 2, "by turns": 1} {
		require.LessOrEqual(
			t, count(t, db, `select octet_length(contexts) from flow_run where app_user_id = $1`, person), runContextBytes,
		)
		require.Equal(
			t, over, count(t, db, `select hits_over_limit from flow_run where app_user_id = $1`, person), person,
		)
		require.Equal(
			t, 4-over, count(t, db, `select octet_length(hits) / 48 from flow_run where app_user_id = $1`, person), person,
		)
	}
	rows, text := storedRuns(t, db)
	require.Equal(t, 2, strings.Count(readable(t, rows, text), "pass 0"))
}

func TestNamesOfFlowsHaveABudgetOfTheirOwn(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{NameBudget: 3}, Deps{})
	at := time.Now().UTC()
	ctx := context.Background()
	var lines []flowLine
	for i := range 5 {
		lines = append(lines, newFlowLine("step_viewed", "u", at).with("stepId", fmt.Sprint("step", i)).with("seq", i))
	}
	sendFlow(t, w, lines...)
	_, err := w.Product(ctx, body(event("a", "one", "u", ""), event("b", "two", "u", "")), testOrigin())
	require.NoError(t, err)
	rows, text := storedRuns(t, db)
	runs, err := rows[0].Runs(text)
	require.NoError(t, err)
	var steps []string
	for _, h := range runs[0].Hits {
		steps = append(steps, text(h.Step))
	}
	require.Equal(t, []string{"1:step0", "1:step1", "1:step2", "1:(other)", "1:(other)"}, steps)
	require.Equal(t, 2, count(t, db, `select count(*) from event_name`))
	require.NoError(t, w.Stop(ctx))
	require.Equal(t, 2, count(t, db, `select names_over_budget from ingest_stat where path = 2`))
	require.Zero(t, count(t, db, `select names_over_budget from ingest_stat where path = 1`))
}

// The home day of a run is that of its first insert; a later merge of an earlier hit leaves it.
func TestTheHomeDayOfARunStays(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	day := time.Now().UTC().Truncate(24 * time.Hour)
	id := uuid.NewString()
	xid := `select changed_xid::text::bigint from flow_run`
	sendFlow(t, w, newFlowLine("step_viewed", "u", day.Add(-time.Hour)).with("runId", id))
	before := count(t, db, xid)
	sendFlow(t, w, newFlowLine("flow_started", "u", day.Add(-49*time.Hour)).with("runId", id))
	require.Equal(t, 1, count(t, db, `select count(*) from flow_run where started and home_day = $1
		and first_at = $2 and last_at = $3`, day.AddDate(0, 0, -1), day.Add(-49*time.Hour), day.Add(-time.Hour)))
	require.Greater(t, count(t, db, xid), before)
}

// One run id that two people or flows send is a run of each.
func TestARunHasOnePersonAndOneFlow(t *testing.T) {
	db := pgtest.New(t)
	w := startWriter(t, db, Settings{}, Deps{})
	at, id := time.Now().UTC(), uuid.New()
	sendFlow(t, w, newFlowLine("flow_started", "u", at).with("runId", id),
		newFlowLine("flow_started", "v", at).with("runId", id),
		newFlowLine("flow_started", "v", at).with("runId", id).with("flowId", uuid.NewString()))
	rows, _ := storedRuns(t, db)
	require.Len(t, rows, 3)
	for _, r := range rows {
		require.Equal(t, session.Key(id), r.Key)
		require.False(t, r.Derived)
		require.False(t, bytes.Equal(r.Hits, nil))
	}
}
