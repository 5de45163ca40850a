package studio_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/studio"
)

// An experiment measures goals of its app; which one decides is frozen once it was started, and what is measured stays.
func TestExperimentsMeasureGoals(t *testing.T) {
	w := newWorld(t)
	_, version := w.published(w.app.ID)
	goal := func(app uuid.UUID, name string) uuid.UUID {
		t.Helper()
		condition := analytics.GoalCondition{Event: &analytics.GoalEvent{Name: name}}
		return made(w.CreateGoal(w.owner, app, studio.GoalChange{Name: &name, Condition: &condition}))(t).ID
	}
	first, second := goal(w.app.ID, "first"), goal(w.app.ID, "second")
	foreign := goal(made(w.CreateApp(w.owner, w.workspace, "Other"))(t).ID, "foreign")
	ch := w.channel()
	x := made(w.CreateExperiment(w.owner, ch.PublicID, studio.ExperimentDraft{
		Name: ptr("Split"), EndsAt: ptr(w.now.Add(time.Hour)), Variants: w.variants(version.ID),
		Goals: []studio.ExperimentGoal{{GoalID: first, Primary: true}},
	}))(t)
	change := func(goals ...studio.ExperimentGoal) error {
		_, err := w.UpdateExperiment(w.owner, x.ID, studio.ExperimentDraft{Goals: goals})
		return err
	}
	refused(t, change(studio.ExperimentGoal{GoalID: first}, studio.ExperimentGoal{GoalID: first}),
		fault.InvalidInput, "goals.1.goalId")
	refused(t, change(studio.ExperimentGoal{GoalID: first, Primary: true},
		studio.ExperimentGoal{GoalID: second, Primary: true}), fault.InvalidInput, "goals.1.primary")
	refused(t, change(studio.ExperimentGoal{GoalID: foreign}), fault.InvalidInput, "goals.0.goalId")
	refused(t, change(studio.ExperimentGoal{GoalID: uuid.New()}), fault.InvalidInput, "goals.0.goalId")

	made(w.StartExperiment(w.owner, x.ID))(t)
	require.NoError(t, change(studio.ExperimentGoal{GoalID: second}, studio.ExperimentGoal{GoalID: first, Primary: true}))
	refused(t, change(studio.ExperimentGoal{GoalID: second, Primary: true}), fault.Conflict, "")
	refused(t, change(studio.ExperimentGoal{GoalID: second}), fault.Conflict, "")
	other := studio.ExperimentDraft{Name: ptr("Other"), Goals: []studio.ExperimentGoal{}}
	_, err := w.UpdateExperiment(w.owner, x.ID, other)
	refused(t, err, fault.Conflict, "")
	goals := made(studio.ExperimentGoals(w.db.Ent().Experiment.GetX(w.owner, x.ID)))(t)
	require.Equal(t, []studio.ExperimentGoal{{GoalID: second}, {GoalID: first, Primary: true}}, goals)
	require.Equal(t, first, *studio.PrimaryGoal(goals))
	require.Nil(t, studio.PrimaryGoal(goals[:1]))

	refused(t, w.DeleteGoal(w.owner, second), fault.Conflict, "")
	require.NoError(t, change(studio.ExperimentGoal{GoalID: first, Primary: true}))
	require.NoError(t, w.DeleteGoal(w.owner, second))
}
