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
	"github.com/svc-dev/svc/analytics/oracle/floworacle"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/cmd/svc/e2e"
	"github.com/svc-dev/svc/manifest"
	"github.com/svc-dev/svc/manifest/examples"
)

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
	purchases := flowPurchases(rng, events)
	s.recordFlowPurchases(t, rng, purchases)
	time.Sleep(freshness)

	s.compareTimelines(t, app.ID, events)

	m, problems := manifest.Parse(raw)
	require.NotNil(t, m, problems)
	graphs := []flow.Graph{flow.NewGraph(session.Key(uuid.MustParse(version)), m)}
	readers := e2e.Readers(t, s.dev, app.ID)
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
		want := floworacle.New(floworacle.World{Events: events, Purchases: purchases}, now).Select(scope, nil)
		overview := want.Overview(nil)
		if name == "all" || name == "a part of the range" { // the documentation filters by nothing else
			flowFigures.Compare(t, "Flows", flowQuestion{want, graphs}, readers, scope.Start, scope.End, flowID)
		}
		for server := range 2 {
			ask := func(args ...string) any { return s.flowCommand(t, server, append(args, c.flags...), flowID) }
			got, _ := ask("overview").(map[string]any)
			require.Equal(t, asAnswered(t, overview.Starts), got["starts"], name)
			for field, figure := range map[string]any{
				"runs": overview.Runs, "completions": overview.Completions, "completionRate": overview.CompletionRate,
				"completed": overview.Completed, "abandoned": overview.Abandoned, "lapsed": overview.Lapsed, "open": overview.Open,
				"timeToComplete": overview.TimeToComplete, "paywallViewers": overview.PaywallViewers,
				"conversionRate": overview.ConversionRate, "claimed": overview.Claimed, "purchases": overview.Purchases,
				"trials": overview.Trials, "gross": float64(overview.Gross) / 1e6, "revenue": float64(overview.Revenue) / 1e6,
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

			sold, _ := asAnswered(t, want.Purchases(graphs)).(map[string]any)
			for _, row := range sold["surfaces"].([]any) {
				delete(row.(map[string]any), "kind") // which goes without saying
			}
			require.Equal(t, sold, ask("purchases"), name)
			comparePeopleBehind(t, ask, want, graphs)
			compareResponses(t, ask, want)
			compareRecent(t, ask, want)

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

// inDollars turns the money of an answer, which the oracle has in micro-USD, into what GraphQL says.
func inDollars(answer any) any {
	switch value := answer.(type) {
	case []any:
		for i := range value {
			value[i] = inDollars(value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = inDollars(value[name])
			if amount, ok := value[name].(float64); ok && slices.Contains([]string{"gross", "revenue", "revenuePerStart"}, name) {
				value[name] = amount / 1e6
			}
		}
	}
	return answer
}

// comparePeopleBehind looks behind cells of several reports.
func comparePeopleBehind(
	t *testing.T, ask func(args ...string) any, want *floworacle.Selection, graphs []flow.Graph,
) {
	t.Helper()
	for text, cell := range map[string]flow.Behind{
		`{"figure": "PURCHASED"}`:                          {Figure: flow.FigurePurchased},
		`{"figure": "CLAIMED"}`:                            {Figure: flow.FigureClaimed},
		`{"step": {"id": "scr_rooms", "last": true}}`:      {Step: "scr_rooms", LastStep: true},
		`{"exit": {"from": "scr_goal", "to": "dropped"}}`:  {Exit: &[2]string{"scr_goal", flow.ToDropped}},
		`{"arrival": {"from": "start", "to": "scr_goal"}}`: {Arrival: &[2]string{flow.FromStart, "scr_goal"}},
		`{"surface": {"id": "srf_offer", "provider": "stripe"}, "outcome": "dismissed"}`: {
			Surface: &[2]string{"srf_offer", "stripe"}, Outcome: "dismissed",
		},
	} {
		got, _ := ask("people-behind", "--cell", text).(map[string]any)
		people := want.PeopleBehind(cell, graphs)
		require.Equal(t, asAnswered(t, len(people)), got["totalCount"], text)
		nodes, _ := got["nodes"].([]any)
		require.Len(t, nodes, len(people), text)
		for i, node := range nodes {
			fields, _ := node.(map[string]any)
			at, err := time.Parse(time.RFC3339, fmt.Sprint(fields["latestRunAt"]))
			require.NoError(t, err)
			require.True(t, people[i].LatestRunAt.Equal(at), text)
			require.Equal(t, []any{people[i].AppUserID, float64(people[i].Runs), strings.ToUpper(people[i].LatestState)},
				[]any{fields["appUserId"], fields["runs"], fields["latestState"]}, text)
		}
	}
}

// compareResponses compares what people answered.
func compareResponses(t *testing.T, ask func(args ...string) any, want *floworacle.Selection) {
	t.Helper()
	raw, err := json.Marshal(ask("responses", "--first", "100"))
	require.NoError(t, err)
	var got struct {
		Runs     int
		Complete bool
		Nodes    []struct {
			FieldKey          string
			Answered, Skipped int64
			Choices, Texts    []struct {
				Value  string
				People int64
			}
			Buckets []struct {
				From   float64
				People int64
			}
		}
	}
	require.NoError(t, json.Unmarshal(raw, &got))
	require.True(t, got.Complete)
	require.Len(t, want.Recent(), got.Runs)
	expected := want.Responses(map[string]string{
		"goal": "scr_goal", "symptoms": "scr_symptoms", "brightness": "scr_rooms", "plant_count": "scr_size",
		"email": "scr_email",
	})
	found := map[string]*floworacle.Answers{}
	for _, n := range got.Nodes {
		if expected[n.FieldKey] == nil { // of a screen that nobody comes to
			require.Zero(t, n.Answered+n.Skipped, n.FieldKey)
			continue
		}
		a := &floworacle.Answers{Answered: n.Answered, Skipped: n.Skipped, Values: map[string]int64{}}
		for _, share := range slices.Concat(n.Choices, n.Texts) {
			a.Values[share.Value] = share.People
		}
		for _, bucket := range n.Buckets {
			if bucket.People > 0 {
				a.Values[fmt.Sprint(bucket.From)] = bucket.People
			}
		}
		found[n.FieldKey] = a
	}
	require.Equal(t, expected, found)
}

// compareRecent compares the runs, page by page, and every event of some.
func compareRecent(t *testing.T, ask func(args ...string) any, want *floworacle.Selection) {
	t.Helper()
	describe := func(person, state string, start, last time.Time, hasStart bool, path []string) string {
		return fmt.Sprint(person, " ", state, " ", start.UnixMilli(), " ", last.UnixMilli(), " ", hasStart, " ", path)
	}
	expected, events := []string{}, map[string][]string{}
	for _, r := range want.Recent() {
		line := describe(r.Person, strings.ToUpper(r.State), r.Start, r.Last, r.HasStart, r.Path)
		expected = append(expected, line)
		for _, e := range r.Events {
			events[line] = append(events[line], e.Name+" "+e.Step+" "+e.ID)
		}
	}
	found, after, latest := []string{}, "", time.Now()
	for {
		args := []string{"recent", "--first", "7"}
		if after != "" {
			args = append(args, "--after", after)
		}
		raw, err := json.Marshal(ask(args...))
		require.NoError(t, err)
		var page struct {
			Nodes []struct {
				ID, AppUserID, State string
				StartedAt, LastAt    time.Time
				HasStart             bool
				Path                 []struct{ StepID string }
			}
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
		}
		require.NoError(t, json.Unmarshal(raw, &page))
		for i, n := range page.Nodes {
			var path []string
			for _, visit := range n.Path {
				path = append(path, visit.StepID)
			}
			line := describe(n.AppUserID, n.State, n.StartedAt, n.LastAt, n.HasStart, path)
			found = append(found, line)
			require.False(t, n.StartedAt.After(latest), "latest start first")
			latest = n.StartedAt
			if i > 1 {
				continue
			}
			whole, err := json.Marshal(ask("run", "--id", n.ID))
			require.NoError(t, err)
			var read struct {
				Hits []struct{ Name, StepID, EventID string }
			}
			require.NoError(t, json.Unmarshal(whole, &read))
			var hits []string
			for _, h := range read.Hits {
				hits = append(hits, h.Name+" "+h.StepID+" "+h.EventID)
			}
			require.Equal(t, events[line], hits, line)
		}
		if after = page.PageInfo.EndCursor; !page.PageInfo.HasNextPage {
			break
		}
	}
	require.ElementsMatch(t, expected, found)
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
	return inDollars(out)
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
