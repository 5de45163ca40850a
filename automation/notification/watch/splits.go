package watch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	trials "github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/analytics/flow"
	"github.com/svc-dev/svc/analytics/session"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/delivery/sticky"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/ent/variant"
)

// Splits returns a look at all running experiments, one with every call, until more is false. It tells the workspace of
// one whose people, those who were served or those who had a run, are not split as the weights say: once.
func (w *Watch) Splits() func(ctx context.Context) (more bool, err error) {
	var left []uuid.UUID
	asked := false
	return func(ctx context.Context) (bool, error) {
		var err error
		if !asked {
			left, err = w.Client.Experiment.Query().Where(experiment.StatusEQ(experiment.StatusRunning)).
				Order(experiment.ByID()).IDs(ctx)
			if err != nil {
				return false, fmt.Errorf("look for running experiments: %w", err)
			}
			asked = true
		}
		if len(left) == 0 {
			return false, nil
		}
		id := left[0]
		left = left[1:]
		// One that can't be looked at keeps nobody from looking at the others, and is not tried again before its turn.
		if err := w.split(ctx, id); err != nil {
			w.log().WarnContext(ctx, "looking at the split of an experiment failed", "experiment", id, "error", err)
		}
		return len(left) > 0, nil
	}
}

func (w *Watch) split(ctx context.Context, id uuid.UUID) error {
	x, err := w.Client.Experiment.Query().Where(experiment.ID(id)).
		WithVariants(func(q *ent.VariantQuery) { q.Order(variant.ByPosition()) }).
		WithChannel(func(q *ent.ChannelQuery) {
			q.WithEnvironment(func(q *ent.EnvironmentQuery) { q.WithApp() })
		}).Only(ctx)
	if ent.IsNotFound(err) {
		return nil
	}
	if err != nil || x.StartedAt == nil {
		return err
	}
	env := x.Edges.Channel.Edges.Environment
	served, err := w.servedArms(ctx, env.ID, x)
	if err != nil {
		return err
	}
	what, arms := "were assigned", served
	ratio := trials.SampleRatio(served)
	if !ratio.Warning && w.Reports != nil {
		if arms, err = w.exposedArms(ctx, env.ID, x); err != nil {
			return err
		}
		what, ratio = "had a run of", trials.SampleRatio(arms)
	}
	if !ratio.Warning {
		return nil
	}
	app := env.Edges.App
	return notification.Post(ctx, w.Pool, notification.Notification{
		WorkspaceID: app.WorkspaceID, Kind: notification.ExperimentSplit, Severity: notification.Warning, Key: id.String(),
		Title: "The users of experiment " + notification.Quote(x.Name) + " are not split as planned",
		Text: fmt.Sprintf("Of the users who %s a variant on channel %s (%s) of %s: %s. Chance alone does that in fewer "+
			"than one of 1,000 experiments, so its results can't be relied on until the cause is found.",
			what, notification.Quote(x.Edges.Channel.Name), env.Kind, notification.Quote(app.Name), describe(arms)),
		About: notification.About{
			AppID: &app.ID, Environment: &env.Kind, ExperimentID: &id, ChannelID: &x.Edges.Channel.PublicID,
		},
	})
}

// shownArms is how many arms a text names.
const shownArms = 6

// describe says how many people each arm has, and how many it should.
func describe(arms []trials.Arm) string {
	people, weight := 0, 0
	for _, a := range arms {
		people, weight = people+a.People, weight+a.Weight
	}
	texts := make([]string, 0, len(arms))
	for _, a := range arms {
		share := float64(a.Weight) / float64(max(weight, 1))
		texts = append(texts, fmt.Sprintf("%s has %d instead of about %.0f",
			notification.Quote(a.Key), a.People, share*float64(people)))
	}
	if len(texts) > shownArms {
		texts = append(texts[:shownArms], "…")
	}
	return strings.Join(texts, ", ")
}

func armsOf(x *ent.Experiment) []trials.Arm {
	arms := make([]trials.Arm, len(x.Edges.Variants))
	for i, v := range x.Edges.Variants {
		arms[i] = trials.Arm{Key: v.Key, Weight: v.Weight}
	}
	return arms
}

// servedArms counts whom resolve gave each arm.
func (w *Watch) servedArms(ctx context.Context, environmentID int64, x *ent.Experiment) ([]trials.Arm, error) {
	arms := armsOf(x)
	if x.SplitBy == experiment.SplitByCustomUserID {
		people, err := sticky.Count(ctx, w.Pool, environmentID, x.ID, len(arms))
		for arm, n := range people {
			arms[arm].People = n
		}
		return arms, err
	}
	rows, err := w.Pool.Query(ctx, `
		select arm, count(*) from experiment_served where environment_id = $1 and experiment_id = $2 group by arm`,
		environmentID, x.ID)
	if err != nil {
		return nil, err
	}
	var arm, people int
	_, err = pgx.ForEachRow(rows, []any{&arm, &people}, func() error {
		if arm >= 0 && arm < len(arms) {
			arms[arm].People = people
		}
		return nil
	})
	return arms, err
}

// exposedArms counts who had a run of one arm.
func (w *Watch) exposedArms(ctx context.Context, environmentID int64, x *ent.Experiment) ([]trials.Arm, error) {
	now := w.now()
	variants := make([]trials.Variant, len(x.Edges.Variants))
	for i, v := range x.Edges.Variants {
		variants[i] = trials.Variant{ID: v.ID.String(), Key: v.Key, Weight: v.Weight}
	}
	trial := flow.NewTrial(session.Key(x.ID), variants, *x.StartedAt, now, 0)
	trial.NamesDevices = x.SplitBy == experiment.SplitByCustomUserID
	arms := armsOf(x)
	err := w.Reports.Guard(func() error {
		runs, err := w.Reports.SelectRuns(ctx, environmentID, trial.Scope(), false, false, now)
		if err != nil {
			return err
		}
		exposures, err := runs.Exposures(ctx, trial)
		if err == nil && trial.NamesDevices {
			units := trials.Devices(exposures)
			err = sticky.Units(ctx, w.Pool, environmentID, x.ID, units)
			exposures, _ = trials.Join(exposures, units)
		}
		for e := range slices.Values(exposures) {
			if !e.Crossed && e.Arm >= 0 && e.Arm < len(arms) {
				arms[e.Arm].People++
			}
		}
		return err
	})
	return arms, err
}
