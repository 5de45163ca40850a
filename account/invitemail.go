package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// InvitationMail is what the email of an invitation says.
type InvitationMail struct {
	Email string
	// WorkspaceName and InvitedBy are texts of people.
	WorkspaceName, InvitedBy string
	Role                     Role
	// SetupToken opens the invitation, as the one that the inviter has.
	SetupToken string
}

// MailInvitation makes the token of the email of an invitation; an earlier email's ends. It is made when the email is
// sent, so that no token waits in the database. Nil means that the invitation has ended.
func (a *Accounts) MailInvitation(ctx context.Context, id uuid.UUID) (*InvitationMail, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	m := &InvitationMail{SetupToken: newSecret(setupPrefix)}
	err := a.pool.QueryRow(ctx, `
		with mailed as (
			insert into invitation_mail (invitation_id, hash)
			select id, $2 from invitations where id = $1 and expires_at > $3
			on conflict (invitation_id) do update set hash = excluded.hash returning invitation_id)
		select i.email, w.name, coalesce(nullif(u.name, ''), u.email), i.role
		from mailed join invitations i on i.id = mailed.invitation_id
		join workspaces w on w.id = i.workspace_id join users u on u.id = i.invited_by`,
		id, hashSecret(m.SetupToken), a.now()).Scan(&m.Email, &m.WorkspaceName, &m.InvitedBy, &m.Role)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("make the link of an invitation's email: %w", err)
	}
	return m, nil
}

// invitationHash returns the hash that an invitation is stored under, of the inviter's token or of the email's.
func (a *Accounts) invitationHash(ctx context.Context, token string) (hash []byte, err error) {
	hash = hashSecret(token)
	err = a.pool.QueryRow(ctx, `
		select i.hash from invitation_mail m join invitations i on i.id = m.invitation_id where m.hash = $1`, hash,
	).Scan(&hash)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("look for the email of an invitation: %w", err)
	}
	return hash, nil
}
