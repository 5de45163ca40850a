package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/flow"
	flowrun "github.com/svc-dev/svc/analytics/run"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/internal/e2e"
	"github.com/svc-dev/svc/internal/oracle/floworacle"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/examples"
)

// flowRuns makes the events of people who walk through a flow: some with run ids, some without, with lost starts.
func flowRuns(rng *rand.Rand, flowID, version uuid.UUID, at time.Time) (events []floworacle.Event) {
	steps := []string{"scr_goal", "scr_symptoms", "scr_rooms", "scr_size", "scr_email"}
	for person := range 12 {
		for range 1 + rng.IntN(2) {
			var runID session.Key
			if rng.IntN(3) > 0 {
				runID = session.Key(uuid.New())
			}
			now, seq := at.Add(time.Duration(rng.IntN(7200))*time.Second), int64(0)
			client := flowrun.Client{Platform: []string{"ios", "web"}[person%2], Locale: []string{"de-DE", "en", "fr"}[person%3]}
			from := ""
			add := func(name, step string, seconds int) {
				now = now.Add(time.Duration(seconds) * time.Second)
				e := floworacle.Event{
					ID: uuid.NewString(), Name: name, At: now.UnixMilli(), Person: fmt.Sprintf("p%d", person),
					Session: fmt.Sprintf("s%d", person), Flow: session.Key(flowID), RunID: runID, Seq: -1, Step: step,
					Release: flowrun.Release{Channel: 1, Version: session.Key(version)}, Client: client,
				}
				if runID != (session.Key{}) {
					e.Seq = seq
					if name == "step_viewed" {
						before := from
						e.From, from = &before, step
					}
				}
				seq++
				events = append(events, e)
			}
			if rng.IntN(5) > 0 {
				add("flow_started", "", 1)
			}
			end := 1 + rng.IntN(len(steps))
			for _, step := range steps[:end] {
				add("step_viewed", step, 1)
				if rng.IntN(4) == 0 {
					add("step_skipped", step, 1+rng.IntN(40))
				} else {
					add("step_completed", step, 1+rng.IntN(40))
				}
			}
			if end == len(steps) {
				add("flow_completed", "", 1)
			} else if rng.IntN(2) == 0 {
				add("flow_abandoned", "", 1)
			}
		}
	}
	return events
}

