package account

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/invitation"
	"github.com/svc-dev/svc/ent/membership"
	"github.com/svc-dev/svc/ent/user"
	"github.com/svc-dev/svc/internal/fault"
)

const (
	// setupLifetime is how long a set-up link works.
	setupLifetime = 7 * 24 * time.Hour
	// maxInvitations is how many invitations of one workspace are kept, expired
	// ones included.
	maxInvitations = 200
)

// NewInvitation is an invitation with the token of its set-up link, which is
// shown this once.
type NewInvitation struct {
	Invitation *ent.Invitation
	SetupToken string
}

// Invite makes a link by which somebody enters the workspace. It gives nobody
// anything before: who has no account gets one by completing the set-up, who has
// one accepts with the same link. An earlier invitation of the email to this
// workspace ends. Nobody is invited as owner; ownership is transferred.
func (a *Accounts) Invite(ctx context.Context, workspace uuid.UUID, email string, role Role) (*NewInvitation, error) {
	p, err := AuthorizePerson(ctx, workspace, MembersManage)
	if err != nil {
		return nil, err
	}
	if email, err = checkEmail("email", email); err != nil {
		return nil, err
	}
	if err := checkGivenRole(role); err != nil {
		return nil, err
	}
	if err := a.countAttempt(ctx, invitationsMade, p.UserID.String()); err != nil {
		return nil, err
	}
	made := &NewInvitation{SetupToken: newSecret(setupPrefix)}
	err = a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		if err := lockAsManager(ctx, tx, workspace, p.UserID); err != nil {
			return err
		}
		if err := replaceInvitation(ctx, tx, workspace, email); err != nil {
			return err
		}
		made.Invitation, err = tx.Invitation.Create().
			SetWorkspaceID(workspace).SetInvitedBy(p.UserID).SetEmail(email).SetRole(invitation.Role(role)).
			SetHash(hashSecret(made.SetupToken)).SetExpiresAt(a.now().Add(setupLifetime)).
			Save(ctx)
		if err != nil {
			return fmt.Errorf("store the invitation: %w", err)
		}
		detail := map[string]any{"email": email, "role": role}
		return Record(ctx, tx, workspace, "invitation.create", made.Invitation.ID.String(), detail)
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// replaceInvitation ends an earlier invitation of the email, and refuses one for
// somebody who is a member already, or one too many.
func replaceInvitation(ctx context.Context, tx *ent.Tx, workspace uuid.UUID, email string) error {
	member, err := tx.Membership.Query().
		Where(membership.WorkspaceID(workspace), membership.HasUserWith(user.Email(email))).Exist(ctx)
	if err != nil {
		return fmt.Errorf("look for the member: %w", err)
	}
	if member {
		return fault.New(fault.Conflict, "%s is a member already", email)
	}
	if err := revokeInvitations(ctx, tx, workspace, invitation.Email(email)); err != nil {
		return err
	}
	kept, err := tx.Invitation.Query().Where(invitation.WorkspaceID(workspace)).Count(ctx)
	if err != nil {
		return fmt.Errorf("count the invitations: %w", err)
	}
	if kept >= maxInvitations {
		return fault.New(fault.Conflict, "there are %d invitations, the most of one workspace; revoke some", kept)
	}
	return nil
}

// RevokeInvitation ends an invitation; its link stops working.
func (a *Accounts) RevokeInvitation(ctx context.Context, id uuid.UUID) error {
	if _, err := requirePerson(ctx); err != nil {
		return err
	}
	reading, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	found, err := a.client.Invitation.Get(reading, id)
	if ent.IsNotFound(err) {
		return fault.Missing("invitation")
	}
	if err != nil {
		return fmt.Errorf("read the invitation: %w", err)
	}
	p, err := AuthorizePerson(ctx, found.WorkspaceID, MembersManage)
	if fault.Is(err, fault.NotFound) {
		return fault.Missing("invitation")
	}
	if err != nil {
		return err
	}
	return a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		if err := lockAsManager(ctx, tx, found.WorkspaceID, p.UserID); err != nil {
			return err
		}
		return revokeInvitations(ctx, tx, found.WorkspaceID, invitation.ID(id))
	})
}

// AcceptInvitation makes the caller a member of the workspace that the token
// invites to. Being signed in under the invited email is not enough: whoever
// gave that account its first link may have chosen its password. Holding the
// token is not enough either, so that a link that was passed on opens nothing.
// AcceptInvitation returns the caller as they are from now on.
func (a *Accounts) AcceptInvitation(ctx context.Context, token string) (*ent.Membership, *Principal, error) {
	p, err := requirePerson(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !isSecretOf(setupPrefix, token) {
		return nil, nil, errLink
	}
	var accepted *ent.Membership
	err = a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		invited, err := a.useInvitation(ctx, tx, token)
		if err != nil {
			return err
		}
		if invited.Email != p.Email {
			return fault.New(fault.Forbidden, "the invitation is for %s; sign in with that email", invited.Email)
		}
		accepted, err = createMembership(ctx, tx, invited, p.UserID)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	p, err = a.PrincipalOf(ctx, p.Email)
	return accepted, p, err
}

// DeclineInvitation ends an invitation for who holds its token.
func (a *Accounts) DeclineInvitation(ctx context.Context, token string) (id uuid.UUID, err error) {
	if !isSecretOf(setupPrefix, token) {
		return id, errLink
	}
	err = a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		declined, err := a.useInvitation(ctx, tx, token)
		if err != nil {
			return err
		}
		id = declined.ID
		return Record(
			ctx, tx, declined.WorkspaceID, "invitation.decline", id.String(), map[string]any{"email": declined.Email},
		)
	})
	return id, err
}

// useInvitation takes the invitation of a token away: of several callers at once
// one gets it.
func (a *Accounts) useInvitation(ctx context.Context, tx *ent.Tx, token string) (*ent.Invitation, error) {
	hash, err := a.invitationHash(ctx, token)
	if err != nil {
		return nil, err
	}
	found, err := tx.Invitation.Query().
		Where(invitation.Hash(hash), invitation.ExpiresAtGT(a.now())).
		ForUpdate().Only(ctx)
	if ent.IsNotFound(err) {
		return nil, errLink
	}
	if err != nil {
		return nil, fmt.Errorf("read the invitation: %w", err)
	}
	if err := tx.Invitation.DeleteOne(found).Exec(ctx); err != nil {
		return nil, fmt.Errorf("use the invitation: %w", err)
	}
	return found, nil
}

// createMembership makes the person a member, as they were invited.
func createMembership(
	ctx context.Context, tx *ent.Tx, invited *ent.Invitation, person uuid.UUID,
) (*ent.Membership, error) {
	role := Role(invited.Role)
	m, err := tx.Membership.Create().SetWorkspaceID(invited.WorkspaceID).SetUserID(person).SetRole(role).Save(ctx)
	if ent.IsConstraintError(err) {
		return nil, fault.New(fault.Conflict, "%s is a member already", invited.Email)
	}
	if err != nil {
		return nil, fmt.Errorf("store the membership: %w", err)
	}
	detail := map[string]any{"email": invited.Email, "role": role, "invitedBy": invited.InvitedBy, "userId": person}
	return m, Record(ctx, tx, invited.WorkspaceID, "invitation.accept", invited.ID.String(), detail)
}
