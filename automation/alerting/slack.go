package alerting

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svc-dev/svc/analytics/alert"
	"github.com/svc-dev/svc/automation/notification"
	"github.com/svc-dev/svc/automation/scheduledreport"
	"github.com/svc-dev/svc/automation/slack"
	"github.com/svc-dev/svc/mail"
)

// bySlack is the purpose of letters to Slack. Their keys are those of the notifications that they tell.
const bySlack = "alert slack"

// addToSlack puts what a notification tells into the outbox, in the transaction that posts it.
func addToSlack(ctx context.Context, tx pgx.Tx, n notification.Notification) error {
	_, err := tx.Exec(ctx, `
		insert into mail_outbox (id, purpose, key, workspace_id) values (gen_random_uuid(), $1, $2, $3)
		on conflict (purpose, key) do nothing`, bySlack, n.Key, n.WorkspaceID)
	if err != nil {
		return fmt.Errorf("put a message to Slack into the outbox: %w", err)
	}
	return nil
}

// Start encrypts URLs with the current key that are not.
func (a *Alerting) Start(ctx context.Context) error {
	_, err := a.Ring.Anew(ctx, a.Pool, "alerts")
	return err
}

// Carriers post to Slack what alerts tell.
func (a *Alerting) Carriers() map[string]mail.Carrier {
	return map[string]mail.Carrier{bySlack: a.carry}
}

// carry makes one attempt to post what a letter is of, while its alert posts to Slack and the notification is kept.
func (a *Alerting) carry(ctx context.Context, l mail.Letter) error {
	name, _, _ := strings.Cut(l.Key, " ")
	id, err := uuid.Parse(name)
	if err != nil {
		return fmt.Errorf("the key of a letter: %w", err)
	}
	var n notification.Notification
	var secret slack.Secret
	var rule alert.Rule
	err = a.Pool.QueryRow(ctx, `
		select n.title, n.body, n.severity, n.about, l.key_id, l.sealed, l.rule
		from alerts l
		join environments e on e.id = l.environment_id
		join apps a on a.id = e.app_id and a.archived_at is null
		join notification n on n.workspace_id = a.workspace_id and n.kind = $2 and n.key = $3
		where l.id = $1 and l.key_id is not null`, id, notification.Alert, l.Key).
		Scan(&n.Title, &n.Text, &n.Severity, &n.About, &secret.KeyID, &secret.Sealed, &rule)
	if errors.Is(err, pgx.ErrNoRows) {
		return mail.ErrUnwanted
	}
	if err != nil {
		return fmt.Errorf("read what an alert tells: %w", err)
	}
	return slack.Deliver(ctx, a.Poster, a.Ring, id, secret, a.message(n, &rule))
}

// message says in Slack what a notification of an alert tells.
func (a *Alerting) message(n notification.Notification, rule *alert.Rule) slack.Message {
	place := a.BaseURL + "/apps/" + n.About.AppID.String() + "/" + string(*n.About.Environment)
	mark := "\U0001F534 " // a red circle
	if n.Severity == notification.Info {
		mark = "\u2705 " // a check mark
	}
	return slack.Message{Text: n.Title, Blocks: []slack.Block{
		slack.Header(mark + n.Title),
		slack.Paragraph(slack.Span{Text: n.Text}),
		slack.Paragraph(
			slack.Span{Text: "Open report", Link: place + reportOf(rule)}, slack.Span{Text: " · "},
			slack.Span{Text: "Open alert", Link: place + "/alerts?alert=" + n.About.AlertID.String()}),
	}}
}

// Deliveries returns what became of the latest message to Slack of each alert, of those that have one.
func Deliveries(
	ctx context.Context, pool *pgxpool.Pool, alerts []uuid.UUID,
) (map[uuid.UUID]*scheduledreport.Delivery, error) {
	rows, err := pool.Query(ctx, `
		select l.id, o.state, o.error, coalesce(o.finished_at, o.created_at)
		from unnest($1::uuid[]) l (id)
		join lateral (
			select state, error, finished_at, created_at from mail_outbox
			where purpose = $2 and key >= l.id::text and key < l.id::text || '~'
			order by created_at desc limit 1) o on true`, alerts, bySlack)
	if err != nil {
		return nil, fmt.Errorf("read what became of messages to Slack: %w", err)
	}
	found := make(map[uuid.UUID]*scheduledreport.Delivery, len(alerts))
	for _, id := range alerts {
		found[id] = nil
	}
	var id uuid.UUID
	var d scheduledreport.Delivery
	_, err = pgx.ForEachRow(rows, []any{&id, &d.State, &d.Reason, &d.At}, func() error {
		latest := d
		found[id] = &latest
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what became of messages to Slack: %w", err)
	}
	return found, nil
}
