package bymail

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/mail"
)

// Mails are the use cases of this package.
type Mails struct {
	Pool     *pgxpool.Pool
	Accounts *account.Accounts
	Links    *Links
	// Sender is nil on a server that sends no email.
	Sender mail.Taker
}

// Choice is which notifications of a workspace a member gets by email.
type Choice struct {
	// Sends tells whether the server sends email at all.
	Sends bool
	// Address is that of the member's account; nothing is sent there until it is Confirmed.
	Address   string
	Confirmed bool
	// Kinds are those that come by email, of those that the member may see.
	Kinds []notification.Kind
	// Default tells that the member has chosen nothing.
	Default bool
}

// Read returns the choice of who makes the request.
func (m *Mails) Read(ctx context.Context, workspace uuid.UUID) (*Choice, error) {
	p, visible, err := notification.Visible(ctx, workspace)
	if err != nil {
		return nil, err
	}
	c := &Choice{Sends: m.Sender != nil}
	var kinds []notification.Kind
	err = m.Pool.QueryRow(ctx, `
		select u.email, a.user_id is not null, c.user_id is null, c.kinds from users u
		left join mail_address a on a.user_id = u.id and a.address = u.email
		left join notification_mail c on c.user_id = u.id and c.workspace_id = $2
		where u.id = $1`, p.UserID, workspace).Scan(&c.Address, &c.Confirmed, &c.Default, &kinds)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Missing("user")
	}
	if err != nil {
		return nil, fmt.Errorf("read which notifications come by email: %w", err)
	}
	if c.Default {
		kinds = notification.Alarms()
	}
	c.Kinds = []notification.Kind{}
	for _, kind := range visible {
		if slices.Contains(kinds, kind) {
			c.Kinds = append(c.Kinds, kind)
		}
	}
	return c, nil
}

// Choose stores which notifications come by email to who makes the request. Kinds that their key does not let them see
// stay as they were.
func (m *Mails) Choose(ctx context.Context, workspace uuid.UUID, kinds []notification.Kind) (*Choice, error) {
	p, visible, err := notification.Visible(ctx, workspace)
	if err != nil {
		return nil, err
	}
	for _, kind := range kinds {
		if !slices.Contains(visible, kind) {
			return nil, fault.Invalid("kinds", "%s needs a right that you lack", kind)
		}
	}
	tag, err := m.Pool.Exec(ctx, `
		insert into notification_mail (workspace_id, user_id, kinds)
		select m.workspace_id, m.user_id, array(select distinct unnest($3::text[] || array(
				select k from unnest($5::text[]) k where k <> all($4::text[]))))
		from memberships m where m.workspace_id = $1 and m.user_id = $2
		on conflict (workspace_id, user_id) do update set kinds = array(select distinct unnest($3::text[] || array(
			select k from unnest(notification_mail.kinds) k where k <> all($4::text[]))))`,
		workspace, p.UserID, kinds, visible, notification.Alarms())
	if err != nil {
		return nil, fmt.Errorf("store which notifications come by email: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return nil, fault.Missing("workspace")
	}
	return m.Read(ctx, workspace)
}

// ErrNoSender says that the server has no settings of email.
var ErrNoSender = fault.New(fault.Conflict,
	"this server sends no email: its operator has to set smtp_host and mail_from")

// AskToConfirm sends who makes the request a link that confirms the address of their account.
func (m *Mails) AskToConfirm(ctx context.Context) error {
	if err := account.RequirePerson(ctx); err != nil {
		return err
	}
	p, err := account.From(ctx)
	if err != nil {
		return err
	}
	if m.Sender == nil {
		return ErrNoSender
	}
	if err := m.Accounts.CountMail(ctx, p.UserID); err != nil {
		return err
	}
	return mail.Add(ctx, m.Pool, mail.Letter{Purpose: Confirmation, Key: uuid.NewString(), UserID: p.UserID})
}

// Tested is the result of a test message.
type Tested struct {
	Accepted bool
	// Reason says why it was not accepted.
	Reason string
}

// Test sends who makes the request a message at once. It takes the right to manage the workspace.
func (m *Mails) Test(ctx context.Context, workspace uuid.UUID) (*Tested, error) {
	p, err := account.AuthorizePerson(ctx, workspace, account.WorkspaceManage)
	if err != nil {
		return nil, err
	}
	if m.Sender == nil {
		return nil, ErrNoSender
	}
	if err := m.Accounts.CountMail(ctx, p.UserID); err != nil {
		return nil, err
	}
	message, err := write(testWords(m.Links.baseURL))
	if err != nil {
		return nil, err
	}
	message.ID, message.To = uuid.NewString(), p.Email
	err = m.Sender.Send(ctx, *message)
	var failure *mail.Failure
	switch {
	case errors.As(err, &failure):
		return &Tested{Reason: failure.Reason}, nil
	case err != nil:
		return nil, fmt.Errorf("send a test message: %w", err)
	}
	return &Tested{Accepted: true}, nil
}
