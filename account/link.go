package account

import (
	"context"
	"fmt"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/invitation"
	"github.com/svc-dev/svc/ent/setuptoken"
	"github.com/svc-dev/svc/ent/user"
	"github.com/svc-dev/svc/internal/fault"
)

// SetupLink is what a set-up link is for.
type SetupLink struct {
	// FirstAdministrator tells that its holder chooses an e-mail and makes the
	// first workspace. The other members are empty then.
	FirstAdministrator bool
	// Email is whom the link invites; HasAccount tells that they sign in to accept.
	Email      string
	HasAccount bool
	// WorkspaceName and Role are what they enter, InvitedBy who invited them: a
	// name, or an e-mail.
	WorkspaceName string
	Role          Role
	InvitedBy     string
}

// SetupLink looks a set-up token up without using it. A token that is unknown,
// used or expired is not_found.
func (a *Accounts) SetupLink(ctx context.Context, token string) (*SetupLink, error) {
	if !isSecretOf(setupPrefix, token) {
		return nil, fault.Missing("set-up link")
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	first, err := a.client.SetupToken.Query().
		Where(setuptoken.Hash(hashSecret(token)), setuptoken.ExpiresAtGT(a.now())).Exist(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the set-up token: %w", err)
	}
	if first {
		return &SetupLink{FirstAdministrator: true}, nil
	}
	hash, err := a.invitationHash(ctx, token)
	if err != nil {
		return nil, err
	}
	invited, err := a.client.Invitation.Query().
		Where(invitation.Hash(hash), invitation.ExpiresAtGT(a.now())).
		WithWorkspace().WithInviter().Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("set-up link")
	}
	if err != nil {
		return nil, fmt.Errorf("read the invitation: %w", err)
	}
	known, err := a.client.User.Query().Where(user.Email(invited.Email)).Exist(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for the account: %w", err)
	}
	inviter := invited.Edges.Inviter.Name
	if inviter == "" {
		inviter = invited.Edges.Inviter.Email
	}
	return &SetupLink{
		Email: invited.Email, HasAccount: known,
		WorkspaceName: invited.Edges.Workspace.Name, Role: Role(invited.Role), InvitedBy: inviter,
	}, nil
}
