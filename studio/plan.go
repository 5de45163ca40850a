package studio

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/account/plan"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	entplan "github.com/svc-dev/svc/ent/plan"
	"github.com/svc-dev/svc/ent/predicate"
	"github.com/svc-dev/svc/ent/subscription"
	"github.com/svc-dev/svc/ent/workspace"
	"github.com/svc-dev/svc/internal/appchange"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/postgres/transaction"
)

// Plans are sold by who runs the server: no role has the capability of these use cases (plans.md). They raise channels,
// because plans decide what is cut from manifests (wire.md §3.6).

// PlanDraft is a plan to be. Limits that are nil are none.
type PlanDraft struct {
	Key        string
	Name       string
	Features   []string
	ActiveApps *int64
	LiveUsers  *int64
}

// planKey is the form of a plan's key.
var planKey = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// limits returns the limits by name, or the error that names the field.
func (d PlanDraft) limits() (map[string]int64, error) {
	limits := map[string]int64{}
	for _, one := range []struct {
		field string
		name  plan.Limit
		most  *int64
	}{{"activeApps", plan.ActiveApps, d.ActiveApps}, {"liveUsers", plan.LiveUsers, d.LiveUsers}} {
		switch {
		case one.most == nil:
		case *one.most < 0:
			return nil, fault.Invalid(one.field, "must not be negative")
		default:
			limits[string(one.name)] = *one.most
		}
	}
	return limits, nil
}

func (d PlanDraft) validate() (name string, limits map[string]int64, err error) {
	switch {
	case d.Key == plan.SelfHosted().Key:
		return "", nil, fault.Invalid("key", "the plan %s is fixed: it has everything", d.Key)
	case !planKey.MatchString(d.Key):
		return "", nil, fault.Invalid("key", "must be 1 to 40 lower-case letters, digits and underscores, a letter first")
	}
	for i, feature := range d.Features {
		if !slices.Contains(plan.Features(), plan.Feature(feature)) {
			return "", nil, fault.Invalid(fmt.Sprintf("features.%d", i), "unknown feature %q", feature)
		}
	}
	if name, err = validate.Name("name", d.Name); err != nil {
		return "", nil, err
	}
	limits, err = d.limits()
	return name, limits, err
}

// SavePlan makes a plan, or changes the one that has its key, for all workspaces that are on it.
func (s *Studio) SavePlan(ctx context.Context, draft PlanDraft) (*ent.Plan, error) {
	if err := account.AuthorizeOperator(ctx); err != nil {
		return nil, err
	}
	name, limits, err := draft.validate()
	if err != nil {
		return nil, err
	}
	features := slices.Compact(slices.Sorted(slices.Values(draft.Features)))
	if features == nil {
		features = []string{}
	}
	var saved *ent.Plan
	err = s.changeAndRaise(ctx, "plan", channelsOnPlan(draft.Key), func(tx *ent.Tx) error {
		changed, err := tx.Plan.Update().Where(entplan.ID(draft.Key)).
			SetName(name).SetFeatures(features).SetLimits(limits).Save(ctx)
		if err != nil {
			return fmt.Errorf("store the plan: %w", err)
		}
		if changed == 0 {
			err = tx.Plan.Create().SetID(draft.Key).SetName(name).SetFeatures(features).SetLimits(limits).Exec(ctx)
		}
		if ent.IsConstraintError(err) {
			return fault.New(fault.Conflict, "the plan is being created right now: try again")
		}
		if err != nil {
			return fmt.Errorf("store the plan: %w", err)
		}
		saved, err = tx.Plan.Get(ctx, draft.Key)
		return err
	})
	return saved, err
}

// SubscriptionChange names what to change of a workspace's subscription; nil leaves a part as it is.
type SubscriptionChange struct {
	WorkspaceID uuid.UUID
	Plan        *string
	Status      *subscription.Status
	// PastDueSince is when a payment began to be late. Nil with the status past_due means now, unless it was late before.
	PastDueSince *time.Time
}

