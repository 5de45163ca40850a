package studio

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/internal/transaction"
)

// expiryPause is how often ended experiments are looked for. Nobody is served
// anything else after the end, so seconds do not matter.
const expiryPause = 5 * time.Second

type expiry struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// Start begins to move experiments whose end has come to pending decision.
func (s *Studio) Start(ctx context.Context) {
	ctx, s.expiry.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.expiry.done = make(chan struct{})
	go func() {
		defer close(s.expiry.done)
		ticker := time.NewTicker(expiryPause)
		defer ticker.Stop()
		for {
			if _, err := s.ExpireExperiments(ctx); err != nil && ctx.Err() == nil {
				s.logger.WarnContext(ctx, "looking for ended experiments failed", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}()
}

// Stop ends what Start began and waits for it.
func (s *Studio) Stop() {
	if s.expiry.cancel != nil {
		s.expiry.cancel()
		<-s.expiry.done
	}
}

// ExpireExperiments moves running experiments whose end date has passed to
// pending decision: traffic goes on, frozen, until somebody promotes or extends
// (product.md §4). It returns how many it moved. Several servers may call it at
// once; each experiment is moved, and audited, once.
func (s *Studio) ExpireExperiments(ctx context.Context) (int, error) {
	var apps []uuid.UUID
	err := transaction.Run(ctx, s.client, func(tx *ent.Tx) error {
		ended, err := tx.Experiment.Query().
			Where(experiment.StatusEQ(experiment.StatusRunning), experiment.EndsAtLTE(s.now())).
			ForUpdate(skipLocked).All(ctx)
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
			if err := notify(ctx, tx, app.ID); err != nil {
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
