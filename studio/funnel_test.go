package studio_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

func TestFunnelsAreNamedSteps(t *testing.T) {
	w := newWorld(t)
	flow, _ := w.published(w.app.ID)
	signUp := analytics.GoalCondition{Event: &analytics.GoalEvent{Name: "sign_up"}}
	done := analytics.GoalCondition{Flow: &analytics.GoalFlow{FlowID: flow.ID, Outcome: analytics.GoalCompleted}}
	goal := made(w.CreateGoal(w.owner, w.app.ID, studio.GoalChange{Name: ptr("Sign up"), Condition: &signUp}))(t)
	f := analytics.Funnel{
		Steps: []analytics.FunnelStep{{GoalID: &goal.ID}, {Condition: &done}}, Exclusions: []analytics.GoalCondition{done},
		By: analytics.FunnelByVisitor, Order: analytics.FunnelLoose, WindowMinutes: 60,
	}
	one := made(w.CreateFunnel(w.owner, w.app.ID, studio.FunnelChange{Name: ptr(" Way in "), Definition: &f}))(t)
	require.Equal(t, "Way in", one.Name)
	_, err := w.CreateFunnel(w.owner, w.app.ID, studio.FunnelChange{Name: ptr("Way in"), Definition: &f})
	refused(t, err, fault.InvalidInput, "name")
	f.WindowMinutes = 120
	changed := made(w.UpdateFunnel(w.owner, one.ID, studio.FunnelChange{Definition: &f}))(t)
	require.Equal(t, "Way in", changed.Name, "what is not named stays")
	require.Contains(t, string(changed.Definition), `"windowMinutes": 120`)

	other := made(w.CreateApp(w.owner, w.workspace, "Other"))(t)
	_, err = w.CreateFunnel(w.owner, other.ID, studio.FunnelChange{Name: ptr("F"), Definition: &f})
	require.ErrorContains(t, err, "funnel.steps[0].goalId: is not a goal of this app")
	f.Steps[0] = analytics.FunnelStep{Condition: &signUp}
	_, err = w.CreateFunnel(w.owner, other.ID, studio.FunnelChange{Name: ptr("F"), Definition: &f})
	refused(t, err, fault.InvalidInput, "funnel.steps[1].condition.flow.flowId")
	f.Steps[1] = f.Steps[0]
	_, err = w.CreateFunnel(w.owner, other.ID, studio.FunnelChange{Name: ptr("F"), Definition: &f})
	refused(t, err, fault.InvalidInput, "funnel.exclusions[0].flow.flowId")
	_, err = w.UpdateFunnel(w.owner, one.ID, studio.FunnelChange{Name: ptr(strings.Repeat("x", 101))})
	refused(t, err, fault.InvalidInput, "name")
	huge := analytics.GoalCondition{Purchase: &analytics.GoalPurchase{}}
	for range 40 {
		huge.Purchase.Products = append(huge.Purchase.Products, strings.Repeat("p", 2000))
	}
	f.Exclusions[0] = huge
	_, err = w.UpdateFunnel(w.owner, one.ID, studio.FunnelChange{Definition: &f})
	require.ErrorContains(t, err, "funnel: has ")

	refused(t, w.DeleteFunnel(w.viewer(), one.ID), fault.Forbidden, "")
	refused(t, w.DeleteFunnel(w.stranger(), one.ID), fault.NotFound, "")
	require.NoError(t, w.DeleteFunnel(w.owner, one.ID))
	refused(t, w.DeleteFunnel(w.owner, uuid.New()), fault.NotFound, "")
}

func TestFunnelsAreBounded(t *testing.T) {
	w := newWorld(t)
	_, err := w.db.Pool.Exec(w.owner, `
		insert into funnels (id, app_id, name, definition, updated_at)
		select gen_random_uuid(), $1, 'Funnel ' || n, '{}', now() from generate_series(1, $2) n`,
		w.app.ID, analytics.MaxFunnels)
	require.NoError(t, err)
	step := analytics.FunnelStep{Condition: &analytics.GoalCondition{Event: &analytics.GoalEvent{Name: "e"}}}
	f := analytics.Funnel{
		Steps: []analytics.FunnelStep{step, step}, By: analytics.FunnelBySession, Order: analytics.FunnelStrict,
		WindowMinutes: 1,
	}
	_, err = w.CreateFunnel(w.owner, w.app.ID, studio.FunnelChange{Name: ptr("One more"), Definition: &f})
	refused(t, err, fault.InvalidInput, "appId")
}
