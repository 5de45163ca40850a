package studio

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/internal/appchange"
	"github.com/svc-dev/svc/postgres/transaction"
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
			ch, err := x.QueryChannel().WithEnvironment(func(q *ent.EnvironmentQuery) { q.WithApp() }).Only(ctx)
			if err != nil {
				return fmt.Errorf("read the app of experiment %s: %w", x.ID, err)
			}
			app := ch.Edges.Environment.Edges.App
			if err := tx.Experiment.UpdateOne(x).SetStatus(experiment.StatusPendingDecision).Exec(ctx); err != nil {
				return fmt.Errorf("end experiment %s: %w", x.ID, err)
			}
			if err := account.Record(ctx, tx, app.WorkspaceID, "experiment.end", x.ID.String(), nil); err != nil {
				return err
			}
			if err := tellEnded(ctx, tx, x, ch, ch.Edges.Environment, app, "experiment.end"); err != nil {
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

// tellEnded posts that an experiment ended: by itself, or because somebody stopped or promoted it.
func tellEnded(
	ctx context.Context, tx *ent.Tx, x *ent.Experiment, ch *ent.Channel, env *ent.Environment, app *ent.App, how string,
) error {
	n := notification.Notification{
		WorkspaceID: app.WorkspaceID, Kind: notification.ExperimentEnded, Severity: notification.Info,
		Key: x.ID.String() + " " + how,
		About: notification.About{
			AppID: &app.ID, Environment: &env.Kind, ExperimentID: &x.ID, ChannelID: &ch.PublicID,
		},
	}
	name := notification.Quote(x.Name)
	channel := fmt.Sprintf("channel %s (%s) of %s", notification.Quote(ch.Name), env.Kind, notification.Quote(app.Name))
	switch how {
	case "experiment.stop":
		n.Title = "Experiment " + name + " was stopped"
		n.Text = "The " + channel + " serves the version of the control."
	case "experiment.promote":
		n.Title = "Experiment " + name + " was closed by a promotion"
		n.Text = "The " + channel + " serves the version that was promoted."
	default:
		end := x.EndsAt.UTC().Format("2 January 2006, 15:04 MST")
		n.Key += " " + end // it may be extended and end again
		n.Title = "Experiment " + name + " has ended and waits for a decision"
		n.Text = "It ran on the " + channel + " until " + end +
			". Traffic goes on with the same split: promote a variant, extend the experiment, or stop it."
	}
	return notification.PostSQL(ctx, tx, n)
}
