package resolvers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/people/privacy"
)

// What an experiment is split by is chosen while it is a draft, by device unless something else is said. By custom user
// id the devices of a person count once in results, and devices that nobody knows are left out.
func TestAnExperimentIsSplitByCustomUserID(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	owner := f.as("owner")
	second := f.publish(f.flow)
	const create = `mutation($c: ChannelID!, $e: Time!, $a: [VariantInput!], $s: ExperimentSplitBy) {
		createExperiment(input: {channelId: $c, name: "Goal first", endsAt: $e, variants: $a, splitBy: $s}) { id splitBy } }`
	const update = `mutation($x: ID!, $s: ExperimentSplitBy!) {
		updateExperiment(input: {id: $x, splitBy: $s}) { splitBy } }`
	draft := vars{"c": f.channel, "e": time.Now().AddDate(0, 0, 30), "a": []vars{
		{"key": "control", "weight": 1, "versionId": f.version}, {"key": "b", "weight": 1, "versionId": second},
	}}
	plain := owner.must(`mutation($c: ChannelID!) { createExperiment(input: {channelId: $c, name: "Plain"}) { splitBy } }`,
		vars{"c": f.channel})
	require.Equal(t, "DEVICE", plain.at(t, "createExperiment", "splitBy"))
	draft["s"] = "CUSTOM_USER_ID"
	made := owner.must(create, draft)
	require.Equal(t, "CUSTOM_USER_ID", made.at(t, "createExperiment", "splitBy"))
	id := made.at(t, "createExperiment", "id").(string)
	for _, by := range []string{"DEVICE", "CUSTOM_USER_ID"} {
		changed := owner.must(update, vars{"x": id, "s": by})
		require.Equal(t, by, changed.at(t, "updateExperiment", "splitBy"))
	}
	owner.must(`mutation($x: ID!) { startExperiment(input: {id: $x}) { status } }`, vars{"x": id})
	refused := owner.do(update, vars{"x": id, "s": "DEVICE"})
	require.Equal(t, "conflict", refused.code())
	require.Contains(t, refused.Errors[0].Message, "what it is split by")

	f.at = time.Now().UTC().Truncate(time.Second).AddDate(0, 0, -4)
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := f.db.Pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	exec(`update experiments set started_at = $2 where id = $1`, id, f.at.Add(-time.Hour))
	var control, other string
	require.NoError(t, f.db.Pool.QueryRow(t.Context(), `select min(id::text) filter (where position = 0),
		min(id::text) filter (where position = 1) from variants where experiment_id = $1`, id).Scan(&control, &other))
	visit := func(device, variant string, after float64, completes bool) {
		of := vars{"experimentId": id, "variantId": variant}
		events := []flowEvent{{name: "flow_started", after: after, more: of}}
		if completes {
			events = append(events, flowEvent{name: "flow_completed", after: after + 60, more: of})
		}
		f.runOf(device, vars{"platform": "web"}, events...)
	}
	visit("phone", control, 0, false)
	visit("laptop", control, 3600, true)
	visit("ben", other, 0, false)
	visit("stranger", other, 0, true)
	visit("eve1", control, 0, false)
	visit("eve2", other, 10, false)
	environment := f.environment(f.app)
	for device, of := range map[string]string{
		"phone": "zoe", "laptop": "zoe", "ben": "", "eve1": "eve", "eve2": "eve", "came": "",
	} {
		exec(`insert into experiment_unit (environment_id, experiment_id, is_custom, person, custom_user, arm, day)
			values ($1, $2, false, $3, nullif($4::uuid, $5::uuid), 1, now())`,
			environment, id, privacy.Person(device), privacy.Person(of), privacy.Person(""))
	}
	for _, of := range []string{"zoe", "eve"} {
		exec(`insert into experiment_unit (environment_id, experiment_id, is_custom, person, arm, day)
			values ($1, $2, true, $3, 0, now())`, environment, id, privacy.Person(of))
	}

	got := owner.must(`query($x: ID!) { experimentResults(id: $x) { crossed unrecorded
		assigned { people { people } } exposed { people { people } }
		metrics { metric variants { people successes } } } }`, vars{"x": id})
	num := func(path ...any) float64 { return number(t, got, append([]any{"experimentResults"}, path...)...) }
	require.EqualValues(t, 1, num("crossed"), "who saw both variants on two devices")
	require.EqualValues(t, 1, num("unrecorded"))
	for arm := range 2 {
		require.EqualValues(t, 2, num("assigned", "people", arm, "people"))
		require.EqualValues(t, 1, num("exposed", "people", arm, "people"))
		require.EqualValues(t, 1, num("metrics", 0, "variants", arm, "people"))
		require.EqualValues(t, 1-arm, num("metrics", 0, "variants", arm, "successes"))
	}
}
