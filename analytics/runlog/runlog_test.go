package runlog_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/runlog"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/ingest"
	"github.com/svc-dev/svc/internal/leaktest"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const (
	theFlow   = "11111111-1111-4111-8111-111111111111"
	otherFlow = "33333333-3333-4333-8333-333333333333"
)

// sent is a flow event as the naive implementation knows it.
type sent struct {
	id, name, flow, version, person, session, run, step, field, value, platform string
	at                                                                          time.Time
	seq                                                                         int // -1 when absent
}

func (e sent) line() map[string]any {
	line := map[string]any{
		"eventId": e.id, "name": e.name, "timestamp": e.at.Format("2006-01-02T15:04:05.000Z"), "flowId": e.flow,
		"versionId": e.version, "identity": map[string]any{"appUserId": e.person, "sessionId": e.session},
		"context": map[string]any{"platform": e.platform},
	}
	if e.run != "" {
		line["runId"] = e.run
	}
	if e.seq >= 0 {
		line["seq"] = e.seq
	}
	if e.step != "" {
		line["stepId"] = e.step
	}
	if e.field != "" {
		line["properties"] = map[string]any{"field_key": e.field, "value": e.value}
	}
	return line
}

// drawWorld makes events of few people in few runs, with equal times, lost starts, several passes in a session, and
// clients with and without run ids and places.
func drawWorld(r *rand.Rand, from time.Time) []sent {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	ids := []string{"", uuid.NewString(), uuid.NewString(), uuid.NewString()}
	withSeq := r.IntN(2) == 0
	events := make([]sent, 1+r.IntN(60))
	for i := range events {
		e := sent{
			id: uuid.NewString(), flow: pick(theFlow, theFlow, theFlow, otherFlow), person: pick("p", "q", "r"),
			version: pick("22222222-2222-4222-8222-222222222222", "22222222-2222-4222-8222-222222222223"),
			session: pick("s", "t"), run: pick(ids...), platform: pick("web", "ios"), seq: -1,
			at: from.Add(time.Duration(r.IntN(40)) * 100 * time.Millisecond),
			name: pick("flow_started", "step_viewed", "choice_selected", "choice_selected", "text_submitted", "text_submitted",
				"step_skipped", "step_completed", "flow_completed", "flow_abandoned"),
		}
		if withSeq || r.IntN(3) == 0 {
			e.seq = r.IntN(6)
		}
		switch e.name {
		case "choice_selected":
			e.step, e.field, e.value = "s1", "goal", pick("x", "y", "z")
		case "text_submitted":
			e.step, e.field, e.value = "s2", "name", pick("Ada", "Bob")
			if r.IntN(2) == 0 {
				e.field, e.value = "count", pick("1", "2", "4")
			}
		case "step_viewed":
			e.step = pick("s1", "s2")
		case "step_skipped", "step_completed":
			e.step = pick("s1", "s2")
			if r.IntN(2) == 0 {
				e.field, e.value = pick("goal", "name"), "-"
			}
		}
		events[i] = e
	}
	return events
}

// naiveRun is the events of a run in order.
type naiveRun struct {
	person string
	start  time.Time
	events []sent
}

func naiveRuns(events []sent) []naiveRun {
	rows := map[string][]sent{}
	for _, e := range events {
		if e.flow != theFlow {
			continue
		}
		key := e.person + "|" + e.run
		if e.run == "" {
			key = e.person + "|derived|" + e.session + "|" + e.version
		}
		rows[key] = append(rows[key], e)
	}
	rank := map[string]int{"flow_started": -1, "flow_completed": 1, "flow_abandoned": 1}
	order := func(list []sent, bySeq bool) {
		slices.SortFunc(list, func(a, b sent) int {
			if bySeq && a.seq != b.seq {
				return a.seq - b.seq
			}
			return cmp.Or(a.at.Compare(b.at), rank[a.name]-rank[b.name], strings.Compare(a.name, b.name),
				strings.Compare(a.step, b.step), strings.Compare(a.id, b.id))
		})
	}
	var runs []naiveRun
	for key, row := range rows {
		passes := [][]sent{row}
		if strings.Contains(key, "|derived|") {
			order(row, false)
			passes = nil
			started, from := false, 0
			for i, e := range row {
				if e.name == "flow_started" {
					if started {
						passes = append(passes, row[from:i])
						from = i
					}
					started = true
				}
			}
			passes = append(passes, row[from:])
		}
		for _, pass := range passes {
			pass = slices.Clone(pass)
			order(pass, !slices.ContainsFunc(pass, func(e sent) bool { return e.seq < 0 }))
			run := naiveRun{person: pass[0].person, events: pass}
			for _, e := range pass {
				if e.name == "flow_started" {
					run.start = e.at
					break
				}
			}
			if run.start.IsZero() {
				run.start = slices.MinFunc(pass, func(a, b sent) int { return a.at.Compare(b.at) }).at
			}
			runs = append(runs, run)
		}
	}
	return runs
}

