package bymail

import (
	"context"
	"log/slog"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/mail"
)

// Reset is the purpose of letters with a link that sets a new password.
const Reset = "password_reset"

// sendTime bounds how long a letter is put into the outbox after its request was answered.
const sendTime = 10 * time.Second

// Sends tells whether the server sends email.
func (m *Mails) Sends() bool { return m != nil && m.Sender != nil }

// SendPasswordReset puts a link that sets a new password into the outbox; nothing on a server that sends none. It
// returns at once: how long an answer takes must not tell who has an account.
func (m *Mails) SendPasswordReset(ctx context.Context, person uuid.UUID) {
	if !m.Sends() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	go func() {
		defer cancel()
		letter := mail.Letter{Purpose: Reset, Key: person.String() + "/" + uuid.NewString(), UserID: person}
		if err := mail.Add(ctx, m.Pool, letter); err != nil {
			slog.ErrorContext(ctx, "a link that sets a new password is not sent", "error", err)
		}
	}()
}

// writeReset makes the message of a link that is still waited for.
func (m *Mails) writeReset(ctx context.Context, l mail.Letter) (*mail.Message, error) {
	if time.Since(l.CreatedAt) > account.ResetLifetime {
		return nil, nil
	}
	made, err := m.Accounts.MailPasswordReset(ctx, l.UserID)
	if err != nil || made == nil {
		return nil, err
	}
	message, err := write(words{
		Subject: "Set a new password", Title: "Set a new password",
		Text: "Somebody, probably you, asked for a new password of this account. The link works once, for an hour; it " +
			"signs the account out everywhere.",
		Link: m.Links.baseURL + "/reset-password?token=" + url.QueryEscape(made.Token), Open: "Set password",
		Foot: "If you did not ask for it, ignore this: nothing happens.",
	})
	if err == nil {
		message.To = made.Email
	}
	return message, err
}
