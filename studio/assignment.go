package studio

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	entassignment "github.com/svc-dev/svc/ent/assignment"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/ent/experiment"
	entflow "github.com/svc-dev/svc/ent/flow"
	"github.com/svc-dev/svc/ent/predicate"
)

var descending = sql.OrderDesc()

// flowsOfApp matches the flows of an app.
func flowsOfApp(app uuid.UUID) predicate.Flow { return entflow.AppID(app) }

// servingExperiments matches experiments that people are bucketed by.
func servingExperiments() predicate.Experiment {
	return experiment.StatusIn(experiment.StatusRunning, experiment.StatusPendingDecision)
}

// assignment is what a channel serves.
type assignment struct {
	kind       channel.Assignment
	version    *uuid.UUID
	experiment *uuid.UUID
}

// assign points a locked channel at something else and raises its assignment
// version.
func assign(ctx context.Context, tx *ent.Tx, ch *ent.Channel, to assignment, reason string) (*ent.Channel, error) {
	update := tx.Channel.UpdateOne(ch).SetAssignment(to.kind)
	if to.version != nil {
		update.SetFlowVersionID(*to.version)
	} else {
		update.ClearFlowVersionID()
	}
	if to.experiment != nil {
		update.SetExperimentID(*to.experiment)
	} else {
		update.ClearExperimentID()
	}
	ch, err := update.Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("assign the channel: %w", err)
	}
	return raise(ctx, tx, ch, reason)
}

// raise raises a channel's assignment version, because something changed of what
// anyone may get (wire.md §3.7), and writes the history.
func raise(ctx context.Context, tx *ent.Tx, ch *ent.Channel, reason string) (*ent.Channel, error) {
	ch, err := tx.Channel.UpdateOne(ch).AddAssignmentVersion(1).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("raise the assignment version: %w", err)
	}
	entry := tx.Assignment.Create().SetChannelID(ch.ID).SetAssignmentVersion(ch.AssignmentVersion).
		SetAssignment(entassignment.Assignment(ch.Assignment)).
		SetNillableFlowVersionID(ch.FlowVersionID).SetNillableExperimentID(ch.ExperimentID).SetReason(reason)
	if p, err := account.From(ctx); err == nil {
		entry.SetChangedBy(p.UserID)
	}
	if err := entry.Exec(ctx); err != nil {
		return nil, fmt.Errorf("write the assignment history: %w", err)
	}
	return ch, nil
}

// raiseAll raises every channel in use that the predicate matches. Archived ones
// are raised when they come back.
func raiseAll(ctx context.Context, tx *ent.Tx, reason string, where predicate.Channel) error {
	channels, err := tx.Channel.Query().
		Where(where, channel.ArchivedAtIsNil(), channel.AssignmentNEQ(channel.AssignmentNone)).
		Order(channel.ByID()). // one order of locks, so that two changes can't deadlock
		ForUpdate().All(ctx)
	if err != nil {
		return fmt.Errorf("lock the channels: %w", err)
	}
	for _, ch := range channels {
		if _, err := raise(ctx, tx, ch, reason); err != nil {
			return err
		}
	}
	return nil
}

// channelsOfApp matches the channels of an app.
func channelsOfApp(app uuid.UUID) predicate.Channel {
	return channel.HasEnvironmentWith(environment.AppID(app))
}

// skipLocked leaves rows alone that another server is working on.
var skipLocked = sql.WithLockAction(sql.SkipLocked)