// platform is that of the first event that has one: here every event has.
func (r naiveRun) platform() string { return r.events[0].platform }

func (r naiveRun) String() string {
	var path []string
	for _, e := range r.events {
		if e.name == "step_viewed" {
			path = append(path, e.step)
		}
	}
	return fmt.Sprint(r.person, r.start.UnixMilli(), len(r.events), path)
}

// naiveResponses writes what people answered, as text.
func naiveResponses(runs []naiveRun) map[string]string {
	type given struct {
		at     time.Time
		id     string
		values []string
	}
	last := map[[2]string]given{}
	passed := map[[2]string]bool{}
	keep := func(person, field string, g given) {
		known, ok := last[[2]string{person, field}]
		if !ok || cmp.Or(g.at.Compare(known.at), strings.Compare(g.id, known.id)) > 0 {
			last[[2]string{person, field}] = g
		}
	}
	for _, run := range runs {
		for i, e := range run.events {
			switch e.name {
			case "text_submitted":
				keep(run.person, e.field, given{e.at, e.id, []string{e.value}})
			case "choice_selected":
				if i > 0 && partOfAnswer(run.events, i) {
					continue
				}
				g := given{}
				for _, other := range run.events[i:] {
					if other.name != "choice_selected" && other.name != "text_submitted" {
						break
					}
					if other.name == "choice_selected" {
						if cmp.Or(other.at.Compare(g.at), strings.Compare(other.id, g.id)) > 0 {
							g.at, g.id = other.at, other.id
						}
						if !slices.Contains(g.values, other.value) {
							g.values = append(g.values, other.value)
						}
					}
				}
				keep(run.person, "goal", g)
			case "step_skipped", "step_completed":
				if e.field != "" {
					passed[[2]string{run.person, e.field}] = true
				} else if e.name == "step_skipped" {
					for field, step := range map[string]string{"goal": "s1", "count": "s2"} {
						if step == e.step {
							passed[[2]string{run.person, field}] = true
						}
					}
				}
			}
		}
	}
	counts := map[string]map[string]int{}
	count := func(field, value string) {
		if counts[field] == nil {
			counts[field] = map[string]int{}
		}
		counts[field][value]++
	}
	counts["goal"], counts["count"] = map[string]int{}, map[string]int{} // listed though nobody answered
	for key, g := range last {
		count(key[1], "answered")
		for _, value := range g.values {
			count(key[1], "value "+value)
		}
	}
	for key := range passed {
		if _, answered := last[key]; !answered {
			count(key[1], "skipped")
		}
	}
	texts := map[string]string{}
	for field, values := range counts {
		texts[field] = fmt.Sprint(values)
	}
	return texts
}

// partOfAnswer tells whether a choice before this one began the same answer.
func partOfAnswer(events []sent, at int) bool {
	for i := at - 1; i >= 0; i-- {
		switch events[i].name {
		case "choice_selected":
			return true
		case "text_submitted":
		default:
			return false
		}
	}
	return false
}

