package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/analytics/alert"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/ent/goal"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// maxConditionBytes bounds the JSON of a goal's condition.
const maxConditionBytes = 16 << 10

// GoalChange names what to change of a goal; nil leaves a part as it is.
type GoalChange struct {
	Name      *string
	Condition *analytics.GoalCondition
}

// prepareGoal checks a change of a goal of an app and returns the parts as they are stored; what is not changed is
// zero.
func (s *Studio) prepareGoal(
	ctx context.Context, app uuid.UUID, change GoalChange,
) (name string, condition json.RawMessage, err error) {
	if name, err = goalName(change.Name); err != nil {
		return "", nil, err
	}
	if change.Condition == nil {
		return name, nil, nil
	}
	if err := change.Condition.Validate("condition"); err != nil {
		return "", nil, err
	}
	if condition, err = json.Marshal(change.Condition); err != nil {
		return "", nil, fmt.Errorf("write the condition: %w", err)
	}
	if len(condition) > maxConditionBytes {
		return "", nil, fault.Invalid("condition", "has %d bytes of JSON, more than %d", len(condition), maxConditionBytes)
	}
	return name, condition, s.checkFlow(ctx, app, change.Condition, "condition")
}

// goalName checks the name of a goal or a funnel; nil is empty.
func goalName(given *string) (string, error) {
	if given == nil {
		return "", nil
	}
	name, err := validate.Name("name", *given)
	if err == nil && utf8.RuneCountInString(name) > analytics.MaxGoalName {
		err = fault.Invalid("name", "must have at most %d characters", analytics.MaxGoalName)
	}
	return name, err
}

// checkFlow refuses a condition on a flow that is not of the app; field is the path that the error names.
func (s *Studio) checkFlow(ctx context.Context, app uuid.UUID, c *analytics.GoalCondition, field string) error {
	if c.Flow == nil {
		return nil
	}
	found, err := s.client.Flow.Query().Where(flow.ID(c.Flow.FlowID), flow.AppID(app)).Exist(ctx)
	if err != nil {
		return fmt.Errorf("read the flow: %w", err)
	}
	if !found {
		return fault.Invalid(field+".flow.flowId", "is not a flow of this app")
	}
	return nil
}

// CreateGoal gives a condition a name that no other goal of the app has.
func (s *Studio) CreateGoal(ctx context.Context, app uuid.UUID, change GoalChange) (*ent.Goal, error) {
	a, err := s.findApp(ctx, app, account.SegmentManage)
	if err != nil {
		return nil, err
	}
	name, condition, err := s.prepareGoal(ctx, app, change)
	if err != nil {
		return nil, err
	}
	var made *ent.Goal
	err = goals.create(ctx, s, a, name,
		func(tx *ent.Tx) (int, error) { return tx.Goal.Query().Where(goal.AppID(app)).Count(ctx) },
		func(tx *ent.Tx, id uuid.UUID) (err error) {
			made, err = tx.Goal.Create().SetID(id).SetAppID(app).SetName(name).SetCondition(condition).Save(ctx)
			return err
		})
	return made, err
}

// goal finds a goal for those who may change it.
func (s *Studio) goal(ctx context.Context, id uuid.UUID) (*ent.App, *ent.Goal, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, nil, err
	}
	found, err := s.client.Goal.Query().Where(goal.ID(id)).WithApp().Only(ctx)
	if err != nil {
		return nil, nil, readError(err, "goal")
	}
	app := found.Edges.App
	return app, found, account.AuthorizeAppChange(ctx, ownerOf(app), "goal", account.SegmentManage)
}

// UpdateGoal renames a goal, or gives it another condition: reports of the past then count that.
func (s *Studio) UpdateGoal(ctx context.Context, id uuid.UUID, change GoalChange) (*ent.Goal, error) {
	app, changed, err := s.goal(ctx, id)
	if err != nil {
		return nil, err
	}
	name, condition, err := s.prepareGoal(ctx, app.ID, change)
	if err != nil {
		return nil, err
	}
	detail := map[string]any{}
	if name != "" {
		detail["name"] = name
	}
	if condition != nil {
		detail["condition"] = condition
	}
	err = s.transact(ctx, record{app.WorkspaceID, "goal.update", id.String(), detail}, func(tx *ent.Tx) error {
		if condition != nil {
			if err := authorizeMembers(ctx, tx, app, id); err != nil {
				return err
			}
		}
		update := tx.Goal.UpdateOneID(id)
		if name != "" {
			update.SetName(name)
		}
		if condition != nil {
			update.SetCondition(condition)
		}
		changed, err = update.Save(ctx)
		return goals.explain(err)
	})
	return changed, err
}

// DeleteGoal removes a goal that no alert looks at and no experiment measures.
func (s *Studio) DeleteGoal(ctx context.Context, id uuid.UUID) error {
	app, found, err := s.goal(ctx, id)
	if err != nil {
		return err
	}
	entry := record{app.WorkspaceID, "goal.delete", id.String(), map[string]any{"name": found.Name}}
	return s.transact(ctx, entry, func(tx *ent.Tx) error {
		if err := refuseWatched(ctx, tx, app.ID, "goal", func(r *alert.Rule) bool { return r.Needs(id) }); err != nil {
			return err
		}
		if err := refuseMeasured(ctx, tx, app.ID, id); err != nil {
			return err
		}
		if err := authorizeMembers(ctx, tx, app, id); err != nil {
			return err
		}
		if err := tx.Goal.DeleteOneID(id).Exec(ctx); err != nil {
			return fmt.Errorf("delete the goal: %w", err)
		}
		return nil
	})
}

// Goals reads the goals of an app for the report engine. The caller has checked who asks.
func (s *Studio) Goals(ctx context.Context, app uuid.UUID) ([]analytics.Goal, error) {
	found, err := s.client.Goal.Query().Where(goal.AppID(app)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the goals: %w", err)
	}
	goals := make([]analytics.Goal, len(found))
	for i, g := range found {
		goals[i] = analytics.Goal{ID: g.ID, Name: g.Name}
		if err := json.Unmarshal(g.Condition, &goals[i].Condition); err != nil {
			return nil, fmt.Errorf("read the condition of goal %s: %w", g.ID, err)
		}
	}
	return goals, nil
}
