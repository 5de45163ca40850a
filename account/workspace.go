package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
)

// maxOwned is how many workspaces one person may own. It is a soft limit: calls at
// once may pass it by as many as workspacesCreated allows in a day.
const maxOwned = 50

// CreateWorkspace creates a workspace that the caller owns.
func (a *Accounts) CreateWorkspace(ctx context.Context, name string) (*ent.Workspace, error) {
	p, err := requirePerson(ctx)
	if err != nil {
		return nil, err
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	if err := a.countAttempt(ctx, workspacesCreated, p.UserID.String()); err != nil {
		return nil, err
	}
	var workspace *ent.Workspace
	err = a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		owned, err := tx.Membership.Query().Where(membership.UserID(p.UserID), membership.RoleEQ(Owner)).Count(ctx)
		if err != nil {
			return fmt.Errorf("count the workspaces: %w", err)
		}
		if owned >= maxOwned {
			return fault.New(fault.Conflict, "you own %d workspaces, the most that one person may", owned)
		}
		workspace, err = createWorkspace(ctx, tx, p.UserID, name)
		return err
	})
	return workspace, err
}

func createWorkspace(ctx context.Context, tx *ent.Tx, owner uuid.UUID, name string) (*ent.Workspace, error) {
	workspace, err := tx.Workspace.Create().SetName(name).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("store the workspace: %w", err)
	}
	err = tx.Membership.Create().SetWorkspaceID(workspace.ID).SetUserID(owner).SetRole(Owner).Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("store the owner: %w", err)
	}
	if err := tx.Subscription.Create().SetWorkspaceID(workspace.ID).SetPlanID(defaultPlan).Exec(ctx); err != nil {
		return nil, fmt.Errorf("store the subscription: %w", err)
	}
	detail := map[string]any{"name": name}
	return workspace, Record(ctx, tx, workspace.ID, "workspace.create", workspace.ID.String(), detail)
}

// RenameWorkspace changes a workspace's name.
func (a *Accounts) RenameWorkspace(ctx context.Context, id uuid.UUID, name string) (*ent.Workspace, error) {
	if _, err := AuthorizePerson(ctx, id, WorkspaceManage); err != nil {
		return nil, err
	}
	name, err := validate.Name("name", name)
	if err != nil {
		return nil, err
	}
	var workspace *ent.Workspace
	err = a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		workspace, err = tx.Workspace.UpdateOneID(id).SetName(name).Save(ctx)
		if err != nil {
			return fmt.Errorf("rename the workspace: %w", err)
		}
		return Record(ctx, tx, id, "workspace.rename", id.String(), map[string]any{"name": name})
	})
	return workspace, err
}

// lockMembers lets nobody else change the members, invitations and keys of the
// workspace until the transaction ends, and returns what the caller is in it by
// then: who was removed since the request began gets not_found.
func lockMembers(ctx context.Context, tx *ent.Tx, workspace, caller uuid.UUID) (Role, error) {
	if _, err := tx.ExecContext(ctx, `select from workspaces where id = $1 for no key update`, workspace); err != nil {
		return "", fmt.Errorf("lock the workspace: %w", err)
	}
	m, err := findMembership(ctx, tx.Membership, workspace, caller)
	if fault.Is(err, fault.NotFound) {
		return "", fault.Missing("workspace")
	}
	if err != nil {
		return "", err
	}
	return m.Role, nil
}

// lockAsManager locks as lockMembers does for callers who manage members.
func lockAsManager(ctx context.Context, tx *ent.Tx, workspace, caller uuid.UUID) error {
	role, err := lockMembers(ctx, tx, workspace, caller)
	if err != nil {
		return err
	}
	if !Allows(role, MembersManage) {
		return missingCapability(role, MembersManage)
	}
	return nil
}

// findMembership returns a person's membership in a workspace.
func findMembership(
	ctx context.Context, client *ent.MembershipClient, workspace, person uuid.UUID,
) (*ent.Membership, error) {
	m, err := client.Query().Where(membership.WorkspaceID(workspace), membership.UserID(person)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("member")
	}
	if err != nil {
		return nil, fmt.Errorf("read the membership: %w", err)
	}
	return m, nil
}
