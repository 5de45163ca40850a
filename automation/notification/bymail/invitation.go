package bymail

import (
	"context"
	"fmt"
	"net/url"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/mail"
)

// Invitation is the purpose of letters that invite somebody to a workspace.
const Invitation = "invitation"

// SendInvitation puts the email of an invitation into the outbox; nothing on a server that sends none.
func (m *Mails) SendInvitation(ctx context.Context, i *ent.Invitation) error {
	if m == nil || m.Sender == nil {
		return nil
	}
	return mail.Add(ctx, m.Pool, mail.Letter{
		Purpose: Invitation, Key: i.ID.String(), WorkspaceID: &i.WorkspaceID, UserID: i.InvitedBy,
	})
}

// writeInvitation makes the message of an invitation that has not ended meanwhile.
func (m *Mails) writeInvitation(ctx context.Context, l mail.Letter) (*mail.Message, error) {
	id, err := uuid.Parse(l.Key)
	if err != nil {
		return nil, fmt.Errorf("the key of a letter: %w", err)
	}
	invited, err := m.Accounts.MailInvitation(ctx, id)
	if err != nil || invited == nil {
		return nil, err
	}
	workspace, by := notification.Clean(invited.WorkspaceName), notification.Clean(invited.InvitedBy)
	message, err := write(words{
		Subject: "Invitation to " + workspace, Title: "Join " + workspace,
		Text: fmt.Sprintf("%s invites you to the workspace %s as %s. The link works once, for seven days from the "+
			"invitation.", by, workspace, invited.Role),
		Link: m.Links.baseURL + "/setup?token=" + url.QueryEscape(invited.SetupToken), Open: "Open invitation",
		Foot: "If you do not know who invites you, ignore this: nothing happens.",
	})
	if err == nil {
		message.To = invited.Email
	}
	return message, err
}
