package floworacle_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/oracle/floworacle"
	"github.com/svc-dev/svc/analytics/report"
	"github.com/svc-dev/svc/people/privacy"
)

func TestExposuresAgreeWithOracle(t *testing.T) {
	worlds(t)
	rapid.Check(t, func(t *rapid.T) {
		s := floworacle.Draw(t)
		tuning := flow.DefaultTuning()
		tuning.RunsPerWorker = rapid.SampledFrom([]int{1, 20_000}).Draw(t, "runs per worker")
		engine := flow.NewEngine(tuning, report.NewEngine(report.DefaultTuning()))
		trial := &flow.Trial{
			Experiment: floworacle.Experiment, Variants: map[string]int{"a": 0, "b": 1},
			Start:    s.Anchor.Add(time.Duration(rapid.IntRange(-96, 24).Draw(t, "start")) * time.Hour),
			Purchase: time.Duration(rapid.SampledFrom([]int{1, 3, 7}).Draw(t, "purchase")) * 24 * time.Hour,
		}
		if rapid.Bool().Draw(t, "an arm is unknown") {
			delete(trial.Variants, "b")
		}
		trial.NamesDevices = rapid.Bool().Draw(t, "by custom user id")
		units := drawUnits(t)
		trial.End = trial.Start.Add(time.Duration(rapid.IntRange(0, 240).Draw(t, "hours")) * time.Hour)
		trial.Goal = time.Duration(rapid.SampledFrom([]int{1, 3, 14}).Draw(t, "goal")) * 24 * time.Hour
		trial.Goals = drawGoals(t)
		selection, err := engine.Select(load(t, s), trial.Scope(), nil, s.Now)
		if rapid.IntRange(0, 2).Draw(t, "streamed") == 0 {
			selection, err = engine.Stream(portions(t, s), trial.Scope(), s.Now)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := selection.Exposures(t.Context(), trial)
		if err != nil {
			t.Fatal(err)
		}
		var hashed map[uuid.UUID]uuid.UUID
		if trial.NamesDevices {
			hashed = experiment.Devices(got)
			for device, unit := range units {
				if unit != "" {
					hashed[privacy.Person(device)] = privacy.Person(unit)
				}
			}
			got, _ = experiment.Join(got, hashed)
		}
		if err := selection.MeetGoals(t.Context(), trial, got, hashed); err != nil {
			t.Fatal(err)
		}
		var want []experiment.Exposure
		for _, x := range floworacle.New(s.World, s.Now).Exposures(trial, units) {
			want = append(want, x)
		}
		if a, b := describe(got), describe(want); a != b {
			t.Fatalf("got\n%s\nwant\n%s", a, b)
		}
	})
}

// drawGoals draws goals of every kind.
func drawGoals(t *rapid.T) (goals []analytics.GoalCondition) {
	contains := func(part string) *analytics.GoalView {
		return &analytics.GoalView{Op: analytics.GoalContains, Name: part}
	}
	flowGoal := func(outcome analytics.GoalFlowOutcome, step string) analytics.GoalCondition {
		of := uuid.UUID(rapid.SampledFrom(floworacle.Flows).Draw(t, "flow of a goal"))
		return analytics.GoalCondition{Flow: &analytics.GoalFlow{FlowID: of, Outcome: outcome, Step: step}}
	}
	for range rapid.IntRange(0, 3).Draw(t, "goals") {
		goals = append(goals, rapid.SampledFrom([]analytics.GoalCondition{
			{Event: &analytics.GoalEvent{Name: "hit"}}, {Page: contains("/")}, {Page: contains("b")},
			{Purchase: &analytics.GoalPurchase{}}, {Purchase: &analytics.GoalPurchase{Products: []string{"year"}}},
			flowGoal(analytics.GoalStarted, ""), flowGoal(analytics.GoalCompleted, ""),
			flowGoal(analytics.GoalStepReached, "pay"),
		}).Draw(t, "goal"))
	}
	return goals
}

// drawUnits draws whose the devices of a world are: some are of few people, some their own, some nobody's.
func drawUnits(t *rapid.T) map[string]string {
	units := map[string]string{}
	for _, device := range []string{"p1", "p2", "p3", "p4"} {
		units[device] = rapid.SampledFrom([]string{"zoe", "ben", device, ""}).Draw(t, "whose "+device+" is")
	}
	return units
}

// describe writes exposures in one order.
func describe(list []experiment.Exposure) string {
	var lines []string
	for _, x := range list {
		slices.SortFunc(x.Charges, func(a, b experiment.Charge) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
		})
		lines = append(lines, fmt.Sprintf("%+v\n", x))
	}
	slices.Sort(lines)
	return fmt.Sprint(lines)
}
