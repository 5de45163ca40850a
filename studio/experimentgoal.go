package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/ent/goal"
	"github.com/svc-dev/svc/internal/fault"
)

// ExperimentGoal is a goal that the results of an experiment measure.
type ExperimentGoal struct {
	GoalID uuid.UUID `json:"goalId"`
	// Primary means that it decides, in place of completion: one at most does.
	Primary bool `json:"primary,omitempty"`
}

// ExperimentGoals reads the goals of an experiment.
func ExperimentGoals(x *ent.Experiment) (goals []ExperimentGoal, err error) {
	if len(x.Goals) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(x.Goals, &goals); err != nil {
		return nil, fmt.Errorf("read the goals of experiment %s: %w", x.ID, err)
	}
	return goals, nil
}

// PrimaryGoal returns the goal that decides; nil where completion does.
func PrimaryGoal(goals []ExperimentGoal) *uuid.UUID {
	if i := slices.IndexFunc(goals, func(g ExperimentGoal) bool { return g.Primary }); i >= 0 {
		return &goals[i].GoalID
	}
	return nil
}

// onlySecondaryGoals tells whether a draft changes nothing of an experiment but goals that do not decide.
func (d ExperimentDraft) onlySecondaryGoals(x *ent.Experiment) bool {
	if d.Name != nil || d.SplitBy != nil || d.EndsAt != nil || d.Planner != nil || d.Variants != nil || d.Goals == nil {
		return false
	}
	before, err := ExperimentGoals(x)
	if err != nil {
		return false
	}
	was, is := PrimaryGoal(before), PrimaryGoal(d.Goals)
	return was == nil && is == nil || was != nil && is != nil && *was == *is
}

// storedGoals checks that goals are of an app, each once and one primary at most, and returns them as they are stored.
func (s *Studio) storedGoals(
	ctx context.Context, tx *ent.Tx, app uuid.UUID, goals []ExperimentGoal,
) (json.RawMessage, error) {
	primary := false
	for i, g := range goals {
		field := fmt.Sprintf("goals.%d.", i)
		if slices.ContainsFunc(goals[:i], func(other ExperimentGoal) bool { return other.GoalID == g.GoalID }) {
			return nil, fault.Invalid(field+"goalId", "is there twice")
		}
		if g.Primary && primary {
			return nil, fault.Invalid(field+"primary", "is that of another goal already")
		}
		primary = primary || g.Primary
		// A goal that is deleted meanwhile waits for this, or is not found.
		found, err := tx.Goal.Query().Where(goal.ID(g.GoalID), goal.AppID(app)).ForUpdate().Exist(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the goal: %w", err)
		}
		if !found {
			return nil, fault.Invalid(field+"goalId", "is not a goal of this app")
		}
	}
	return json.Marshal(goals)
}

// refuseMeasured refuses to delete a goal that an experiment measures.
func refuseMeasured(ctx context.Context, tx *ent.Tx, app, id uuid.UUID) error {
	found, err := tx.Experiment.Query().Where(
		experiment.GoalsNotNil(), experiment.HasChannelWith(channel.HasEnvironmentWith(environment.AppID(app))),
	).All(ctx)
	if err != nil {
		return fmt.Errorf("read the experiments of the goal: %w", err)
	}
	for _, x := range found {
		goals, err := ExperimentGoals(x)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(goals, func(g ExperimentGoal) bool { return g.GoalID == id }) {
			return fault.New(fault.Conflict, "the experiment %q measures the goal: take it out there first", x.Name)
		}
	}
	return nil
}
