package demo

import (
	"context"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/studio"
)

// createFunnels makes two funnels of the demo app: through its website, and through its flow in the app.
func (s *Seeder) createFunnels(ctx context.Context, app uuid.UUID) error {
	welcome, err := s.DB.Ent().Flow.Query().Where(entflow.AppID(app), entflow.Name(flowNames["onboarding"])).Only(ctx)
	if err != nil {
		return err
	}
	const day = 24 * 60 // short windows, of which some are over in the period that the dashboard opens with
	for _, f := range []struct {
		name   string
		window int // in minutes
		steps  []analytics.FunnelStep
	}{
		{"Website to first plant", day, []analytics.FunnelStep{
			viewStep("Home page", "/"), viewStep("Sign-up page", "/signup"),
			eventStep("Signed up", "signed_up"), eventStep("Added a plant", "plant_added"),
		}},
		{"Welcome to purchase", 3 * day, []analytics.FunnelStep{
			flowStep("Welcome started", welcome.ID, analytics.GoalStarted),
			flowStep("Welcome completed", welcome.ID, analytics.GoalCompleted),
			{Name: "Purchase", Condition: &analytics.GoalCondition{Purchase: &analytics.GoalPurchase{}}},
		}},
	} {
		definition := analytics.Funnel{
			Steps: f.steps, By: analytics.FunnelByVisitor, Order: analytics.FunnelLoose, WindowMinutes: f.window,
		}
		change := studio.FunnelChange{Name: &f.name, Definition: &definition}
		if _, err := s.Studio.CreateFunnel(ctx, app, change); err != nil {
			return err
		}
	}
	return nil
}

func viewStep(name, page string) analytics.FunnelStep {
	view := analytics.GoalView{Op: analytics.GoalIs, Name: page}
	return analytics.FunnelStep{Name: name, Condition: &analytics.GoalCondition{Page: &view}}
}

func eventStep(name, event string) analytics.FunnelStep {
	return analytics.FunnelStep{
		Name: name, Condition: &analytics.GoalCondition{Event: &analytics.GoalEvent{Name: event}},
	}
}

func flowStep(name string, flow uuid.UUID, outcome analytics.GoalFlowOutcome) analytics.FunnelStep {
	reached := analytics.GoalFlow{FlowID: flow, Outcome: outcome}
	return analytics.FunnelStep{Name: name, Condition: &analytics.GoalCondition{Flow: &reached}}
}
