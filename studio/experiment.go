package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/account/plan"
	results "github.com/svc-dev/svc/analytics/experiment"
	"github.com/svc-dev/svc/delivery/bucketing"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/ent/variant"
	"github.com/svc-dev/svc/internal/base62"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// VariantDraft is one arm of an experiment to be. The first is the control. A version is needed to start; all weights
// together are at most bucketing.MaxTotalWeight, and so is each.
type VariantDraft struct {
	Key       string     `json:"key" validate:"key"`
	Name      string     `json:"name" validate:"utf16max=120"`
	Weight    int        `json:"weight" validate:"min=0,max=1048576"`
	VersionID *uuid.UUID `json:"versionId"`
}

// ExperimentDraft are the parts of an experiment that change while it is a draft; nil leaves one as it is. More than 20
// arms never reach a conclusion.
type ExperimentDraft struct {
	Name     *string             `json:"name"`
	SplitBy  *experiment.SplitBy `json:"splitBy"`
	EndsAt   *time.Time          `json:"endsAt"`
	Planner  json.RawMessage     `json:"planner"`
	Variants []VariantDraft      `json:"variants" validate:"max=20,dive"`
	Goals    []ExperimentGoal    `json:"goals" validate:"max=10"`
}

// validate checks each part, and the variants together.
func (d ExperimentDraft) validate() error {
	if err := validate.Input(d); err != nil {
		return err
	}
	total, seen := 0, map[string]bool{}
	for i, v := range d.Variants {
		if seen[v.Key] {
			return fault.Invalid(fmt.Sprintf("variants.%d.key", i), "is used twice")
		}
		seen[v.Key] = true
		total += v.Weight
	}
	if total > bucketing.MaxTotalWeight {
		return fault.Invalid("variants", "the weights add up to more than %d", bucketing.MaxTotalWeight)
	}
	return nil
}

// findExperiment reads an experiment with its channel and app for a caller who may
// manage experiments.
func (s *Studio) findExperiment(ctx context.Context, id uuid.UUID) (*ent.App, *ent.Experiment, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, nil, err
	}
	found, err := s.client.Experiment.Query().Where(experiment.ID(id)).
		WithChannel(func(q *ent.ChannelQuery) {
			q.WithEnvironment(func(q *ent.EnvironmentQuery) { q.WithApp() })
		}).Only(ctx)
	if err != nil {
		return nil, nil, readError(err, "experiment")
	}
	app := found.Edges.Channel.Edges.Environment.Edges.App
	return app, found, account.AuthorizeAppChange(ctx, ownerOf(app), "experiment", account.ExperimentManage)
}

// lockExperiment reads an experiment inside a transaction; its status decides
// what may happen next, so nothing else may change it meanwhile.
func lockExperiment(ctx context.Context, tx *ent.Tx, id uuid.UUID) (*ent.Experiment, error) {
	x, err := tx.Experiment.Query().Where(experiment.ID(id)).ForUpdate().Only(ctx)
	if err != nil {
		return nil, readError(err, "experiment")
	}
	return x, nil
}

