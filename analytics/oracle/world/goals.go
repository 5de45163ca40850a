package world

import (
	"slices"
	"strconv"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/oracle"
)

// DrawGoals makes goals that hits, runs and purchases of worlds may meet.
func DrawGoals(t *rapid.T) []analytics.Goal {
	goals := make([]analytics.Goal, rapid.IntRange(0, 6).Draw(t, "goals"))
	for i := range goals {
		goals[i] = analytics.Goal{
			ID: uuid.NewSHA1(uuid.NameSpaceURL, []byte(strconv.Itoa(i))), Name: "Goal " + strconv.Itoa(i),
			Condition: drawGoal(t),
		}
	}
	return goals
}

// DrawGoalFilter makes a filter on some of the goals; none without any, and mostly none.
func DrawGoalFilter(t *rapid.T, goals []analytics.Goal) []analytics.Filter {
	if len(goals) == 0 || rapid.IntRange(0, 2).Draw(t, "filtered by goals") > 0 {
		return nil
	}
	f := analytics.Filter{
		Dimension: analytics.MetGoal,
		Operator:  rapid.SampledFrom([]analytics.Operator{"", analytics.Is, analytics.IsNot}).Draw(t, "operator of goals"),
	}
	for _, goal := range rapid.SliceOfN(rapid.SampledFrom(goals), 1, 2).Draw(t, "goals of the filter") {
		f.Values = append(f.Values, goal.ID.String())
	}
	return []analytics.Filter{f}
}

func drawGoal(t *rapid.T) (c analytics.GoalCondition) {
	switch rapid.IntRange(0, 4).Draw(t, "kind of goal") {
	case 0:
		names := append(slices.Clone(customs), "page_view", "session_start", "first_open", "nothing")
		c.Event = &analytics.GoalEvent{Name: rapid.SampledFrom(names).Draw(t, "event of the goal")}
	case 1:
		c.Page = drawGoalView(t)
	case 2:
		c.Screen = drawGoalView(t)
	case 3:
		c.Flow = &analytics.GoalFlow{
			FlowID: uuid.MustParse(rapid.SampledFrom(flows).Draw(t, "flow of the goal")),
			Outcome: rapid.SampledFrom([]analytics.GoalFlowOutcome{
				analytics.GoalStarted, analytics.GoalCompleted, analytics.GoalStepReached,
			}).Draw(t, "outcome of the goal"),
		}
		if c.Flow.Outcome == analytics.GoalStepReached {
			c.Flow.Step = rapid.SampledFrom(oracle.StepNames).Draw(t, "step of the goal")
		}
	default:
		c.Purchase = &analytics.GoalPurchase{
			Products: rapid.SliceOfN(rapid.SampledFrom(products[1:]), 0, 2).Draw(t, "products of the goal"),
			Provider: rapid.SampledFrom([]string{"", "", "STRIPE", "REVENUECAT"}).Draw(t, "provider of the goal"),
		}
		if rapid.Bool().Draw(t, "at least") {
			c.Purchase.MinUSD = ptr(rapid.SampledFrom([]float64{0, 0.99, 1.98}).Draw(t, "least"))
		}
		if rapid.Bool().Draw(t, "at most") {
			c.Purchase.MaxUSD = ptr(rapid.SampledFrom([]float64{1.98, 2.97, 2.96}).Draw(t, "most"))
		}
	}
	return c
}

func drawGoalView(t *rapid.T) *analytics.GoalView {
	if rapid.Bool().Draw(t, "contains") {
		parts := []string{"/", "a", "b", "Home", `"`, "*"}
		return &analytics.GoalView{Op: analytics.GoalContains, Name: rapid.SampledFrom(parts).Draw(t, "part of a name")}
	}
	patterns := append(slices.Clone(pages), "*", "**", "/*", "/a*", "*b*", "/**b", "H*e", "*/*", "***")
	return &analytics.GoalView{Op: analytics.GoalIs, Name: rapid.SampledFrom(patterns).Draw(t, "pattern")}
}

func ptr[T any](v T) *T { return &v }