// ChangeSubscription puts a workspace on another plan, or says how its payments stand.
func (s *Studio) ChangeSubscription(ctx context.Context, change SubscriptionChange) (*ent.Subscription, error) {
	if err := account.AuthorizeOperator(ctx); err != nil {
		return nil, err
	}
	if change.PastDueSince != nil && (change.Status == nil || *change.Status != subscription.StatusPastDue) {
		return nil, fault.Invalid("pastDueSince", "goes with the status PAST_DUE")
	}
	id := change.WorkspaceID
	var changed *ent.Subscription
	err := s.changeAndRaise(ctx, "plan", channelsOfWorkspace(id), func(tx *ent.Tx) error {
		sub, err := lockSubscription(ctx, tx, id)
		if err != nil {
			return err
		}
		update, detail := tx.Subscription.UpdateOne(sub), map[string]any{}
		if change.Plan != nil {
			update.SetPlanID(*change.Plan)
			detail["plan"] = *change.Plan
		}
		if change.Status != nil {
			update.SetStatus(*change.Status)
			detail["status"] = *change.Status
			switch {
			case *change.Status != subscription.StatusPastDue:
				update.ClearPastDueSince()
			case change.PastDueSince != nil:
				update.SetPastDueSince(*change.PastDueSince)
			case sub.PastDueSince == nil:
				update.SetPastDueSince(s.now())
			}
		}
		if changed, err = update.Save(ctx); ent.IsConstraintError(err) && change.Plan != nil {
			return fault.Invalid("plan", "unknown plan %q", *change.Plan)
		} else if err != nil {
			return fmt.Errorf("store the subscription: %w", err)
		}
		return account.Record(ctx, tx, id, "plan.change", id.String(), detail)
	})
	return changed, err
}

// lockSubscription reads the subscription of a workspace for a change, and makes it when there is none.
func lockSubscription(ctx context.Context, tx *ent.Tx, id uuid.UUID) (*ent.Subscription, error) {
	if _, err := tx.ExecContext(ctx, `select from workspaces where id = $1 for no key update`, id); err != nil {
		return nil, fmt.Errorf("lock the workspace: %w", err)
	}
	exists, err := tx.Workspace.Query().Where(workspace.ID(id)).Exist(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the workspace: %w", err)
	}
	if !exists {
		return nil, fault.Missing("workspace")
	}
	sub, err := tx.Subscription.Query().Where(subscription.WorkspaceID(id)).Only(ctx)
	if ent.IsNotFound(err) {
		sub, err = tx.Subscription.Create().SetWorkspaceID(id).SetPlanID(plan.SelfHosted().Key).Save(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("read the subscription: %w", err)
	}
	return sub, nil
}

// RaiseAll raises every channel that serves something: for operators who moved
// the media files to another address, which is part of what clients keep.
func (s *Studio) RaiseAll(ctx context.Context, reason string) error {
	return s.changeAndRaise(ctx, reason, func(*sql.Selector) {}, func(*ent.Tx) error { return nil })
}

// changeAndRaise changes something of more than one app and raises the channels that it
// concerns. This server follows by its notifications, as every other one does.
func (s *Studio) changeAndRaise(
	ctx context.Context, reason string, where predicate.Channel, work func(tx *ent.Tx) error,
) error {
	return transaction.Run(ctx, s.client, func(tx *ent.Tx) error {
		if err := work(tx); err != nil {
			return err
		}
		if err := raiseAll(ctx, tx, reason, where); err != nil {
			return err
		}
		return notify(ctx, tx, appchange.All)
	})
}

// channelsOfWorkspace matches the channels of a workspace.
func channelsOfWorkspace(workspace uuid.UUID) predicate.Channel {
	return channel.HasEnvironmentWith(environment.HasAppWith(entapp.WorkspaceID(workspace)))
}

// channelsOnPlan matches the channels of all workspaces on a plan.
func channelsOnPlan(key string) predicate.Channel {
	return channel.HasEnvironmentWith(environment.HasAppWith(
		entapp.HasWorkspaceWith(workspace.HasSubscriptionWith(subscription.PlanID(key)))))
}

// requireFeature refuses an author's action that needs a feature which the plan lacks, naming the input's field.
func (s *Studio) requireFeature(ctx context.Context, workspace uuid.UUID, feature plan.Feature, field string) error {
	bought, err := readPlan(ctx, s.client.Subscription, workspace)
	if err != nil {
		return err
	}
	if !bought.Has(feature) {
		return &fault.Error{
			Code: fault.FeatureNotInPlan, Field: field,
			Message: fmt.Sprintf("the plan %s does not include %s", bought.Key, feature),
			Details: map[string]any{"feature": string(feature), "plan": bought.Key},
		}
	}
	return nil
}
