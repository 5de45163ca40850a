package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/invitation"
	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/ent/predicate"
	"github.com/svc-dev/svc/internal/fault"
)

// checkGivenRole refuses what nobody is given: no role, and ownership.
func checkGivenRole(role Role) error {
	if role == Owner {
		return fault.Invalid("role", "ownership is transferred, not given")
	}
	if err := membership.RoleValidator(role); err != nil {
		return fault.Invalid("role", "must be admin, editor or viewer")
	}
	return nil
}

// ChangeRole gives a member another role. The owner's cannot be changed. Who can
// no longer invite has invited nobody: their open invitations end.
func (a *Accounts) ChangeRole(ctx context.Context, workspace, person uuid.UUID, role Role) (*ent.Membership, error) {
	p, err := AuthorizePerson(ctx, workspace, MembersManage)
	if err != nil {
		return nil, err
	}
	if err := checkGivenRole(role); err != nil {
		return nil, err
	}
	var changed *ent.Membership
	err = a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		if err := lockAsManager(ctx, tx, workspace, p.UserID); err != nil {
			return err
		}
		m, err := findMembership(ctx, tx.Membership, workspace, person)
		if err != nil {
			return err
		}
		if m.Role == Owner {
			return fault.New(fault.Conflict, "the owner's role changes by a transfer of ownership only")
		}
		if changed, err = tx.Membership.UpdateOne(m).SetRole(role).Save(ctx); err != nil {
			return fmt.Errorf("store the role: %w", err)
		}
		if !Allows(role, MembersManage) {
			if err := revokeInvitations(ctx, tx, workspace, invitation.InvitedBy(person)); err != nil {
				return err
			}
		}
		return Record(ctx, tx, workspace, "member.role", person.String(), map[string]any{"from": m.Role, "to": role})
	})
	return changed, err
}

// RemoveMember takes a person out of a workspace, with the API keys that they
// made and the invitations that they sent in it. Everybody but the owner may
// leave.
func (a *Accounts) RemoveMember(ctx context.Context, workspace, person uuid.UUID) error {
	p, err := Enter(ctx, workspace)
	if err != nil {
		return err
	}
	leaves := p.UserID == person && p.KeyID == nil
	if !leaves {
		if _, err := AuthorizePerson(ctx, workspace, MembersManage); err != nil {
			return err
		}
	}
	return a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		role, err := lockMembers(ctx, tx, workspace, p.UserID)
		if err != nil {
			return err
		}
		if !leaves && !Allows(role, MembersManage) {
			return missingCapability(role, MembersManage)
		}
		m, err := findMembership(ctx, tx.Membership, workspace, person)
		if err != nil {
			return err
		}
		if m.Role == Owner {
			return fault.New(fault.Conflict, "the owner cannot leave; transfer the ownership first")
		}
		if err := a.endMembership(ctx, tx, m); err != nil {
			return err
		}
		return Record(ctx, tx, workspace, "member.remove", person.String(), map[string]any{"role": m.Role})
	})
}

// revokeInvitations ends the invitations to a workspace that match.
func revokeInvitations(ctx context.Context, tx *ent.Tx, workspace uuid.UUID, which predicate.Invitation) error {
	found, err := tx.Invitation.Query().Where(invitation.WorkspaceID(workspace), which).All(ctx)
	if err != nil {
		return fmt.Errorf("read the invitations: %w", err)
	}
	for _, i := range found {
		// Somebody may have accepted it this moment.
		revoked, err := tx.Invitation.Delete().Where(invitation.ID(i.ID)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("revoke the invitation: %w", err)
		}
		if revoked == 0 {
			continue
		}
		detail := map[string]any{"email": i.Email}
		if err := Record(ctx, tx, workspace, "invitation.revoke", i.ID.String(), detail); err != nil {
			return err
		}
	}
	return nil
}

// TransferOwnership makes another member the owner and the caller, who must be
// the owner, an admin.
func (a *Accounts) TransferOwnership(ctx context.Context, workspace, person uuid.UUID) (*ent.Membership, error) {
	p, err := AuthorizePerson(ctx, workspace, WorkspaceManage)
	if err != nil {
		return nil, err
	}
	notOwner := fault.New(fault.Forbidden, "only the owner transfers the ownership")
	if role, _ := p.Role(workspace); role != Owner {
		return nil, notOwner
	}
	if person == p.UserID {
		return nil, fault.Invalid("userId", "must be another member")
	}
	var next *ent.Membership
	err = a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		role, err := lockMembers(ctx, tx, workspace, p.UserID)
		if err != nil {
			return err
		}
		if role != Owner { // it was transferred since
			return notOwner
		}
		if next, err = findMembership(ctx, tx.Membership, workspace, person); err != nil {
			return err
		}
		former := tx.Membership.Update().Where(membership.WorkspaceID(workspace), membership.UserID(p.UserID))
		if err := former.SetRole(Admin).Exec(ctx); err != nil {
			return fmt.Errorf("store the former owner's role: %w", err)
		}
		if next, err = tx.Membership.UpdateOne(next).SetRole(Owner).Save(ctx); err != nil {
			return fmt.Errorf("store the new owner's role: %w", err)
		}
		return Record(ctx, tx, workspace, "workspace.transfer", person.String(), map[string]any{"from": p.UserID})
	})
	return next, err
}
