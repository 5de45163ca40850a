package resolvers_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics/experiment"
)

const planQuery = `query($x: ID!) { experimentPlan(id: $x) {
	measuredBaseline measuredPeople baseline effect peoplePerArm lastFortnight days } }`

// Forty people came four days ago, of whom ten completed, and five with another version.
func TestExperimentPlan(t *testing.T) {
	t.Parallel()
	f := newFlowWorld(t)
	owner, reader := f.as("owner"), f.as("viewer")
	first, second := f.version, f.publish(f.flow)
	create := func(planner vars) string {
		return owner.text(`mutation($c: ChannelID!, $e: Time!, $p: JSON, $a: [VariantInput!]) { createExperiment(input: {channelId: $c, name: "Goal first", endsAt: $e, planner: $p, variants: $a}) { id } }`,
			vars{"c": f.channel, "e": time.Now().AddDate(0, 0, 30), "p": planner, "a": []vars{
				{"key": "control", "weight": 3, "versionId": first}, {"key": "b", "weight": 1, "versionId": second},
			}}, "createExperiment", "id")
	}
	unnamed, named, unfit := create(vars{"effect": 0.1}), create(vars{"baseline": 0.4}), create(vars{"effect": -0.3})
	empty := reader.do(planQuery, vars{"x": unnamed})
	require.Nil(t, empty.at(t, "experimentPlan", "measuredBaseline"))
	require.Nil(t, empty.at(t, "experimentPlan", "days"), "nobody comes")
	require.InDelta(t, 0.5, number(t, empty, "experimentPlan", "baseline"), 0)

	f.at = time.Now().UTC().Truncate(time.Second).AddDate(0, 0, -4)
	for i := range 40 {
		events := []flowEvent{{name: "flow_started", after: float64(i)}}
		if i < 10 {
			events = append(events, flowEvent{name: "flow_completed", after: float64(i) + 9})
		}
		f.runOf(fmt.Sprint("p", i), vars{"platform": "web"}, events...)
	}
	f.version = second
	for i := range 5 {
		f.runOf(fmt.Sprint("q", i), vars{"platform": "web"}, flowEvent{name: "flow_started", after: float64(i)})
	}
	for _, c := range []struct {
		id               string
		baseline, effect float64
	}{{unnamed, 0.25, 0.1}, {named, 0.4, 0.05}, {unfit, 0.5, -0.3}} {
		n, err := experiment.Plan{
			Baseline: c.baseline, Effect: c.effect, Treatments: 1, Alpha: 0.05, Power: 0.8,
		}.PeoplePerArm()
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			return number(t, reader.do(planQuery, vars{"x": c.id}), "experimentPlan", "lastFortnight") == 45
		}, 20*time.Second, 50*time.Millisecond)
		found := reader.do(planQuery, vars{"x": c.id})
		for field, want := range map[string]float64{
			"measuredBaseline": 0.25, "measuredPeople": 40, "baseline": c.baseline, "effect": c.effect,
			"peoplePerArm": float64(n), "lastFortnight": 45,
			"days": math.Ceil(float64(4*n) * 14 / 45), // of the arm that a fourth of the people get
		} {
			require.InDelta(t, want, number(t, found, "experimentPlan", field), 1e-9, "%s of %v", field, c)
		}
	}
	require.Equal(t, "not_found", f.as("stranger").do(planQuery, vars{"x": unnamed}).code())
}
