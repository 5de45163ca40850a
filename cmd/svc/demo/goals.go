package demo

import (
	"context"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/studio"
)

// createGoals names what visitors of the demo app are to do.
func (s *Seeder) createGoals(ctx context.Context, app uuid.UUID) error {
	welcome, err := s.DB.Ent().Flow.Query().Where(entflow.AppID(app), entflow.Name(flowNames["onboarding"])).Only(ctx)
	if err != nil {
		return err
	}
	done := analytics.GoalFlow{FlowID: welcome.ID, Outcome: analytics.GoalCompleted}
	for _, g := range []struct {
		name      string
		condition analytics.GoalCondition
	}{
		{"Welcome completed", analytics.GoalCondition{Flow: &done}},
		{"First plant", analytics.GoalCondition{Event: &analytics.GoalEvent{Name: "plant_added"}}},
		{"Saw the app", analytics.GoalCondition{Page: &analytics.GoalView{Op: analytics.GoalIs, Name: "/app**"}}},
		{"Purchase", analytics.GoalCondition{Purchase: &analytics.GoalPurchase{}}},
	} {
		if _, err := s.Studio.CreateGoal(ctx, app, studio.GoalChange{Name: &g.name, Condition: &g.condition}); err != nil {
			return err
		}
	}
	return nil
}
