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

func TestGoalsAreNamedConditions(t *testing.T) {
	w := newWorld(t)
	flow, _ := w.published(w.app.ID)
	signUp := analytics.GoalCondition{Event: &analytics.GoalEvent{Name: "sign_up"}}
	done := analytics.GoalCondition{Flow: &analytics.GoalFlow{FlowID: flow.ID, Outcome: analytics.GoalCompleted}}
	made1 := made(w.CreateGoal(w.owner, w.app.ID, studio.GoalChange{Name: ptr(" Sign up "), Condition: &signUp}))(t)
	require.Equal(t, "Sign up", made1.Name)
	_, err := w.CreateGoal(w.owner, w.app.ID, studio.GoalChange{Name: ptr("Sign up"), Condition: &done})
	refused(t, err, fault.InvalidInput, "name")
	changed := made(w.UpdateGoal(w.owner, made1.ID, studio.GoalChange{Condition: &done}))(t)
	require.Equal(t, "Sign up", changed.Name, "what is not named stays")
	goals := made(w.Goals(t.Context(), w.app.ID))(t)
	require.Equal(t, []analytics.Goal{{ID: made1.ID, Name: "Sign up", Condition: done}}, goals)

	other := made(w.CreateApp(w.owner, w.workspace, "Other"))(t)
	_, err = w.CreateGoal(w.owner, other.ID, studio.GoalChange{Name: ptr("G"), Condition: &done})
	refused(t, err, fault.InvalidInput, "condition.flow.flowId")
	_, err = w.UpdateGoal(w.owner, made1.ID, studio.GoalChange{Condition: &analytics.GoalCondition{}})
	require.ErrorContains(t, err, "condition: needs exactly one")
	long := strings.Repeat("ä", analytics.MaxGoalName)
	made(w.UpdateGoal(w.owner, made1.ID, studio.GoalChange{Name: &long}))(t)
	_, err = w.UpdateGoal(w.owner, made1.ID, studio.GoalChange{Name: ptr(long + "x")})
	refused(t, err, fault.InvalidInput, "name")
	huge := analytics.GoalCondition{Purchase: &analytics.GoalPurchase{}}
	for range 20 {
		huge.Purchase.Products = append(huge.Purchase.Products, strings.Repeat("p", 2000))
	}
	_, err = w.UpdateGoal(w.owner, made1.ID, studio.GoalChange{Condition: &huge})
	refused(t, err, fault.InvalidInput, "condition")

	refused(t, w.DeleteGoal(w.viewer(), made1.ID), fault.Forbidden, "")
	refused(t, w.DeleteGoal(w.stranger(), made1.ID), fault.NotFound, "")
	require.NoError(t, w.DeleteGoal(w.owner, made1.ID))
	_, err = w.UpdateGoal(w.owner, made1.ID, studio.GoalChange{Name: ptr("Gone")})
	refused(t, err, fault.NotFound, "")
	refused(t, w.DeleteGoal(w.owner, uuid.New()), fault.NotFound, "")
}

func TestGoalsAreBounded(t *testing.T) {
	w := newWorld(t)
	_, err := w.db.Pool.Exec(w.owner, `
		insert into goals (id, app_id, name, condition, updated_at)
		select gen_random_uuid(), $1, 'Goal ' || n, '{}', now() from generate_series(1, $2) n`, w.app.ID, analytics.MaxGoals)
	require.NoError(t, err)
	one := analytics.GoalCondition{Event: &analytics.GoalEvent{Name: "e"}}
	_, err = w.CreateGoal(w.owner, w.app.ID, studio.GoalChange{Name: ptr("One more"), Condition: &one})
	refused(t, err, fault.InvalidInput, "appId")
}