// TestFlowReportsOfTwoServersAgreeWithTheOracle posts runs in any order, with retries, to two server processes on one
// database. Whichever is asked, by GraphQL or by the command line, answers what the naive implementation makes of them.
func TestFlowReportsOfTwoServersAgreeWithTheOracle(t *testing.T) {
	s := &servers{dev: e2e.StartDev(t, nil, "--demo=none"), client: e2e.Browser()}
	s.startSecond(t)
	s.signIn(t)
	studio := s.dev.SignIn(t, s.dev.BaseURL)
	raw, err := examples.Files.ReadFile("branching-onboarding.json")
	require.NoError(t, err)
	app := s.dev.Apps[0]
	flowID, version := studio.Publish(app.ID, "Plants", json.RawMessage(raw))
	channel := studio.CreateChannel(app.ID, "Main")
	rng := rand.New(rand.NewPCG(3, 1))
	at := time.Now().UTC().Add(-5 * time.Hour).Truncate(time.Second)
	events := flowRuns(rng, uuid.MustParse(flowID), uuid.MustParse(version), at)

	sent := slices.Concat(events, events[:len(events)/4]) // a quarter comes twice
	rng.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
	for part := range slices.Chunk(sent, 9) {
		lines := []any{}
		for _, e := range part {
			lines = append(lines, e.Wire())
		}
		body, err := json.Marshal(map[string]any{"events": lines})
		require.NoError(t, err)
		address := s.urls[rng.IntN(2)] + "/v1/sdk/events"
		e2e.Until(t, 5*time.Second, "the server takes events of a new channel", func() error {
			answer, err := e2e.Do(http.DefaultClient, http.MethodPost, address, body, "Authorization",
				"Bearer "+app.Environments["live"].PublishableKey, "X-Svc-Channel", channel)
			if err == nil && (answer.Status != http.StatusOK || bytes.Contains(answer.Body, []byte(`"code"`))) {
				err = fmt.Errorf("answered %d %s", answer.Status, answer.Body)
			}
			return err
		})
	}
	time.Sleep(freshness)

	s.compareTimelines(t, app.ID, events)

	m, problems := manifest.Parse(raw)
	require.NotNil(t, m, problems)
	graphs := []flow.Graph{flow.NewGraph(session.Key(uuid.MustParse(version)), m)}
	for name, c := range map[string]struct {
		flags  []string
		change func(*flow.Scope)
	}{
		"all":      {nil, func(*flow.Scope) {}},
		"platform": {[]string{"--platform", "ios"}, func(s *flow.Scope) { s.Platform = analytics.IOS }},
		"language": {[]string{"--xf-language", "de,fr"}, func(s *flow.Scope) {
			s.Filters = []analytics.Filter{{Dimension: flow.Language, Operator: analytics.Is, Values: []string{"de", "fr"}}}
		}},
		"a part of the range": {
			[]string{"--start", at.Format(time.RFC3339), "--end", at.Add(time.Hour).Format(time.RFC3339)},
			func(s *flow.Scope) { s.Start, s.End = at, at.Add(time.Hour) },
		},
	} {
		now := time.Now()
		scope := flow.Scope{Flow: session.Key(uuid.MustParse(flowID))}
		c.change(&scope)
		scope, err := scope.Resolve(now)
		require.NoError(t, err)
		want := floworacle.New(floworacle.World{Events: events}, now).Select(scope, nil)
		overview := want.Overview(nil)
		for server := range 2 {
			ask := func(args ...string) any { return s.flowCommand(t, server, append(args, c.flags...), flowID) }
			got, _ := ask("overview").(map[string]any)
			require.Equal(t, asAnswered(t, overview.Starts), got["starts"], name)
			for field, figure := range map[string]any{
				"runs": overview.Runs, "completions": overview.Completions, "completionRate": overview.CompletionRate,
				"completed": overview.Completed, "abandoned": overview.Abandoned, "lapsed": overview.Lapsed, "open": overview.Open,
				"timeToComplete": overview.TimeToComplete,
			} {
				require.Equal(t, asAnswered(t, figure), got[field], "%s: %s", name, field)
			}
			funnel := want.Funnel(graphs)
			got, _ = ask("funnel").(map[string]any)
			require.Equal(t, asAnswered(t, funnel.Steps), got["steps"], name)
			require.Equal(t, asAnswered(t, funnel.Arrivals), got["arrivals"], name)
			require.Equal(t, asAnswered(t, funnel.Exits), got["exits"], name)
			got, _ = ask("dropoff").(map[string]any)
			require.Equal(t, asAnswered(t, want.Dropoff(graphs).Steps), got["steps"], name)
			got, _ = ask("step-duration").(map[string]any)
			require.Equal(t, asAnswered(t, want.StepDuration(graphs).Steps), got["steps"], name)
			require.Equal(t, starts(asAnswered(t, want.Cohorts(flow.Locale, ""))),
				starts(ask("cohorts", "--dimension", "locale").(map[string]any)["nodes"]), name)
			require.Equal(t, starts(asAnswered(t, want.Timeseries(analytics.Hour))), starts(ask("timeseries", "--grain", "hour")), name)

			var asked struct {
				FlowAnalytics struct{ Funnel json.RawMessage }
			}
			scope := map[string]any{"flowId": flowID, "range": map[string]any{"start": scope.Start, "end": scope.End}}
			if name != "all" && name != "a part of the range" {
				continue
			}
			s.query(t, server, `query($s: FlowAnalyticsScope!) { flowAnalytics(scope: $s) { funnel { runs people steps { id reach } } } }`,
				map[string]any{"s": scope}, &asked)
			var answered struct {
				Runs  int64
				Steps []struct{ Reach int64 }
			}
			require.NoError(t, json.Unmarshal(asked.FlowAnalytics.Funnel, &answered))
			require.Equal(t, funnel.Runs, answered.Runs, name)
			for i, step := range funnel.Steps {
				require.Equal(t, step.Reach, answered.Steps[i].Reach, step.ID)
			}
		}
	}
}

