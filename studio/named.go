package studio

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/analytics"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
)

// named is a kind of objects, such as goals, of which each has a name that no other of its app or environment has.
type named struct {
	what string // one of them, as errors and the audit log name it
	most int    // in an app or an environment
}

var (
	alerts     = named{"alert", maxAlerts}
	components = named{"component", maxComponents}
	funnels    = named{"funnel", analytics.MaxFunnels}
	goals      = named{"goal", analytics.MaxGoals}
	views      = named{"view", maxSavedViews}
)

// create makes one of an app. Of two that are made at once the second is counted after the first.
func (n named) create(
	ctx context.Context, s *Studio, app *ent.App, name string, count func(*ent.Tx) (int, error),
	save func(tx *ent.Tx, id uuid.UUID) error,
) error {
	id := uuid.Must(uuid.NewV7())
	entry := record{app.WorkspaceID, n.what + ".create", id.String(), map[string]any{"name": name}}
	return s.transact(ctx, entry, func(tx *ent.Tx) error {
		if err := lockApp(ctx, tx, app.ID, &app); err != nil {
			return err
		}
		found, err := count(tx)
		if err := n.checkRoom("appId", found, err); err != nil {
			return err
		}
		return n.explain(save(tx, id))
	})
}

// checkRoom refuses one more where there are as many as may be; field is what the error names.
func (n named) checkRoom(field string, count int, err error) error {
	if err != nil {
		return fmt.Errorf("count the %ss: %w", n.what, err)
	}
	if count >= n.most {
		return fault.Invalid(field, "has %d %ss already: delete some first", n.most, n.what)
	}
	return nil
}

// explain says why one could not be stored: its name is that of another.
func (n named) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case ent.IsConstraintError(err):
		return fault.Invalid("name", "is that of another %s", n.what)
	}
	return fmt.Errorf("store the %s: %w", n.what, err)
}

// remove deletes one, whose name the audit log keeps.
func (n named) remove(
	ctx context.Context, s *Studio, app *ent.App, id uuid.UUID, name string, remove func(tx *ent.Tx) error,
) error {
	entry := record{app.WorkspaceID, n.what + ".delete", id.String(), map[string]any{"name": name}}
	return s.transact(ctx, entry, func(tx *ent.Tx) error {
		if err := remove(tx); err != nil {
			return fmt.Errorf("delete the %s: %w", n.what, err)
		}
		return nil
	})
}
