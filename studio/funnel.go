package studio

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/funnel"
)

// FunnelChange names what to change of a funnel; nil leaves a part as it is.
type FunnelChange struct {
	Name       *string
	Definition *analytics.Funnel
}

// prepareFunnel checks a change of a funnel of an app and returns the parts as they are stored; what is not changed is
// zero.
func (s *Studio) prepareFunnel(
	ctx context.Context, app uuid.UUID, change FunnelChange,
) (name string, definition json.RawMessage, err error) {
	if name, err = goalName(change.Name); err != nil {
		return "", nil, err
	}
	if change.Definition == nil {
		return name, nil, nil
	}
	if err := change.Definition.Validate("funnel"); err != nil {
		return "", nil, err
	}
	if err := s.checkParts(ctx, app, change.Definition); err != nil {
		return "", nil, err
	}
	if definition, err = json.Marshal(change.Definition); err != nil {
		return "", nil, fmt.Errorf("write the funnel: %w", err)
	}
	return name, definition, nil
}

// checkParts tells whether the goals and flows that a funnel names are of its app.
func (s *Studio) checkParts(ctx context.Context, app uuid.UUID, f *analytics.Funnel) error {
	goals, err := s.Goals(ctx, app)
	if err != nil {
		return err
	}
	whole, err := f.WithGoals("funnel", goals)
	if err != nil {
		return err
	}
	for i, c := range whole.Conditions() {
		field := fmt.Sprintf("funnel.steps[%d].condition", i)
		if i >= len(f.Steps) {
			field = fmt.Sprintf("funnel.exclusions[%d]", i-len(f.Steps))
		}
		if err := s.checkFlow(ctx, app, c, field); err != nil {
			return err
		}
	}
	return nil
}

// CreateFunnel gives a funnel a name that no other of the app has.
func (s *Studio) CreateFunnel(ctx context.Context, app uuid.UUID, change FunnelChange) (*ent.Funnel, error) {
	a, err := s.findApp(ctx, app, account.SegmentManage)
	if err != nil {
		return nil, err
	}
	name, definition, err := s.prepareFunnel(ctx, app, change)
	if err != nil {
		return nil, err
	}
	var made *ent.Funnel
	err = funnels.create(ctx, s, a, name,
		func(tx *ent.Tx) (int, error) { return tx.Funnel.Query().Where(funnel.AppID(app)).Count(ctx) },
		func(tx *ent.Tx, id uuid.UUID) (err error) {
			made, err = tx.Funnel.Create().SetID(id).SetAppID(app).SetName(name).SetDefinition(definition).Save(ctx)
			return err
		})
	return made, err
}

// funnel finds a funnel for those who may change it.
func (s *Studio) funnel(ctx context.Context, id uuid.UUID) (*ent.App, *ent.Funnel, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, nil, err
	}
	found, err := s.client.Funnel.Query().Where(funnel.ID(id)).WithApp().Only(ctx)
	if err != nil {
		return nil, nil, readError(err, "funnel")
	}
	app := found.Edges.App
	return app, found, account.AuthorizeAppChange(ctx, ownerOf(app), "funnel", account.SegmentManage)
}

// UpdateFunnel renames a funnel, or gives it other steps.
func (s *Studio) UpdateFunnel(ctx context.Context, id uuid.UUID, change FunnelChange) (*ent.Funnel, error) {
	app, changed, err := s.funnel(ctx, id)
	if err != nil {
		return nil, err
	}
	name, definition, err := s.prepareFunnel(ctx, app.ID, change)
	if err != nil {
		return nil, err
	}
	detail := map[string]any{}
	if name != "" {
		detail["name"] = name
	}
	if definition != nil {
		detail["definition"] = definition
	}
	err = s.transact(ctx, record{app.WorkspaceID, "funnel.update", id.String(), detail}, func(tx *ent.Tx) error {
		update := tx.Funnel.UpdateOneID(id)
		if name != "" {
			update.SetName(name)
		}
		if definition != nil {
			update.SetDefinition(definition)
		}
		changed, err = update.Save(ctx)
		return funnels.explain(err)
	})
	return changed, err
}

// DeleteFunnel removes a funnel.
func (s *Studio) DeleteFunnel(ctx context.Context, id uuid.UUID) error {
	app, found, err := s.funnel(ctx, id)
	if err != nil {
		return err
	}
	return funnels.remove(ctx, s, app, id, found.Name, func(tx *ent.Tx) error {
		return tx.Funnel.DeleteOneID(id).Exec(ctx)
	})
}
