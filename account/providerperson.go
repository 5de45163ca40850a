package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/apikey"
	"github.com/svc-dev/svc/ent/invitation"
	"github.com/svc-dev/svc/ent/user"
	"github.com/svc-dev/svc/internal/fault"
)

// noPassword is what stands for the password of who has none: it is of no form that a password matches.
const noPassword = "none"

// enterByProvider returns the account of who the provider says signed in, with the memberships that their claim gives.
func (a *Accounts) enterByProvider(ctx context.Context, said *claims) (person *ent.User, err error) {
	roles := a.provider.rolesOf(said.Values)
	err = a.change(ctx, func(ctx context.Context, tx *ent.Tx) error {
		if person, err = a.personOf(ctx, tx, said, len(roles) > 0); err != nil {
			return err
		}
		return a.provider.applyRoles(With(ctx, principalOf(person)), tx, a, person, roles)
	})
	return person, err
}

// personOf returns the account that is linked to the provider's, else links or makes one. An account that exists is
// linked by who is signed in to it only: its password may be somebody else's than the email's owner.
func (a *Accounts) personOf(ctx context.Context, tx *ent.Tx, said *claims, admitted bool) (*ent.User, error) {
	linked, err := linkedUser(ctx, tx, said)
	if err != nil {
		return nil, err
	}
	if linked != "" {
		return tx.User.Query().Where(user.Email(linked)).Only(ctx)
	}
	person, err := tx.User.Query().Where(user.Email(said.Email)).Only(ctx)
	switch {
	case ent.IsNotFound(err) && !admitted:
		return nil, fault.New(fault.Forbidden, "nobody invited %s", said.Email)
	case ent.IsNotFound(err):
		if person, err = createUser(ctx, tx, said.Email, said.Name, noPassword); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, fmt.Errorf("read the user: %w", err)
	default:
		if p, err := From(ctx); err != nil || p.UserID != person.ID || p.KeyID != nil {
			return nil, fault.New(fault.Conflict, "sign in with the password once, then by the provider")
		}
	}
	_, err = tx.ExecContext(ctx, `
		insert into user_identity (issuer, subject, user_id) values ($1, $2, $3)`, said.Issuer, said.Subject, person.ID)
	if err != nil {
		// The email was given to somebody else at the provider: that is no right to the account of before.
		return nil, fault.Wrap(err, fault.Forbidden, "the account belongs to another one of the provider")
	}
	return person, nil
}

// linkedUser returns the email of the account that is linked to the provider's; empty when none is.
func linkedUser(ctx context.Context, tx *ent.Tx, said *claims) (email string, err error) {
	rows, err := tx.QueryContext(ctx, `
		select u.email from user_identity i join users u on u.id = i.user_id
		where i.issuer = $1 and i.subject = $2`, said.Issuer, said.Subject)
	if err != nil {
		return "", fmt.Errorf("look for the account: %w", err)
	}
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&email)
	}
	return email, errors.Join(err, rows.Err())
}

// rolesOf returns the strongest role in each workspace that the values give.
func (p *Provider) rolesOf(values []string) map[uuid.UUID]Role {
	strength := map[Role]int{Viewer: 1, Editor: 2, Admin: 3}
	roles := map[uuid.UUID]Role{}
	for _, given := range p.Roles {
		for _, value := range values {
			if value == given.Value && strength[given.Role] > strength[roles[given.Workspace]] {
				roles[given.Workspace] = given.Role
			}
		}
	}
	return roles
}

// applyRoles makes the person a member, with the role that the claim gives, of the workspaces that the settings name,
// and of none of them that it does not give. Owners stay what they are.
func (p *Provider) applyRoles(
	ctx context.Context, tx *ent.Tx, a *Accounts, person *ent.User, roles map[uuid.UUID]Role,
) error {
	named := map[uuid.UUID]bool{}
	for _, given := range p.Roles {
		if named[given.Workspace] {
			continue
		}
		named[given.Workspace] = true
		if err := a.applyRole(ctx, tx, person, given.Workspace, roles[given.Workspace]); err != nil {
			return err
		}
	}
	return nil
}

// applyRole gives a role in a workspace; none takes the membership away.
func (a *Accounts) applyRole(ctx context.Context, tx *ent.Tx, person *ent.User, workspace uuid.UUID, role Role) error {
	if _, err := tx.ExecContext(ctx, `select from workspaces where id = $1 for no key update`, workspace); err != nil {
		return fmt.Errorf("lock the workspace: %w", err)
	}
	known, err := tx.Workspace.Get(ctx, workspace)
	if ent.IsNotFound(err) {
		a.logger.WarnContext(ctx, "oidc_roles names a workspace that is not there", "workspace", workspace)
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the workspace: %w", err)
	}
	m, err := findMembership(ctx, tx.Membership, known.ID, person.ID)
	member := err == nil
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	detail := map[string]any{"to": role, "by": "provider"}
	if member {
		detail["from"] = m.Role
	}
	switch {
	case member && (m.Role == Owner || m.Role == role), !member && role == "":
		return nil
	case !member:
		err = tx.Membership.Create().SetWorkspaceID(workspace).SetUserID(person.ID).SetRole(role).Exec(ctx)
	case role == "":
		if err := a.endMembership(ctx, tx, m); err != nil {
			return err
		}
		removed := map[string]any{"role": m.Role, "by": "provider"}
		return Record(ctx, tx, workspace, "member.remove", person.ID.String(), removed)
	default:
		err = tx.Membership.UpdateOne(m).SetRole(role).Exec(ctx)
		if err == nil && !Allows(role, MembersManage) {
			err = revokeInvitations(ctx, tx, workspace, invitation.InvitedBy(person.ID))
		}
	}
	if err != nil {
		return fmt.Errorf("store the role: %w", err)
	}
	return Record(ctx, tx, workspace, "member.role", person.ID.String(), detail)
}

// endMembership takes a member out of a workspace, with their API keys and invitations.
func (a *Accounts) endMembership(ctx context.Context, tx *ent.Tx, m *ent.Membership) error {
	if err := tx.Membership.DeleteOne(m).Exec(ctx); err != nil {
		return fmt.Errorf("remove the membership: %w", err)
	}
	err := tx.APIKey.Update().
		Where(apikey.WorkspaceID(m.WorkspaceID), apikey.UserID(m.UserID), apikey.RevokedAtIsNil()).
		SetRevokedAt(a.now()).Exec(ctx)
	if err != nil {
		return fmt.Errorf("revoke the member's API keys: %w", err)
	}
	return revokeInvitations(ctx, tx, m.WorkspaceID, invitation.InvitedBy(m.UserID))
}
