package studio

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/internal/appchange"
	"github.com/svc-dev/svc/internal/transaction"
)

// expiryBatch bounds how many experiments one transaction ends.
const expiryBatch = 100

// ExpireExperiments moves running experiments whose end date has passed to
// pending decision: traffic goes on, frozen, until somebody promotes or extends
// (product.md §4). It returns how many it moved, and is to be called again until
// that is none. Several servers may call it at once; each experiment is moved,
// and audited, once.
func (s *Studio) ExpireExperiments(ctx context.Context) (int, error) {
	var apps []uuid.UUID
	err := transaction.Run(ctx, s.client, func(tx *ent.Tx) error {
		ended, err := tx.Experiment.Query().
			Where(experiment.StatusEQ(experiment.StatusRunning), experiment.EndsAtLTE(s.now())).
			Order(experiment.ByEndsAt()).Limit(expiryBatch).ForUpdate(skipLocked).All(ctx)
		if err != nil {
			return fmt.Errorf("look for ended experiments: %w", err)
		}
		for _, x := range ended {
			env, err := x.QueryChannel().QueryEnvironment().WithApp().Only(ctx)
			if err != nil {
				return fmt.Errorf("read the app of experiment %s: %w", x.ID, err)
			}
			app := env.Edges.App
			if err := tx.Experiment.UpdateOne(x).SetStatus(experiment.StatusPendingDecision).Exec(ctx); err != nil {
				return fmt.Errorf("end experiment %s: %w", x.ID, err)
			}
			if err := account.Record(ctx, tx, app.WorkspaceID, "experiment.end", x.ID.String(), nil); err != nil {
				return err
			}
			if err := notify(ctx, tx, appchange.Of(app.ID)); err != nil {
				return err
			}
			apps = append(apps, app.ID)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, app := range apps {
		s.refresh(ctx, app)
	}
	return len(apps), nil
}