// CreateExperiment makes a draft on a channel; it buckets nobody.
func (s *Studio) CreateExperiment(
	ctx context.Context, channelID string, draft ExperimentDraft,
) (*ent.Experiment, error) {
	app, ch, err := s.findChannel(ctx, channelID, account.ExperimentManage)
	if err != nil {
		return nil, err
	}
	name := ""
	if draft.Name != nil {
		name = *draft.Name
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	if err := s.requireFeature(ctx, app.WorkspaceID, plan.Experiments, "channelId"); err != nil {
		return nil, err
	}
	draft.Name = &name
	id := uuid.Must(uuid.NewV7())
	var made *ent.Experiment
	err = s.transact(ctx, record{
		app.WorkspaceID, "experiment.create", id.String(), map[string]any{"name": name, "channel": channelID},
	}, func(tx *ent.Tx) error {
		if ch.ArchivedAt != nil {
			return fault.New(fault.Conflict, "the channel is archived")
		}
		_, err := tx.Experiment.Create().SetID(id).SetChannelID(ch.ID).SetName(name).SetSalt(base62.Random(16)).Save(ctx)
		if err != nil {
			return fmt.Errorf("store the experiment: %w", err)
		}
		made, err = s.writeDraft(ctx, tx, app, id, draft)
		return err
	})
	return made, err
}

// UpdateExperiment changes a draft. Weights and order are frozen once it was
// started (wire.md §3.9).
func (s *Studio) UpdateExperiment(ctx context.Context, id uuid.UUID, draft ExperimentDraft) (*ent.Experiment, error) {
	app, _, err := s.findExperiment(ctx, id)
	if err != nil {
		return nil, err
	}
	var changed *ent.Experiment
	err = s.transact(ctx, record{app.WorkspaceID, "experiment.update", id.String(), nil}, func(tx *ent.Tx) error {
		x, err := lockExperiment(ctx, tx, id)
		if err != nil {
			return err
		}
		if x.Status != experiment.StatusDraft && !draft.onlySecondaryGoals(x) {
			return fault.New(fault.Conflict, "the experiment was started: its variants, its weights, "+
				"what it is split by and what decides are frozen; other goals may change")
		}
		changed, err = s.writeDraft(ctx, tx, app, id, draft)
		return err
	})
	return changed, err
}

func (s *Studio) writeDraft(
	ctx context.Context, tx *ent.Tx, app *ent.App, id uuid.UUID, draft ExperimentDraft,
) (*ent.Experiment, error) {
	if err := draft.validate(); err != nil {
		return nil, err
	}
	update := tx.Experiment.UpdateOneID(id)
	if draft.Name != nil {
		name, err := validate.Name("name", *draft.Name)
		if err != nil {
			return nil, err
		}
		update.SetName(name)
	}
	if draft.SplitBy != nil {
		update.SetSplitBy(*draft.SplitBy)
	}
	if draft.EndsAt != nil {
		if !draft.EndsAt.After(s.now()) {
			return nil, fault.Invalid("endsAt", "must be in the future")
		}
		update.SetEndsAt(*draft.EndsAt)
	}
	if draft.Planner != nil {
		if _, err := results.ParsePlanner(draft.Planner, results.DefaultPlanner()); err != nil {
			return nil, fault.Invalid("planner", "%s", err)
		}
		update.SetPlanner(draft.Planner)
	}
	if draft.Goals != nil {
		stored, err := s.storedGoals(ctx, tx, app.ID, draft.Goals)
		if err != nil {
			return nil, err
		}
		update.SetGoals(stored)
	}
	if draft.Variants != nil {
		if err := writeVariants(ctx, tx, app.ID, id, draft.Variants); err != nil {
			return nil, err
		}
	}
	x, err := update.Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("store the experiment: %w", err)
	}
	return x, nil
}

// writeVariants replaces the variants of a draft.
func writeVariants(ctx context.Context, tx *ent.Tx, app, id uuid.UUID, variants []VariantDraft) error {
	if _, err := tx.Variant.Delete().Where(variant.ExperimentID(id)).Exec(ctx); err != nil {
		return fmt.Errorf("replace the variants: %w", err)
	}
	for i, v := range variants {
		if v.VersionID != nil {
			if _, err := findVersion(ctx, tx, app, *v.VersionID, fmt.Sprintf("variants.%d.versionId", i)); err != nil {
				return err
			}
		}
		err := tx.Variant.Create().SetExperimentID(id).SetKey(v.Key).SetName(v.Name).
			SetPosition(i).SetWeight(v.Weight).SetNillableFlowVersionID(v.VersionID).Exec(ctx)
		if err != nil {
			return fmt.Errorf("store the variant %s: %w", v.Key, err)
		}
	}
	return nil
}

// DeleteExperiment removes a draft. One that was started stays for its results.
func (s *Studio) DeleteExperiment(ctx context.Context, id uuid.UUID) error {
	app, _, err := s.findExperiment(ctx, id)
	if err != nil {
		return err
	}
	return s.transact(ctx, record{app.WorkspaceID, "experiment.delete", id.String(), nil}, func(tx *ent.Tx) error {
		x, err := lockExperiment(ctx, tx, id)
		if err != nil {
			return err
		}
		if x.Status != experiment.StatusDraft {
			return fault.New(fault.Conflict, "only a draft can be deleted")
		}
		if _, err := tx.Variant.Delete().Where(variant.ExperimentID(id)).Exec(ctx); err != nil {
			return fmt.Errorf("delete the variants: %w", err)
		}
		if err := tx.Experiment.DeleteOne(x).Exec(ctx); err != nil {
			return fmt.Errorf("delete the experiment: %w", err)
		}
		return nil
	})
}

