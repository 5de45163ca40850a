package studio

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	entapp "github.com/svc-dev/svc/ent/app"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/predicate"
	"github.com/svc-dev/svc/ent/subscription"
	"github.com/svc-dev/svc/internal/appchange"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/transaction"
)

// ChangePlan puts a workspace on another plan and raises its channels, because
// plans decide what is cut from manifests (wire.md §3.6). It is an operator's
// verb: no role may call it, so no role is checked.
func (s *Studio) ChangePlan(ctx context.Context, workspace uuid.UUID, plan string) error {
	return s.changeAndRaise(ctx, "plan", channelsOfWorkspace(workspace), func(tx *ent.Tx) error {
		changed, err := tx.Subscription.Update().Where(subscription.WorkspaceID(workspace)).SetPlanID(plan).Save(ctx)
		switch {
		case ent.IsConstraintError(err):
			return fault.Invalid("plan", "unknown plan %q", plan)
		case err != nil:
			return fmt.Errorf("store the subscription: %w", err)
		case changed == 0:
			return fault.Missing("subscription")
		}
		return account.Record(ctx, tx, workspace, "plan.change", workspace.String(), map[string]any{"plan": plan})
	})
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
