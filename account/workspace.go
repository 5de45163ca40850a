package account

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/transaction"
)

// maxName is the longest name of anything, in characters.
const maxName = 120

// CheckName trims a name and holds it against 1 to 120 characters.
func CheckName(field, name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > maxName || strings.ContainsRune(name, 0) {
		return "", fault.Invalid(field, "must have 1 to %d characters", maxName)
	}
	return name, nil
}

// CreateWorkspace makes a workspace that the caller owns.
func (a *Accounts) CreateWorkspace(ctx context.Context, name string) (*ent.Workspace, error) {
	p, err := From(ctx)
	if err != nil {
		return nil, err
	}
	if p.KeyID != nil {
		return nil, fault.New(fault.Forbidden, "an API key cannot do this; sign in")
	}
	if name, err = CheckName("name", name); err != nil {
		return nil, err
	}
	var workspace *ent.Workspace
	err = transaction.Run(ctx, a.client, func(tx *ent.Tx) error {
		workspace, err = newWorkspace(ctx, tx, p.UserID, name)
		return err
	})
	return workspace, err
}

func newWorkspace(ctx context.Context, tx *ent.Tx, owner uuid.UUID, name string) (*ent.Workspace, error) {
	workspace, err := tx.Workspace.Create().SetName(name).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("store the workspace: %w", err)
	}
	if err := tx.Membership.Create().SetWorkspaceID(workspace.ID).SetUserID(owner).SetRole(Owner).Exec(ctx); err != nil {
		return nil, fmt.Errorf("store the owner: %w", err)
	}
	if err := tx.Subscription.Create().SetWorkspaceID(workspace.ID).SetPlanID(defaultPlan).Exec(ctx); err != nil {
		return nil, fmt.Errorf("store the subscription: %w", err)
	}
	return workspace, Record(ctx, tx, workspace.ID, "workspace.create", workspace.ID.String(), map[string]any{"name": name})
}

// RenameWorkspace changes a workspace's name.
func (a *Accounts) RenameWorkspace(ctx context.Context, id uuid.UUID, name string) (*ent.Workspace, error) {
	if _, err := Authorize(ctx, id, WorkspaceManage); err != nil {
		return nil, err
	}
	name, err := CheckName("name", name)
	if err != nil {
		return nil, err
	}
	var workspace *ent.Workspace
	err = transaction.Run(ctx, a.client, func(tx *ent.Tx) error {
		workspace, err = tx.Workspace.UpdateOneID(id).SetName(name).Save(ctx)
		if err != nil {
			return fmt.Errorf("rename the workspace: %w", err)
		}
		return Record(ctx, tx, id, "workspace.rename", id.String(), map[string]any{"name": name})
	})
	return workspace, err
}