func describeResponses(found *runlog.Responses) map[string]string {
	texts := map[string]string{}
	for _, r := range found.Fields {
		values := map[string]int{}
		if r.Answered > 0 {
			values["answered"] = int(r.Answered)
		}
		if r.Skipped > 0 {
			values["skipped"] = int(r.Skipped)
		}
		for _, share := range slices.Concat(r.Choices, r.Texts) {
			values["value "+share.Value] = int(share.People)
		}
		for _, bucket := range r.Buckets {
			if bucket.People > 0 {
				values[fmt.Sprint("value ", bucket.From)] = int(bucket.People)
			}
		}
		texts[r.FieldKey] = fmt.Sprint(values)
	}
	return texts
}

func TestRunsAndAnswersAreThoseOfTheNaiveImplementation(t *testing.T) {
	db := pgtest.New(t)
	ctx := context.Background()
	w, err := ingest.New(db, ingest.Settings{}, ingest.Deps{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.NoError(t, w.Start(ctx))
	t.Cleanup(func() { require.NoError(t, w.Stop(ctx)) })
	from := time.Now().UTC().Truncate(time.Second).Add(-30 * time.Hour)
	questions := []runlog.Question{
		{Key: "goal", StepID: "s1", Kind: manifest.KindMultipleChoice},
		{Key: "count", StepID: "s2", Kind: manifest.KindNumberStepper},
	}
	cut := 0 // pages that ended because they had read enough
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		events := drawWorld(r, from)
		environment := int64(1000 + seed)
		shuffled := slices.Clone(events)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for part := range slices.Chunk(shuffled, 7) {
			lines := []map[string]any{}
			for _, e := range part {
				lines = append(lines, e.line())
			}
			body, err := json.Marshal(map[string]any{"events": lines})
			require.NoError(t, err)
			answer, err := w.Flow(ctx, body, ingest.Request{EnvironmentID: environment, ChannelID: 4, ReceivedAt: time.Now()})
			require.NoError(t, err)
			require.Empty(t, answer.Rejected)
		}
		scope := flow.Scope{
			Flow: session.Key(uuid.MustParse(theFlow)), Start: from.Add(500 * time.Millisecond), End: from.Add(3 * time.Second),
		}
		if seed%3 == 0 {
			scope.Platform = analytics.Web
		}
		scope, err := scope.Resolve(time.Now())
		require.NoError(t, err)
		var want []naiveRun
		for _, run := range naiveRuns(events) {
			inRange := !run.start.Before(scope.Start) && run.start.Before(scope.End)
			if inRange && (scope.Platform == "" || run.platform() == "web") {
				want = append(want, run)
			}
		}
		reader := (&runlog.Reader{DB: db.Pool, EnvironmentID: environment, Flow: scope.Flow}).InPortions(2 + r.IntN(30))
		if seed%2 == 0 {
			reader.InPortions(2).WithFurthest(1 + r.IntN(4))
		}
		filter := runlog.NewFilter(scope, nil)

		var texts []string
		for _, run := range want {
			texts = append(texts, run.String())
		}
		var got []string
		latest, after := scope.End.UnixMilli(), ""
		for {
			limit := 1 + r.IntN(8)
			page, err := reader.Newest(ctx, filter, after, limit)
			require.NoError(t, err)
			if !page.Complete {
				cut++
				require.True(t, page.HasNext)
				require.LessOrEqual(t, len(page.Runs), limit)
			}
			require.False(t, page.HasNext && page.EndCursor == after, "the next page begins where this one did")
			for _, run := range page.Runs {
				require.LessOrEqual(t, run.StartedAt, latest, "latest start first")
				latest = run.StartedAt
				var path []string
				for _, visit := range run.Path {
					path = append(path, visit.StepID)
				}
				whole, err := reader.Read(ctx, run.ID)
				require.NoError(t, err)
				require.Len(t, whole.Hits, len(run.Hits))
				got = append(got, fmt.Sprint(run.Person, run.StartedAt, len(run.Hits), path))
			}
			if !page.HasNext {
				break
			}
			after = page.EndCursor
		}
		require.ElementsMatch(t, texts, got, "seed %d", seed)

		found, err := reader.Responses(ctx, db.Pool, filter, questions)
		require.NoError(t, err)
		require.True(t, found.Complete)
		require.EqualValues(t, len(want), found.Runs)
		require.Equal(t, naiveResponses(want), describeResponses(found), "seed %d", seed)
	}
	require.Greater(t, cut, 30)
}