// StartExperiment makes a draft serve on its channel. It needs at least two
// variants with a version each, a total weight above zero and an end date. It replaces what the channel serves, which
// needs channel:manage as pinning does.
func (s *Studio) StartExperiment(ctx context.Context, id uuid.UUID) (*ent.Experiment, error) {
	app, found, err := s.findExperiment(ctx, id)
	if err != nil {
		return nil, err
	}
	const why = "starting an experiment replaces what the channel serves"
	if err := account.AuthorizeAlso(ctx, app.WorkspaceID, account.ChannelManage, why); err != nil {
		return nil, err
	}
	if err := s.requireFeature(ctx, app.WorkspaceID, plan.Experiments, "id"); err != nil {
		return nil, err
	}
	var started *ent.Experiment
	err = s.transactAndDeliver(ctx, app.ID, record{
		app.WorkspaceID, "experiment.start", id.String(), nil,
	}, func(tx *ent.Tx) error {
		ch, err := lockAssignable(ctx, tx, found.ChannelID)
		if err != nil {
			return err
		}
		if ch.ArchivedAt != nil {
			return fault.New(fault.Conflict, "the channel is archived")
		}
		x, err := lockExperiment(ctx, tx, id)
		if err != nil {
			return err
		}
		if x.Status != experiment.StatusDraft {
			return fault.New(fault.Conflict, "the experiment was started already")
		}
		if err := s.checkStart(ctx, tx, app, x); err != nil {
			return err
		}
		started, err = tx.Experiment.UpdateOne(x).SetStatus(experiment.StatusRunning).SetStartedAt(s.now()).Save(ctx)
		if err != nil {
			return fmt.Errorf("start the experiment: %w", err)
		}
		_, err = assign(ctx, tx, ch, assignment{kind: channel.AssignmentExperiment, experiment: &id}, "experiment.start")
		return err
	})
	return started, err
}

func (s *Studio) checkStart(ctx context.Context, tx *ent.Tx, app *ent.App, x *ent.Experiment) error {
	if x.EndsAt == nil || !x.EndsAt.After(s.now()) {
		return fault.Invalid("endsAt", "needs a date in the future")
	}
	arms, err := tx.Variant.Query().Where(variant.ExperimentID(x.ID)).Order(variant.ByPosition()).All(ctx)
	if err != nil {
		return fmt.Errorf("read the variants: %w", err)
	}
	if len(arms) < 2 {
		return fault.Invalid("variants", "needs at least two variants")
	}
	total := 0
	for i, arm := range arms {
		field := fmt.Sprintf("variants.%d.versionId", i)
		if arm.FlowVersionID == nil {
			return fault.Invalid(field, "needs a published version")
		}
		if _, err := findVersion(ctx, tx, app.ID, *arm.FlowVersionID, field); err != nil {
			return err
		}
		total += arm.Weight
	}
	if total == 0 {
		return fault.Invalid("variants", "the weights add up to zero")
	}
	return nil
}

// ExtendExperiment moves the end of a serving experiment; one that waited for a
// decision runs again. Who gets what does not change.
func (s *Studio) ExtendExperiment(ctx context.Context, id uuid.UUID, endsAt time.Time) (*ent.Experiment, error) {
	app, _, err := s.findExperiment(ctx, id)
	if err != nil {
		return nil, err
	}
	if !endsAt.After(s.now()) {
		return nil, fault.Invalid("endsAt", "must be in the future")
	}
	var extended *ent.Experiment
	err = s.transactAndDeliver(ctx, app.ID, record{
		app.WorkspaceID, "experiment.extend", id.String(), map[string]any{"endsAt": endsAt},
	}, func(tx *ent.Tx) error {
		x, err := lockServing(ctx, tx, id)
		if err != nil {
			return err
		}
		extended, err = tx.Experiment.UpdateOne(x).SetStatus(experiment.StatusRunning).SetEndsAt(endsAt).
			SetExtendedAt(s.now()).Save(ctx)
		if err != nil {
			return fmt.Errorf("extend the experiment: %w", err)
		}
		return nil
	})
	return extended, err
}