// compareTimelines holds the time line of a person, of either server and of the command line as of GraphQL, to the runs
// of the naive implementation.
func (s *servers) compareTimelines(t *testing.T, app string, events []floworacle.Event) {
	t.Helper()
	mine := slices.DeleteFunc(slices.Clone(events), func(e floworacle.Event) bool { return e.Person != "p1" })
	scope, err := flow.Scope{}.Resolve(time.Now())
	require.NoError(t, err)
	overview := floworacle.New(floworacle.World{Events: mine}, time.Now()).Select(scope, nil).Overview(nil)
	require.Positive(t, overview.Runs)
	for server := range 2 {
		i := slices.IndexFunc(productReports, func(r productReport) bool { return r.name == "timeline" })
		printed, _ := s.command(t, server, productReports[i].command, app, "--user", "p1").(map[string]any)
		nodes, _ := printed["nodes"].([]any)
		states := map[any]int64{}
		last := ""
		for _, node := range nodes {
			entry, _ := node.(map[string]any)
			run, _ := entry["run"].(map[string]any)
			states[run["state"]]++
			started, _ := entry["startedAt"].(string)
			require.True(t, last == "" || started <= last, "%s after %s", started, last)
			last = started
		}
		require.Equal(t, map[string]int64{
			"COMPLETED": overview.Completed, "ABANDONED": overview.Abandoned, "LAPSED": overview.Lapsed, "OPEN": overview.Open,
		}, map[string]int64{
			"COMPLETED": states["COMPLETED"], "ABANDONED": states["ABANDONED"], "LAPSED": states["LAPSED"],
			"OPEN": states["OPEN"],
		})
		var asked struct {
			App struct {
				ProductAnalytics struct{ Timeline struct{ Nodes []any } }
			}
		}
		s.query(t, server, `query($a: ID!) { app(id: $a) { productAnalytics(scope: {}) { timeline(appUserId: "p1") { nodes {
			startedAt
			session { endedAt seconds views events entry exit country city platform device browser os source channel }
			run { flowId versionId experimentId variant state lastAt seconds platform } } } } } }`,
			map[string]any{"a": app}, &asked)
		require.Equal(t, nodes, asked.App.ProductAnalytics.Timeline.Nodes)
	}
}

// flowCommand runs `svc analytics <kind> <flowId>` against a server and returns the JSON that it prints.
func (s *servers) flowCommand(t *testing.T, server int, args []string, flowID string) any {
	t.Helper()
	i := slices.IndexFunc(flowReports, func(r flowReport) bool { return r.name == args[0] })
	return s.command(t, server, flowReports[i].command, append([]string{flowID}, args[1:]...)...)
}

// command runs a command against a server and returns the JSON that it prints.
func (s *servers) command(t *testing.T, server int, make func(terminal) *cobra.Command, args ...string) any {
	t.Helper()
	var out, errs bytes.Buffer
	term := terminal{in: strings.NewReader(""), out: &out, err: &errs, environ: []string{
		"SVC_API_URL=" + s.urls[server], "SVC_API_KEY=" + s.dev.APIKey,
		"SVC_CONFIG_PATH=" + filepath.Join(s.dev.Dir, "none.json"),
	}}
	cmd := make(term)
	cmd.SetArgs(args)
	require.Equal(t, exitOK, fail(&errs, cmd.ExecuteContext(context.Background())), "%v: %s", args, errs.String())
	var printed any
	require.NoError(t, json.Unmarshal(out.Bytes(), &printed))
	return printed
}

// asAnswered returns a figure of the oracle as GraphQL writes it.
func asAnswered(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	text = bytes.ReplaceAll(text, []byte(`"kind":"screen"`), []byte(`"kind":"SCREEN"`))
	text = bytes.ReplaceAll(text, []byte(`"kind":"surface"`), []byte(`"kind":"SURFACE"`))
	text = bytes.ReplaceAll(text, []byte(`"step":`), []byte(`"isStep":`))
	var out any
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// starts writes the people and completions of rows, by value or bucket; buckets without a run are left out.
func starts(rows any) (texts []string) {
	list, _ := rows.([]any)
	for _, row := range list {
		fields, _ := row.(map[string]any)
		if fields["starts"] == 0.0 {
			continue
		}
		label := fields["value"]
		if bucket, ok := fields["bucket"].(string); ok {
			at, _ := time.Parse(time.RFC3339, bucket)
			label = at.Unix()
		}
		texts = append(texts, fmt.Sprint(label, fields["starts"], fields["completions"], fields["completionRate"]))
	}
	return texts
}
