package account

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/apikey"
	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/ent/user"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/transaction"
)

// Invitation is a new membership. SetupToken is for a set-up link, shown once to
// the person who invites; it is empty when the invited person can sign in
// already.
type Invitation struct {
	Membership *ent.Membership
	SetupToken string
}

// Invite adds a person to a workspace, making their account when the e-mail is
// new. Nobody is invited as owner; ownership is transferred.
func (a *Accounts) Invite(ctx context.Context, workspace uuid.UUID, email string, role Role) (*Invitation, error) {
	if _, err := AuthorizePerson(ctx, workspace, MembersManage); err != nil {
		return nil, err
	}
	email, err := checkEmail("email", email)
	if err != nil {
		return nil, err
	}
	if err := checkGivenRole(role); err != nil {
		return nil, err
	}
	invitation := &Invitation{}
	err = transaction.Run(ctx, a.client, func(tx *ent.Tx) error {
		person, err := tx.User.Query().Where(user.Email(email)).WithMemberships().Only(ctx)
		if ent.IsNotFound(err) {
			person, err = tx.User.Create().SetEmail(email).Save(ctx)
		}
		if err != nil {
			return fmt.Errorf("find or make the user: %w", err)
		}
		invitation.Membership, err = tx.Membership.Create().SetWorkspaceID(workspace).SetUserID(person.ID).SetRole(role).Save(ctx)
		if ent.IsConstraintError(err) {
			return fault.New(fault.Conflict, "%s is a member already", email)
		}
		if err != nil {
			return fmt.Errorf("store the membership: %w", err)
		}
		// A link is power over the whole account, so it is given out only for one
		// that belongs to no other workspace.
		if person.PasswordHash == "" && len(person.Edges.Memberships) == 0 {
			if invitation.SetupToken, err = a.issue(ctx, tx, &person.ID); err != nil {
				return err
			}
		}
		return Record(ctx, tx, workspace, "member.invite", person.ID.String(), map[string]any{"email": email, "role": role})
	})
	if err != nil {
		return nil, err
	}
	return invitation, nil
}

func checkGivenRole(role Role) error {
	if role == Owner {
		return fault.Invalid("role", "ownership is transferred, not given")
	}
	if err := membership.RoleValidator(role); err != nil {
		return fault.Invalid("role", "must be admin, editor or viewer")
	}
	return nil
}

// ChangeRole gives a member another role. The owner's cannot be changed.
func (a *Accounts) ChangeRole(ctx context.Context, workspace, person uuid.UUID, role Role) (*ent.Membership, error) {
	if _, err := AuthorizePerson(ctx, workspace, MembersManage); err != nil {
		return nil, err
	}
	if err := checkGivenRole(role); err != nil {
		return nil, err
	}
	var changed *ent.Membership
	err := transaction.Run(ctx, a.client, func(tx *ent.Tx) error {
		m, err := membershipOf(ctx, tx.Membership, workspace, person)
		if err != nil {
			return err
		}
		if m.Role == Owner {
			return fault.New(fault.Conflict, "the owner's role changes by a transfer of ownership only")
		}
		if changed, err = tx.Membership.UpdateOne(m).SetRole(role).Save(ctx); err != nil {
			return fmt.Errorf("store the role: %w", err)
		}
		return Record(ctx, tx, workspace, "member.role", person.String(), map[string]any{"from": m.Role, "to": role})
	})
	return changed, err
}

// RemoveMember takes a person out of a workspace and revokes the API keys that
// they made in it. Everybody but the owner may leave.
func (a *Accounts) RemoveMember(ctx context.Context, workspace, person uuid.UUID) error {
	p, err := Enter(ctx, workspace)
	if err != nil {
		return err
	}
	if p.UserID != person || p.KeyID != nil {
		if _, err := AuthorizePerson(ctx, workspace, MembersManage); err != nil {
			return err
		}
	}
	return transaction.Run(ctx, a.client, func(tx *ent.Tx) error {
		m, err := membershipOf(ctx, tx.Membership, workspace, person)
		if err != nil {
			return err
		}
		if m.Role == Owner {
			return fault.New(fault.Conflict, "the owner cannot leave; transfer the ownership first")
		}
		if err := tx.Membership.DeleteOne(m).Exec(ctx); err != nil {
			return fmt.Errorf("remove the membership: %w", err)
		}
		err = tx.APIKey.Update().
			Where(apikey.WorkspaceID(workspace), apikey.UserID(person), apikey.RevokedAtIsNil()).
			SetRevokedAt(a.now()).Exec(ctx)
		if err != nil {
			return fmt.Errorf("revoke the member's API keys: %w", err)
		}
		return Record(ctx, tx, workspace, "member.remove", person.String(), nil)
	})
}

// TransferOwnership makes another member the owner and the caller, who must be
// the owner, an admin.
func (a *Accounts) TransferOwnership(ctx context.Context, workspace, person uuid.UUID) (*ent.Membership, error) {
	p, err := AuthorizePerson(ctx, workspace, WorkspaceManage)
	if err != nil {
		return nil, err
	}
	if role, _ := p.Role(workspace); role != Owner {
		return nil, fault.New(fault.Forbidden, "only the owner transfers the ownership")
	}
	if person == p.UserID {
		return nil, fault.Invalid("userId", "is the owner already")
	}
	var next *ent.Membership
	err = transaction.Run(ctx, a.client, func(tx *ent.Tx) error {
		next, err = membershipOf(ctx, tx.Membership, workspace, person)
		if err != nil {
			return err
		}
		// The condition makes two transfers at once end with one owner.
		demoted, err := tx.Membership.Update().
			Where(membership.WorkspaceID(workspace), membership.UserID(p.UserID), membership.RoleEQ(Owner)).
			SetRole(Admin).Save(ctx)
		if err != nil {
			return fmt.Errorf("store the former owner's role: %w", err)
		}
		if demoted != 1 {
			return fault.New(fault.Conflict, "the ownership was transferred already")
		}
		if next, err = tx.Membership.UpdateOne(next).SetRole(Owner).Save(ctx); err != nil {
			return fmt.Errorf("store the new owner's role: %w", err)
		}
		return Record(ctx, tx, workspace, "workspace.transfer", person.String(), map[string]any{"from": p.UserID})
	})
	return next, err
}
