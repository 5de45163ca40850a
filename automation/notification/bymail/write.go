package bymail

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	texttemplate "text/template"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/mail"
)

// Purposes of letters.
const (
	Notice       = "notification" // also in post.sql
	Confirmation = "confirmation"
)

// Writers make the messages of letters of this package.
func (m *Mails) Writers() map[string]mail.Writer {
	return map[string]mail.Writer{
		Notice: m.writeNotice, Confirmation: m.writeConfirmation, Invitation: m.writeInvitation, Reset: m.writeReset,
	}
}

// words are what a message says.
type words struct {
	Subject, Title, Text string
	// Severity colors a notification; Workspace is where it comes from.
	Severity  notification.Severity
	Workspace string
	// Link leads on, under the name Open.
	Link, Open string
	// Foot says why somebody gets the message.
	Foot string
	// Settings and Unsubscribe are where such messages are chosen and ended; empty where they can't be.
	Settings, Unsubscribe string
}

//go:embed message.html
var htmlSource string

//go:embed message.txt
var textSource string

var (
	htmlWords = template.Must(template.New("html").Parse(htmlSource))
	textWords = texttemplate.Must(texttemplate.New("text").Parse(textSource))
)

// write makes both parts of a message.
func write(w words) (*mail.Message, error) {
	var html, text bytes.Buffer
	if err := htmlWords.Execute(&html, w); err != nil {
		return nil, fmt.Errorf("write a message: %w", err)
	}
	if err := textWords.Execute(&text, w); err != nil {
		return nil, fmt.Errorf("write a message: %w", err)
	}
	return &mail.Message{Subject: w.Subject, Text: text.String(), HTML: html.String(), Unsubscribe: w.Unsubscribe}, nil
}

// writeNotice makes the message of a notification, or none when its member must not, or does not want to, get it any
// more.
func (m *Mails) writeNotice(ctx context.Context, l mail.Letter) (*mail.Message, error) {
	id, err := uuid.Parse(strings.Split(l.Key, " ")[0])
	if err != nil {
		return nil, fmt.Errorf("the key of a letter: %w", err)
	}
	var n notification.Notification
	var address, workspace string
	var role account.Role
	var kinds []notification.Kind
	var chosen bool
	err = m.Pool.QueryRow(ctx, `
		select n.workspace_id, n.kind, n.severity, n.title, n.body, n.about, u.email, w.name, m.role,
			c.user_id is not null, c.kinds
		from notification n
		join workspaces w on w.id = n.workspace_id
		join memberships m on m.workspace_id = n.workspace_id and m.user_id = $2
		join users u on u.id = m.user_id
		join mail_address a on a.user_id = u.id and a.address = u.email
		left join notification_mail c on c.workspace_id = n.workspace_id and c.user_id = m.user_id
		where n.id = $1`, id, l.UserID).Scan(
		&n.WorkspaceID, &n.Kind, &n.Severity, &n.Title, &n.Text, &n.About, &address, &workspace, &role, &chosen, &kinds)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a notification: %w", err)
	}
	if !chosen {
		kinds = notification.Alarms()
	}
	if !notification.SeenBy(role, n.Kind) || !slices.Contains(kinds, n.Kind) {
		return nil, nil
	}
	w := m.noticeWords(n, workspace)
	w.Unsubscribe = m.Links.unsubscribe(n.WorkspaceID, l.UserID)
	message, err := write(w)
	if err == nil {
		message.To = address
	}
	return message, err
}

func (m *Mails) noticeWords(n notification.Notification, workspace string) words {
	workspace = notification.Clean(workspace)
	w := words{
		Subject: n.Title + " · " + workspace, Title: n.Title, Text: n.Text, Severity: n.Severity, Workspace: workspace,
		Link: m.Links.baseURL + "/", Open: "Open Svc",
		Foot: "You get this because such notifications of the workspace come to you by email.",
	}
	if n.About.AppID == nil {
		return w
	}
	live := "live"
	if n.About.Environment != nil {
		live = string(*n.About.Environment)
	}
	place := m.Links.baseURL + "/apps/" + n.About.AppID.String() + "/" + url.PathEscape(live)
	w.Link, w.Open = place, "Open app"
	w.Settings = place + "/settings?tab=notifications"
	switch {
	case n.About.ChannelID != nil:
		w.Link, w.Open = place+"/channels?channel="+url.QueryEscape(*n.About.ChannelID), "Open channel"
	case n.About.ExperimentID != nil:
		w.Link, w.Open = place+"/experiments/"+n.About.ExperimentID.String(), "Open experiment"
	case n.About.FlowID != nil:
		w.Link, w.Open = place+"/flows/"+n.About.FlowID.String()+"/edit", "Open flow"
	case n.About.AlertID != nil:
		w.Link, w.Open = place+"/alerts?alert="+n.About.AlertID.String(), "Open alert"
	}
	return w
}

// writeConfirmation makes the message whose link confirms the address of an account.
func (m *Mails) writeConfirmation(ctx context.Context, l mail.Letter) (*mail.Message, error) {
	if time.Since(l.CreatedAt) > lifetime {
		return nil, nil
	}
	var address string
	err := m.Pool.QueryRow(ctx, `select email from users where id = $1`, l.UserID).Scan(&address)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the address of an account: %w", err)
	}
	message, err := write(confirmationWords(m.Links.confirm(l.UserID, address, l.CreatedAt)))
	if err == nil {
		message.To = address
	}
	return message, err
}

func confirmationWords(link string) words {
	return words{
		Subject: "Confirm your email address", Title: "Confirm your email address",
		Text: "Notifications by email start once the address is confirmed. The link works for a day.",
		Link: link, Open: "Confirm address",
		Foot: "If you did not ask for this, ignore it: nothing more is sent.",
	}
}

func testWords(baseURL string) words {
	return words{
		Subject: "Test message", Title: "Email works",
		Text: "The SMTP server of your Svc takes messages, and this one has arrived.",
		Link: baseURL + "/", Open: "Open Svc",
		Foot: "Someone signed in with this address asked for a test message.",
	}
}
