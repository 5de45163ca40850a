package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// madeUpRuns is how many runs a stranger makes up, each with a step that no version has.
const madeUpRuns = 30_000

// richRuns is how many of them make up everything else that reports list, in so many events.
const (
	richRuns    = 5_000
	eventsOfRun = 6
	elsewhere   = 10 // of so many of these one is of a flow that does not exist
)

// What reports may cost after that: answers in bytes, and the memory of the server.
const (
	maxAnswer       = 256 << 10
	maxReportMemory = 192 << 20
)

// madeUpRun returns the events of a run of a flow in which all that a client may name is made up.
func madeUpRun(flow, version string, i int) []event {
	runID, at, seq := uuid.NewString(), time.Now().UTC().Format(time.RFC3339Nano), 0
	context := map[string]any{
		"platform": "web", "locale": fmt.Sprintf("l%d", i), "appVersion": fmt.Sprintf("1.%d", i),
		"os": fmt.Sprintf("os %d", i), "browser": fmt.Sprintf("browser %d", i), "device": fmt.Sprintf("device %d", i),
		"customProperties": map[string]any{fmt.Sprintf("key %d", i): i, "known": fmt.Sprintf("value %d", i)},
	}
	var events []event
	add := func(name, step string, properties map[string]any) {
		e := event{
			"eventId": uuid.NewString(), "name": name, "timestamp": at, "flowId": flow, "versionId": version,
			"identity": map[string]any{"appUserId": fmt.Sprintf("stranger %d", i)}, "runId": runID, "seq": seq,
		}
		if step != "" {
			e["stepId"] = step
		}
		if properties != nil {
			e["properties"] = properties
		}
		if name == "step_viewed" {
			e["fromStepId"] = fmt.Sprintf("from %d", i)
		}
		if i < richRuns {
			e["context"] = context
		}
		seq++
		events = append(events, e)
	}
	step := fmt.Sprintf("made up %d", i)
	add("step_viewed", step, nil)
	if i >= richRuns {
		return events
	}
	named := func(key, value string) map[string]any {
		return map[string]any{key: fmt.Sprintf("%s %d", key, i), value: fmt.Sprintf("%s %d", value, i)}
	}
	add("choice_selected", step, named("field_key", "value"))
	add("text_submitted", step, map[string]any{"field_key": fmt.Sprintf("text %d", i), "value": "x"})
	add("decision_evaluated", "", named("decision_node_id", "matched_case_id"))
	add("surface_presented", step, named("provider", "offering_id"))
	add("surface_outcome", step, named("provider", "outcome"))
	if i%2 == 0 { // a version and an arm that do not exist
		for _, e := range events {
			e["versionId"] = uuid.NewSHA1(uuid.Nil, fmt.Append(nil, i)).String()
			e["experimentId"], e["variantId"] = runID, fmt.Sprintf("arm %d", i)
		}
	}
	if i%elsewhere == 1 { // a flow that does not exist
		for _, e := range events {
			e["flowId"] = runID
		}
	}
	return events
}

// reportQuestions ask for every kind of report of a flow with everything that it lists.
var reportQuestions = map[string]string{
	"overview":   `overview { starts runs }`,
	"timeseries": `timeseries { bucket starts }`,
	"funnel": `funnel { steps { id name kind reach people fromStart completed skipped drop open medianSeconds }
		arrivals { from { id isStep } to { id isStep } runs revenue }
		exits { from { id isStep } to { id isStep } runs revenue }
		decisions { node case runs } }`,
	"dropoff":       `dropoff { steps { id name kind reach drops dropRate expectedRate z outOfProportion } }`,
	"step duration": `stepDuration { steps { id name kind visits idle p25 median p75 p90 p95 mean } }`,
	"cohorts": `cohorts(dimension: APP_VERSION, first: 100) { totalCount nodes { value starts completions completionRate
		completionInterval { low high } purchases revenue revenuePerStart } }`,
	"cohort keys":       `cohortKeys { key people values }`,
	"cohort series":     `timeseriesCohorts(dimension: VERSION) { value points { bucket starts completions } }`,
	"heatmap":           `heatmap(row: OS, column: BROWSER) { rows columns cells { row column starts completions } }`,
	"heatmap of values": `heatmap(row: CUSTOM_PROPERTY, rowKey: "known", column: LOCALE) { rows columns cells { starts } }`,
	"purchases": `purchases { surfaces { id name provider presented viewers outcomes { outcome runs } purchasers }
		products { product purchases } }`,
	"retention": `retention(by: VERSION) { people rows { value people days { offset returned eligible rate } } }`,
	"people":    `peopleBehind(cell: {step: {id: "(other)"}}, first: 100) { totalCount nodes { appUserId runs } }`,
	"compare": `compare(by: VERSION, first: "#version", second: "00000000-0000-4000-8000-000000000000") {
		sides { funnel { steps { id reach } arrivals { from { id } to { id } runs } } } steps { id } }`,
	"responses": `responses(first: 100) { totalCount nodes { fieldKey answered skipped choices { value people share } } }`,
	"recent":    `recent(first: 100) { nodes { id path { stepId } state appUserId } }`,
}

