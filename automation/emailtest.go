package automation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/mail"
)

var errNoMail = fault.New(fault.Conflict,
	"this server sends no email: its operator has to set smtp_host and mail_from")

// example is an email in a test run: as it would be sent, without a link that unsubscribes.
func (m *Email) example(f *Facts, app string) json.RawMessage {
	e, fits := m.render(f, app, "")
	shown := map[string]any{"email": e.To, "subject": e.Subject, "preheader": e.Preheader, "text": e.Text, "html": e.HTML}
	if !fits {
		shown = map[string]any{"email": e.To, "problem": reasonTooLarge}
	}
	text, _ := json.Marshal(shown) // texts alone
	return text
}

func (a *Automations) appName(ctx context.Context, environment int64) (name string, err error) {
	err = a.db.Pool.QueryRow(ctx, `
		select p.name from environments e join apps p on p.id = e.app_id where e.id = $1`, environment).Scan(&name)
	if err != nil {
		return "", fmt.Errorf("read the app: %w", err)
	}
	return name, nil
}

// draftEmail renders an email of the draft for a person, or with nothing known for the empty id.
func (a *Automations) draftEmail(
	ctx context.Context, id uuid.UUID, node, appUserID string, capability account.Capability,
) (e RenderedEmail, app string, err error) {
	s, err := a.ofAutomation(ctx, id, capability)
	if err != nil {
		return e, "", err
	}
	f := &Facts{}
	if appUserID != "" {
		if err := account.AuthorizeAlso(
			ctx, s.workspace, account.CustomersRead, "the email shows what is known of a user",
		); err != nil {
			return e, "", err
		}
		people, err := readPeople(ctx, a.db.Pool, s.environment, []string{appUserID})
		if err != nil {
			return e, "", fmt.Errorf("read the person: %w", err)
		}
		f.Person = people[appUserID]
		f.Person.AppUserID = appUserID
	}
	found, err := read(ctx, a.db.Pool, id)
	if err != nil {
		return e, "", err
	}
	definition, _ := Parse(found.Draft)
	if definition == nil || definition.nodes[node] == nil || definition.nodes[node].Email == nil {
		return e, "", fault.Invalid("node", "is not an email of the draft")
	}
	if definition.nodes[node].Email.html == nil {
		return e, "", fault.Invalid("node", "is an email with problems")
	}
	if app, err = a.appName(ctx, s.environment); err != nil {
		return e, "", err
	}
	e, fits := definition.nodes[node].Email.render(f, app, "")
	if !fits {
		return e, "", fault.Invalid("node", "is an email that gets longer than one may be")
	}
	return e, app, nil
}

// PreviewEmail renders an email of the draft for a person, or with nothing known for the empty id. Nothing is sent.
func (a *Automations) PreviewEmail(ctx context.Context, id uuid.UUID, node, appUserID string) (*RenderedEmail, error) {
	e, _, err := a.draftEmail(ctx, id, node, appUserID, account.EngageRead)
	if err != nil {
		return nil, err
	}
	return &e, nil
}

// TestedEmail is the result of a test message.
type TestedEmail struct {
	// To is the address of the member who asked.
	To       string
	Accepted bool
	// Reason says why it was not accepted.
	Reason string
}

// SendTestEmail sends an email of the draft, as it is for a person, to who makes the request: to the confirmed address
// of their account, and nowhere else.
func (a *Automations) SendTestEmail(
	ctx context.Context, id uuid.UUID, node, appUserID string,
) (*TestedEmail, error) {
	e, app, err := a.draftEmail(ctx, id, node, appUserID, account.EngageManage)
	if err != nil {
		return nil, err
	}
	if err := account.RequirePerson(ctx); err != nil {
		return nil, err
	}
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	if a.mail == nil {
		return nil, errNoMail
	}
	tested := &TestedEmail{}
	err = a.db.Pool.QueryRow(ctx, `
		select u.email from users u join mail_address a on a.user_id = u.id and a.address = u.email where u.id = $1`,
		p.UserID).Scan(&tested.To)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.Conflict, "confirm the address of your account first, in Settings → Notifications")
	}
	if err != nil {
		return nil, fmt.Errorf("read the address of an account: %w", err)
	}
	if err := a.mail.CountTest(ctx, p.UserID); err != nil {
		return nil, err
	}
	e.To, e.Subject = tested.To, "[Test] "+e.Subject
	err = a.mail.Sender.Send(ctx, e.message(uuid.New(), app, ""))
	var failure *mail.Failure
	switch {
	case errors.As(err, &failure):
		tested.Reason = failure.Reason
	case err != nil:
		return nil, fmt.Errorf("send a test email: %w", err)
	default:
		tested.Accepted = true
	}
	return tested, nil
}
