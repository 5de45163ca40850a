package studio

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/delivery"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/channel"
	"github.com/svc-dev/svc/ent/experiment"
	"github.com/svc-dev/svc/ent/flowversion"
	"github.com/svc-dev/svc/internal/base62"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/manifest"
)

// findChannel reads a channel by its public id, with its app, for a caller with the
// capability.
func (s *Studio) findChannel(
	ctx context.Context, publicID string, capability account.Capability,
) (*ent.App, *ent.Channel, error) {
	if _, err := account.From(ctx); err != nil {
		return nil, nil, err
	}
	found, err := s.client.Channel.Query().Where(channel.PublicID(publicID)).
		WithEnvironment(func(q *ent.EnvironmentQuery) { q.WithApp() }).Only(ctx)
	if err != nil {
		return nil, nil, readError(err, "channel")
	}
	app := found.Edges.Environment.Edges.App
	return app, found, account.AuthorizeAppChange(ctx, ownerOf(app), "channel", capability)
}

// CreateChannel makes a channel that serves nothing yet.
func (s *Studio) CreateChannel(ctx context.Context, app uuid.UUID, kind Kind, name string) (*ent.Channel, error) {
	a, env, err := s.findEnvironment(ctx, app, kind, account.ChannelManage)
	if err != nil {
		return nil, err
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	publicID := fmt.Sprintf("ch_%s_%s", kind, base62.Random(16))
	var made *ent.Channel
	err = s.transactAndDeliver(ctx, app, record{
		a.WorkspaceID, "channel.create", publicID, map[string]any{"name": name},
	}, func(tx *ent.Tx) error {
		made, err = tx.Channel.Create().SetEnvironmentID(env.ID).SetPublicID(publicID).SetName(name).Save(ctx)
		if err != nil {
			return fmt.Errorf("store the channel: %w", err)
		}
		return nil
	})
	return made, err
}

// RenameChannel changes a channel's name, which only people see.
func (s *Studio) RenameChannel(ctx context.Context, publicID, name string) (*ent.Channel, error) {
	app, ch, err := s.findChannel(ctx, publicID, account.ChannelManage)
	if err != nil {
		return nil, err
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	err = s.transact(ctx, record{
		app.WorkspaceID, "channel.rename", publicID, map[string]any{"name": name},
	}, func(tx *ent.Tx) error {
		if ch, err = tx.Channel.UpdateOne(ch).SetName(name).Save(ctx); err != nil {
			return fmt.Errorf("store the channel: %w", err)
		}
		return nil
	})
	return ch, err
}

// ArchiveChannel takes a channel out of service: it answers 410. The name is
// repeated to confirm it. A channel with a serving experiment is kept.
func (s *Studio) ArchiveChannel(ctx context.Context, publicID, confirmName string) (*ent.Channel, error) {
	app, ch, err := s.findChannel(ctx, publicID, account.ChannelManage)
	if err != nil {
		return nil, err
	}
	if confirmName != ch.Name {
		return nil, fault.Invalid("confirmName", "must repeat the channel's name")
	}
	if ch.ArchivedAt != nil {
		return ch, nil
	}
	err = s.transactAndDeliver(ctx, app.ID, record{
		app.WorkspaceID, "channel.archive", publicID, nil,
	}, func(tx *ent.Tx) error {
		if ch, err = lockAssignable(ctx, tx, ch.ID); err != nil {
			return err
		}
		if ch, err = tx.Channel.UpdateOne(ch).SetArchivedAt(s.now()).Save(ctx); err != nil {
			return fmt.Errorf("archive the channel: %w", err)
		}
		return nil
	})
	return ch, err
}

// UnarchiveChannel puts a channel back into service with what it served before.
func (s *Studio) UnarchiveChannel(ctx context.Context, publicID string) (*ent.Channel, error) {
	app, ch, err := s.findChannel(ctx, publicID, account.ChannelManage)
	if err != nil || ch.ArchivedAt == nil {
		return ch, err
	}
	err = s.transactAndDeliver(ctx, app.ID, record{
		app.WorkspaceID, "channel.unarchive", publicID, nil,
	}, func(tx *ent.Tx) error {
		if ch, err = tx.Channel.UpdateOne(ch).ClearArchivedAt().Save(ctx); err != nil {
			return fmt.Errorf("unarchive the channel: %w", err)
		}
		// Branding and settings may have changed while it was away.
		ch, err = raise(ctx, tx, ch, "unarchive")
		return err
	})
	return ch, err
}

// Pinned is a channel after a pin, with what will not work on every platform.
type Pinned struct {
	Channel *ent.Channel
	// Warnings have the codes of product.md §2: surface:… and action:….
	Warnings []manifest.Capability
}

// Pin makes a channel serve one published version of a flow of the same app. It
// is served by this server when Pin returns.
func (s *Studio) Pin(ctx context.Context, publicID string, version uuid.UUID) (*Pinned, error) {
	app, ch, err := s.findChannel(ctx, publicID, account.ChannelManage)
	if err != nil {
		return nil, err
	}
	pinned := &Pinned{}
	detail := map[string]any{"version": version}
	err = s.transactAndDeliver(ctx, app.ID, record{
		app.WorkspaceID, "channel.pin", publicID, detail,
	}, func(tx *ent.Tx) error {
		content, err := findVersion(ctx, tx, app.ID, version, "versionId")
		if err != nil {
			return err
		}
		opened, err := manifest.Open(content.Manifest)
		if err != nil {
			return fmt.Errorf("read version %s: %w", version, err)
		}
		pinned.Warnings = opened.Capabilities()
		if ch, err = lockAssignable(ctx, tx, ch.ID); err != nil {
			return err
		}
		if ch.ArchivedAt != nil {
			return fault.New(fault.Conflict, "the channel is archived; unarchive it first")
		}
		pinned.Channel, err = assign(ctx, tx, ch, assignment{kind: channel.AssignmentDirect, version: &version}, "pin")
		return err
	})
	if err != nil {
		return nil, err
	}
	return pinned, nil
}

// Unassign makes a channel serve nothing.
func (s *Studio) Unassign(ctx context.Context, publicID string) (*ent.Channel, error) {
	app, ch, err := s.findChannel(ctx, publicID, account.ChannelManage)
	if err != nil {
		return nil, err
	}
	err = s.transactAndDeliver(ctx, app.ID, record{
		app.WorkspaceID, "channel.unassign", publicID, nil,
	}, func(tx *ent.Tx) error {
		if ch, err = lockAssignable(ctx, tx, ch.ID); err != nil {
			return err
		}
		if ch.Assignment == channel.AssignmentNone {
			return nil
		}
		ch, err = assign(ctx, tx, ch, assignment{kind: channel.AssignmentNone}, "unassign")
		return err
	})
	return ch, err
}

// maxAppUserID is how many characters an app user id has at most (wire.md §3.1).
const maxAppUserID = 256

// ExplainChannel says what apps get from a channel of this server, which the caller has found, and why: what one person
// gets, unless appUserID is nil.
func (s *Studio) ExplainChannel(
	ctx context.Context, ch *ent.Channel, appUserID *string,
) (*delivery.Explanation, error) {
	person := ""
	if appUserID != nil {
		person = *appUserID
		if err := validate.Characters("appUserId", person, 1, maxAppUserID); err != nil {
			return nil, err
		}
	}
	if s.delivery == nil {
		return nil, fault.New(fault.Unavailable, "this process serves no channels")
	}
	if explained := s.delivery.Explain(ch.PublicID, person); explained != nil {
		return explained, nil
	}
	app, err := ch.QueryEnvironment().QueryApp().Only(ctx)
	if err != nil {
		return nil, readError(err, "app")
	}
	reason, code := "The answering server does not serve the channel yet: ask again.", string(delivery.ChannelNotFound)
	if app.ArchivedAt != nil {
		reason, code = "The app is archived, and its keys are refused.", "invalid_key"
	}
	return &delivery.Explanation{Reason: reason, Refusal: &code, Arms: []*delivery.ExplainedArm{}}, nil
}

// findVersion reads a version of the app, without looking at others: a version of
// a foreign app does not exist. Field names the input in the error.
func findVersion(ctx context.Context, tx *ent.Tx, app, version uuid.UUID, field string) (*ent.FlowVersion, error) {
	found, err := tx.FlowVersion.Query().
		Where(flowversion.ID(version), flowversion.HasFlowWith(flowsOfApp(app))).WithFlow().Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Invalid(field, "is not a published version of this app")
	}
	if err != nil {
		return nil, fmt.Errorf("read the version: %w", err)
	}
	if found.Edges.Flow.ArchivedAt != nil {
		return nil, fault.Invalid(field, "belongs to an archived flow")
	}
	return found, nil
}

// lockAssignable locks a channel and makes sure that no experiment serves on it: its end
// is a decision of its own.
func lockAssignable(ctx context.Context, tx *ent.Tx, id int64) (*ent.Channel, error) {
	ch, err := tx.Channel.Query().Where(channel.ID(id)).ForUpdate().Only(ctx)
	if err != nil {
		return nil, readError(err, "channel")
	}
	busy, err := tx.Experiment.Query().Where(experiment.ChannelID(id), servingExperiments()).Exist(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for a serving experiment: %w", err)
	}
	if busy {
		return nil, fault.New(fault.Conflict, "an experiment serves on this channel; stop or promote it first")
	}
	return ch, nil
}