// Whatever names a stranger makes up in runs of a flow, its reports answer little and take little memory, and the
// steps of its version stand in them one by one.
func TestReportsStaySmallWhateverNamesAreMadeUp(t *testing.T) {
	// A month of what an environment may add a day.
	d := StartDev(t, []string{"SVC_RATE_LIMIT_ADDRESS=0", "SVC_NEW_NAMES_PER_DAY=300000"}, "--demo=none")
	studio, key := d.SignIn(t, d.BaseURL), d.Apps[0].Environments["live"].PublishableKey
	channel := studio.CreateChannel(d.Apps[0].ID, "Onboarding")
	flow, version := studio.Publish(d.Apps[0].ID, "Plants", example(t, "branching-onboarding"))
	studio.Pin(channel, version)
	send := func(events []event) {
		t.Helper()
		Until(t, 2*time.Minute, "the events are stored", func() error {
			answer, err := Do(http.DefaultClient, http.MethodPost, d.BaseURL+"/v1/sdk/events",
				map[string]any{"events": events}, "Authorization", "Bearer "+key, "X-Svc-Channel", channel)
			if err != nil || answer.Status != http.StatusOK {
				return fmt.Errorf("%w, %d %.300s", err, answer.Status, answer.Body)
			}
			var body ingestAnswer
			if answer.Decode(t, &body); body.Stored+body.Duplicates != len(events) {
				t.Fatalf("%.500s", answer.Body)
			}
			return nil
		})
	}
	for next := 0; next < madeUpRuns; {
		var batch []event
		for ; next < madeUpRuns && len(batch) <= 500-eventsOfRun; next++ {
			batch = append(batch, madeUpRun(flow, version, next)...)
		}
		send(batch)
	}
	process, address := d.Serve(t)
	ask := func(question string) Answer {
		t.Helper()
		answer, err := Do(http.DefaultClient, http.MethodPost, address+"/graphql", map[string]any{
			"query": `query($f: ID!, $a: ID!) { flowAnalytics(scope: {flowId: $f}) { ` +
				strings.ReplaceAll(question, "#version", version) + ` }
				app(id: $a) { appFlowOverview(scope: {}, first: 100) { totalCount nodes { flowId starts runs } } } }`,
			"variables": map[string]any{"f": flow, "a": d.Apps[0].ID},
		}, "Authorization", "Bearer "+d.APIKey)
		if err != nil || answer.Status != http.StatusOK || strings.Contains(string(answer.Body), `"errors"`) {
			t.Fatalf("%s: %v %d %.500s", question, err, answer.Status, answer.Body)
		}
		return answer
	}
	for _, kind := range slices.Sorted(maps.Keys(reportQuestions)) {
		began := time.Now()
		answer := ask(reportQuestions[kind])
		t.Logf("%-18s %7d B %5d ms, peak %d MiB", kind, len(answer.Body), time.Since(began).Milliseconds(),
			process.PeakMemory()>>20)
		if len(answer.Body) > maxAnswer {
			t.Errorf("%s answers %d bytes", kind, len(answer.Body))
		}
	}
	if peak := process.PeakMemory(); peak > maxReportMemory {
		t.Errorf("the server took %d MiB", peak>>20)
	}

	// Somebody real comes after all of these.
	var steps []string
	var found struct {
		Data struct {
			FlowAnalytics struct {
				Funnel struct {
					Steps []struct {
						ID, Name string
						Reach    int
					}
				}
			}
		}
	}
	ask(reportQuestions["funnel"]).Decode(t, &found)
	var real []event
	runID := uuid.NewString()
	for _, step := range found.Data.FlowAnalytics.Funnel.Steps {
		if step.Name != "" {
			steps = append(steps, step.ID)
			real = append(real, event{
				"eventId": uuid.NewString(), "name": "step_viewed", "timestamp": time.Now().UTC().Format(time.RFC3339Nano),
				"flowId": flow, "versionId": version, "stepId": step.ID, "runId": runID, "seq": len(real),
				"identity": map[string]any{"appUserId": "somebody"},
			})
		}
	}
	if len(steps) < 3 {
		t.Fatalf("the version has the steps %v", steps)
	}
	send(real)
	Until(t, time.Minute, "the funnel has the run", func() error {
		found.Data.FlowAnalytics.Funnel.Steps = nil
		ask(reportQuestions["funnel"]).Decode(t, &found)
		rows := found.Data.FlowAnalytics.Funnel.Steps
		for i, step := range steps {
			if rows[i].ID != step || rows[i].Reach != 1 {
				return fmt.Errorf("row %d is %+v, not %s", i, rows[i], step)
			}
		}
		// Besides those of the version: 50 that somebody made up, and the rest.
		if last := rows[len(rows)-1]; len(rows) != len(steps)+51 || last.ID != "(other)" || last.Reach != madeUpRuns-richRuns/elsewhere-50 {
			return fmt.Errorf("%d rows, the last %+v", len(rows), last)
		}
		return nil
	})
}
