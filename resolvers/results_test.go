package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const resultsQuery = `query($x: ID!, $z: String! = "UTC") { experimentResults(id: $x, timeZone: $z) {
	name status verdict arm variant sentence servedLeftOut assignmentsLeftOut notRendered crossed tooManyCrossed unknown
	peoplePerArm peoplePerVariant daysLeft
	assigned { people { variant people } }
	served { people { arm people } p enough warning unexpected } exposed { people { arm people } warning }
	culprits { dimension value people { arm people } p }
	metrics { metric unit phase fixedAt arms { arm people maturing later successes value interval { low high } }
		comparisons { arm difference interval { low high } lift liftInterval { low high } p alpha chanceToWin expectedLoss
			verdict sentence }
		series { day arms { arm people value interval { low high } } } }
} }`

// number reads a number of an answer.
func number(t *testing.T, a answer, path ...any) float64 {
	t.Helper()
	n, err := a.at(t, path...).(json.Number).Float64()
	require.NoError(t, err)
	return n
}

// Eighty people saw an experiment four days ago; some completed, some paid, and one device did odd things.
func TestExperimentResults(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	owner, reader := f.as("owner"), f.as("viewer")
	second := f.publish(f.flow)
	id := owner.text(`mutation($c: ChannelID!, $e: Time!, $a: [VariantInput!]) { createExperiment(input: {channelId: $c, name: "Goal first", endsAt: $e, planner: {effect: 0.3}, variants: $a}) { id } }`,
		vars{"c": f.channel, "e": time.Now().AddDate(0, 0, 30), "a": []vars{
			{"key": "control", "weight": 1, "versionId": f.version}, {"key": "b", "weight": 1, "versionId": second},
		}}, "createExperiment", "id")
	require.Equal(t, "conflict", reader.do(resultsQuery, vars{"x": id}).code(), "a draft has no results")
	owner.must(`mutation($x: ID!) { startExperiment(input: {id: $x}) { status } }`, vars{"x": id})
	ctx := context.Background()
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := f.db.Pool.Exec(ctx, sql, args...)
		require.NoError(t, err)
	}
	f.at = time.Now().UTC().Truncate(time.Second).AddDate(0, 0, -4)
	exec(`update experiments set started_at = $2 where id = $1`, id, f.at.Add(-time.Hour))
	var variants []string
	rows, err := f.db.Pool.Query(ctx, `select id::text from variants where experiment_id = $1 order by position`, id)
	require.NoError(t, err)
	for rows.Next() {
		var v string
		require.NoError(t, rows.Scan(&v))
		variants = append(variants, v)
	}
	require.NoError(t, rows.Err())

	visit := func(person, variant string, after float64, completes bool) {
		of := vars{"experimentId": id, "variantId": variant}
		events := []flowEvent{
			{name: "flow_started", after: after, more: of},
			{name: "surface_presented", step: "srf_pay", after: after + 1, properties: vars{"provider": "stripe"}, more: of},
		}
		if completes {
			events = append(events, flowEvent{name: "flow_completed", after: after + 60, more: of})
		}
		f.runOf(person, vars{"platform": "web"}, events...)
	}
	for i := range 40 {
		visit(fmt.Sprint("c", i), variants[0], float64(i), i < 10)
		visit(fmt.Sprint("t", i), variants[1], float64(i), i < 20)
	}
	visit("crossed", variants[0], 0, true)
	visit("crossed", variants[1], 100, true)
	visit("unknown", "not-an-arm", 0, true)
	visit("late", variants[1], 4*24*60*60-600, true) // ten minutes ago: nobody's window has passed
	visit("early", variants[1], -2*60*60, true)      // before the start
	environment := f.environment(f.app)
	exec(`insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at,
		amount_micros) values
		($1, 'stripe', 'e1', 'originating', 't0', $2::timestamptz + interval '1 minute', 10000000),
		($1, 'stripe', 'e2', 'refund', 't0', $2::timestamptz + interval '3 days', -4000000),
		($1, 'stripe', 'e3', 'originating', 't1', $2::timestamptz + interval '1 minute', 0),
		($1, 'stripe', 'e4', 'renewal', 't1', $2::timestamptz + interval '3 days 12 hours', 20000000),
		($1, 'stripe', 'e5', 'originating', 'c0', $2::timestamptz + interval '3 days 12 hours', 50000000)`, environment, f.at)
	exec(`insert into experiment_served_packed (environment_id, experiment_id, people, day, arm)
		select $1, $2, string_agg(uuid_send(gen_random_uuid()), ''), current_date, i % 2 from generate_series(1, 100) i
		group by i % 2`, environment, id)
	exec(`insert into experiment_served_count (environment_id, day, people, left_out) values ($1, current_date, 100, 7)`,
		environment)

	got := reader.must(resultsQuery, vars{"x": id})
	at := func(path ...any) any { return got.at(t, append([]any{"experimentResults"}, path...)...) }
	num := func(path ...any) float64 { return number(t, got, append([]any{"experimentResults"}, path...)...) }
	require.Equal(t, "RUNNING", at("status"))
	require.EqualValues(t, 50, num("served", "people", 0, "people"))
	require.EqualValues(t, 50, num("assigned", "people", 0, "people"))
	require.EqualValues(t, 40, num("exposed", "people", 0, "people"))
	require.EqualValues(t, 41, num("exposed", "people", 1, "people"))
	require.Equal(t, false, at("exposed", "warning"))
	require.EqualValues(t, 1, num("crossed"))
	require.EqualValues(t, 1, num("unknown"))
	require.EqualValues(t, 7, num("servedLeftOut"))
	require.EqualValues(t, 7, num("assignmentsLeftOut"))
	require.Equal(t, at("peoplePerArm"), at("peoplePerVariant"))
	require.Equal(t, "TOO_EARLY", at("verdict"))
	require.Equal(t, "b", at("arm"))
	require.Equal(t, "b", at("variant"))
	require.Contains(t, at("sentence"), "Too early: the smaller variant has 40 of the 100 users that it needs.")

	type figure struct{ control, treatment float64 }
	for i, want := range []struct {
		metric string
		figure
	}{
		{"COMPLETION", figure{0.25, 0.5}}, {"CONVERSION", figure{0, 2.0 / 40}}, {"REVENUE", figure{0, 6.0 / 40}},
		{"REVENUE_WINSORIZED", figure{0, 6.0 / 40}}, {"TRIAL_CONVERSION", figure{-1, 1}}, {"REFUND_RATE", figure{-1, 1}},
		{"TIME_TO_COMPLETE", figure{60, 60}},
	} {
		require.Equal(t, want.metric, at("metrics", i, "metric"))
		for arm, value := range []float64{want.control, want.treatment} {
			if value < 0 {
				require.Nil(t, at("metrics", i, "arms", arm, "value"), want.metric)
				continue
			}
			require.InDelta(t, value, num("metrics", i, "arms", arm, "value"), 1e-9, want.metric)
		}
		require.EqualValues(t, 1, num("metrics", i, "arms", 1, "maturing"), want.metric)
	}
	require.EqualValues(t, 40, num("metrics", 0, "arms", 1, "people"))
	require.Equal(t, "RUNNING", at("metrics", 0, "phase"))
	require.InDelta(t, 0.25, num("metrics", 0, "comparisons", 0, "difference"), 1e-9)
	require.InDelta(t, 1, num("metrics", 0, "comparisons", 0, "lift"), 1e-9)
	require.Less(t, num("metrics", 0, "comparisons", 0, "interval", "low"), 0.0)
	require.InDelta(t, 0.99, num("metrics", 0, "comparisons", 0, "chanceToWin"), 0.01)
	series, _ := at("metrics", 0, "series").([]any)
	require.GreaterOrEqual(t, len(series), 4)
	require.EqualValues(t, 40, num("metrics", 0, "series", len(series)-1, "arms", 1, "people"))
	require.EqualValues(t, 0, num("metrics", 0, "series", 0, "arms", 1, "people"))

	// Its planner names no windows, so that they are those of the app.
	owner.must(`mutation($a: ID!) { updateApp(input: {id: $a, completionWindowDays: 7}) { id } }`, vars{"a": f.app})
	got = reader.must(resultsQuery, vars{"x": id})
	require.EqualValues(t, 41, num("metrics", 0, "arms", 1, "maturing"))
	require.EqualValues(t, 1, num("metrics", 1, "arms", 1, "maturing"), "conversion waits for purchases only")

	require.Equal(t, "invalid_input", reader.do(resultsQuery, vars{"x": id, "z": "Mars"}).code())
	require.Equal(t, "not_found", f.as("stranger").do(resultsQuery, vars{"x": id}).code())
	list := reader.must(`query($a: ID!) { app(id: $a) { experiments { totalCount nodes { id status } } test: experiments(environment: TEST) { totalCount } } }`,
		vars{"a": f.app})
	require.Equal(t, id, list.at(t, "app", "experiments", "nodes", 0, "id"))
	require.EqualValues(t, 0, number(t, list, "app", "test", "totalCount"))
}