func lockServing(ctx context.Context, tx *ent.Tx, id uuid.UUID) (*ent.Experiment, error) {
	x, err := lockExperiment(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	if x.Status != experiment.StatusRunning && x.Status != experiment.StatusPendingDecision {
		return nil, fault.New(fault.Conflict, "the experiment is not running")
	}
	return x, nil
}

// StopExperiment closes a serving experiment; the channel goes back to the
// control's version.
func (s *Studio) StopExperiment(ctx context.Context, id uuid.UUID) (*ent.Experiment, error) {
	return s.finishExperiment(ctx, id, "experiment.stop", func(
		ctx context.Context, tx *ent.Tx, _ *ent.App,
	) (*uuid.UUID, error) {
		control, err := tx.Variant.Query().Where(variant.ExperimentID(id)).Order(variant.ByPosition()).First(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the control: %w", err)
		}
		return control.FlowVersionID, nil
	})
}

// Promotion is what a channel serves after an experiment: the version of a
// variant, or another published version. Exactly one is set.
type Promotion struct {
	VariantID *uuid.UUID
	VersionID *uuid.UUID
}

// PromoteExperiment closes a serving experiment; the channel serves the promoted
// version. Another version than a variant's needs channel:manage, as pinning does.
func (s *Studio) PromoteExperiment(ctx context.Context, id uuid.UUID, to Promotion) (*ent.Experiment, error) {
	return s.finishExperiment(ctx, id, "experiment.promote", func(
		ctx context.Context, tx *ent.Tx, app *ent.App,
	) (*uuid.UUID, error) {
		if (to.VariantID == nil) == (to.VersionID == nil) {
			return nil, fault.Invalid("variantId", "give either variantId or versionId")
		}
		if to.VersionID != nil {
			const why = "promoting a version pins the channel to it"
			if err := account.AuthorizeAlso(ctx, app.WorkspaceID, account.ChannelManage, why); err != nil {
				return nil, err
			}
			_, err := findVersion(ctx, tx, app.ID, *to.VersionID, "versionId")
			return to.VersionID, err
		}
		chosen, err := tx.Variant.Query().Where(variant.ID(*to.VariantID), variant.ExperimentID(id)).Only(ctx)
		if ent.IsNotFound(err) {
			return nil, fault.Invalid("variantId", "is not a variant of this experiment")
		}
		if err != nil {
			return nil, fmt.Errorf("read the variant: %w", err)
		}
		return chosen.FlowVersionID, nil
	})
}

// finishExperiment closes a serving experiment and pins its channel to the chosen version.
func (s *Studio) finishExperiment(
	ctx context.Context, id uuid.UUID, reason string, choose func(context.Context, *ent.Tx, *ent.App) (*uuid.UUID, error),
) (*ent.Experiment, error) {
	app, found, err := s.findExperiment(ctx, id)
	if err != nil {
		return nil, err
	}
	var finished *ent.Experiment
	detail := map[string]any{}
	err = s.transactAndDeliver(ctx, app.ID, record{app.WorkspaceID, reason, id.String(), detail}, func(tx *ent.Tx) error {
		ch, err := tx.Channel.Query().Where(channel.ID(found.ChannelID)).WithEnvironment().ForUpdate().Only(ctx)
		if err != nil {
			return readError(err, "channel")
		}
		x, err := lockServing(ctx, tx, id)
		if err != nil {
			return err
		}
		version, err := choose(ctx, tx, app)
		if err != nil {
			return err
		}
		detail["version"] = version
		finished, err = tx.Experiment.UpdateOne(x).SetStatus(experiment.StatusStopped).SetStoppedAt(s.now()).Save(ctx)
		if err != nil {
			return fmt.Errorf("stop the experiment: %w", err)
		}
		to := assignment{kind: channel.AssignmentDirect, version: version}
		if version == nil {
			to.kind = channel.AssignmentNone
		}
		if _, err := assign(ctx, tx, ch, to, reason); err != nil {
			return err
		}
		return tellEnded(ctx, tx, finished, ch, ch.Edges.Environment, app, reason)
	})
	return finished, err
}