// Goals of an experiment are measured by arm, one may decide, and what decides is frozen by the start.
func TestExperimentGoals(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	owner, reader := f.as("owner"), f.as("viewer")
	second := f.publish(f.flow)
	goal := func(app, name string, condition vars) string {
		return owner.text(`mutation($a: ID!, $n: String!, $c: GoalConditionInput!) {
			createGoal(input: {appId: $a, name: $n, condition: $c}) { id } }`, vars{"a": app, "n": name, "c": condition},
			"createGoal", "id")
	}
	paid := goal(f.app, "Paid", vars{"purchase": vars{}})
	completed := goal(f.app, "Done", vars{"flow": vars{"flowId": f.flow, "outcome": "COMPLETED"}})
	viewed := goal(f.app, "Viewed", vars{"page": vars{"op": "IS", "name": "/price"}})
	foreign := goal(owner.text(`mutation($w: ID!) { createApp(input: {workspaceId: $w, name: "Other"}) { id } }`,
		vars{"w": f.workspace}, "createApp", "id"), "Foreign", vars{"purchase": vars{}})
	const create = `mutation($c: ChannelID!, $e: Time!, $a: [VariantInput!], $g: [ExperimentGoalInput!]) {
		createExperiment(input: {channelId: $c, name: "Goals", endsAt: $e, planner: {goalDays: 1}, variants: $a, goals: $g}) {
			id goals { primary goal { id name } } } }`
	of := func(list ...any) (goals []vars) {
		for i := 0; i < len(list); i += 2 {
			goals = append(goals, vars{"goalId": list[i], "primary": list[i+1]})
		}
		return goals
	}
	asked := func(goals []vars) vars {
		return vars{"c": f.channel, "e": time.Now().AddDate(0, 0, 30), "g": goals, "a": []vars{
			{"key": "control", "weight": 1, "versionId": f.version}, {"key": "b", "weight": 1, "versionId": second},
		}}
	}
	for field, wrong := range map[string][]vars{
		"goals.0.goalId": of(foreign, false), "goals.1.goalId": of(paid, false, paid, true),
		"goals.1.primary": of(paid, true, completed, true), "goals": make([]vars, 11),
	} {
		for i := range wrong {
			if wrong[i] == nil {
				wrong[i] = vars{"goalId": paid}
			}
		}
		failed := owner.do(create, asked(wrong))
		require.Equal(t, "invalid_input", failed.code(), field)
		require.Contains(t, failed.Errors[0].Message, field)
	}
	made := owner.must(create, asked(of(viewed, false, paid, true)))
	id := made.at(t, "createExperiment", "id")
	require.Equal(t, "Paid", made.at(t, "createExperiment", "goals", 1, "goal", "name"))
	plan := reader.must(`query($x: ID!) { experimentPlan(id: $x) { measuredBaseline measuredPeople baseline } }`, vars{"x": id})
	require.Nil(t, plan.at(t, "experimentPlan", "measuredBaseline"), "nobody yet")
	owner.must(`mutation($x: ID!) { startExperiment(input: {id: $x}) { status } }`, vars{"x": id})

	const update = `mutation($x: ID!, $g: [ExperimentGoalInput!], $n: String) {
		updateExperiment(input: {id: $x, goals: $g, name: $n}) { goals { primary goal { name } } } }`
	for _, frozen := range []vars{
		{"g": of(completed, true)}, {"g": of(paid, false)}, {"g": of(paid, true), "n": "Other"}, {"g": []vars{}},
	} {
		frozen["x"] = id
		require.Equal(t, "conflict", owner.do(update, frozen).code())
	}
	require.Equal(t, "forbidden", reader.do(update, vars{"x": id, "g": of(paid, true)}).code())
	owner.must(update, vars{"x": id, "g": of(paid, true, completed, false, viewed, false)})
	require.Equal(t, "conflict", owner.do(`mutation($g: ID!) { deleteGoal(input: {id: $g}) }`, vars{"g": viewed}).code())

	ctx := context.Background()
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := f.db.Pool.Exec(ctx, sql, args...)
		require.NoError(t, err)
	}
	f.at = time.Now().UTC().Truncate(time.Second).AddDate(0, 0, -4)
	exec(`update experiments set started_at = $2 where id = $1`, id, f.at.Add(-time.Hour))
	for arm := range 2 {
		var variant string
		require.NoError(t, f.db.Pool.QueryRow(ctx,
			`select id::text from variants where experiment_id = $1 and position = $2`, id, arm).Scan(&variant))
		for i := range 10 {
			more := vars{"experimentId": id, "variantId": variant}
			events := []flowEvent{{name: "flow_started", after: float64(i), more: more}}
			if i < 3+arm {
				events = append(events, flowEvent{name: "flow_completed", after: 60, more: more})
			}
			f.runOf(fmt.Sprintf("p%d%d", arm, i), vars{"platform": "web"}, events...)
		}
	}
	environment := f.environment(f.app)
	exec(`insert into revenue_ledger (environment_id, provider, provider_event_id, kind, app_user_id, occurred_at,
		amount_micros) values
		($1, 'stripe', 'e1', 'originating', 'p10', $2::timestamptz + interval '1 hour', 10000000),
		($1, 'stripe', 'e2', 'originating', 'p11', $2::timestamptz + interval '26 hours', 10000000),
		($1, 'stripe', 'e3', 'originating', 'p12', $2::timestamptz - interval '1 hour', 10000000),
		($1, 'stripe', 'e4', 'refund', 'p13', $2::timestamptz + interval '1 hour', -10000000)`, environment, f.at)
	got := reader.must(`query($x: ID!) { experimentResults(id: $x) { sentence metrics { metric primary goal { name }
		variants { people successes value } comparisons { difference lift } } } }`, vars{"x": id})
	at := func(path ...any) any { return got.at(t, append([]any{"experimentResults", "metrics"}, path...)...) }
	for i, want := range []struct {
		kind, goal string
		successes  [2]string
	}{{"GOAL", "Paid", [2]string{"0", "1"}}, {"GOAL", "Done", [2]string{"3", "4"}}, {"GOAL", "Viewed", [2]string{"0", "0"}}} {
		require.Equal(t, want.kind, at(i, "metric"))
		require.Equal(t, want.goal, at(i, "goal", "name"))
		require.Equal(t, i == 0, at(i, "primary"))
		for arm, n := range want.successes {
			require.Equal(t, json.Number(n), at(i, "variants", arm, "successes"), want.goal)
		}
	}
	require.Equal(t, "COMPLETION", at(3, "metric"))
	require.Equal(t, false, at(3, "primary"))
	require.Nil(t, at(3, "goal"))
	require.Equal(t, json.Number("0.1"), at(0, "comparisons", 0, "difference"))
	require.Contains(t, got.at(t, "experimentResults", "sentence"), "Too early")
}
