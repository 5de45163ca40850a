package automation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent/environment"
	"github.com/svc-dev/svc/internal/fault"
)

// SuppressionReason is why an address gets no email.
type SuppressionReason string

// The reasons.
const (
	// Unsubscribed: its owner followed the link of a message.
	Unsubscribed SuppressionReason = "unsubscribed"
	// Bounced: the SMTP server said that there is no such mailbox.
	Bounced SuppressionReason = "bounced"
)

// Suppression is an address that gets no email of the automations of an environment.
type Suppression struct {
	ID uuid.UUID
	// Email is empty where no user has the address any more: addresses themselves are not kept.
	Email  string
	Reason SuppressionReason
	// AppUserID is whose message led there; empty when they were erased.
	AppUserID string
	// Automation is whose message led there; nil when that is not known.
	Automation *Automation
	CreatedAt  time.Time

	key        []byte
	automation *uuid.UUID
}

// SuppressionFilter says which suppressions are meant.
type SuppressionFilter struct {
	App         uuid.UUID
	Environment environment.Kind
	// Email is a whole address; empty means all.
	Email string
}

// SuppressionPlace is where a page of suppressions ends.
type SuppressionPlace struct {
	CreatedAt time.Time
	ID        uuid.UUID
}

const suppressionColumns = `select id, reason, coalesce(app_user_id, ''), created_at, address_key, automation_id
	from mail_suppression `

func scanSuppression(row pgx.CollectableRow) (*Suppression, error) {
	s := &Suppression{}
	return s, row.Scan(&s.ID, &s.Reason, &s.AppUserID, &s.CreatedAt, &s.key, &s.automation)
}

func (a *Automations) ofSuppressions(ctx context.Context, f SuppressionFilter) (scope, error) {
	s, err := a.ofApp(ctx, f.App, f.Environment, account.EngageRead)
	if err != nil {
		return s, err
	}
	return s, account.AuthorizeAlso(ctx, s.workspace, account.CustomersRead, hasAddresses)
}

const hasAddresses = "the answer has addresses of users"

// keyOf returns the key of the address of a filter; nil means all addresses.
func (a *Automations) keyOf(environment int64, email string) []byte {
	if strings.TrimSpace(email) == "" || a.mail == nil {
		return nil
	}
	return a.mail.Links.PersonKey(environment, email)
}

// Suppressions returns at most limit addresses that get no email, the newest first: those behind a place, all without
// one.
func (a *Automations) Suppressions(
	ctx context.Context, f SuppressionFilter, behind *SuppressionPlace, limit int,
) ([]*Suppression, error) {
	s, err := a.ofSuppressions(ctx, f)
	if err != nil {
		return nil, err
	}
	var at *time.Time
	var id uuid.UUID
	if behind != nil {
		at, id = &behind.CreatedAt, behind.ID
	}
	rows, err := a.db.Pool.Query(ctx, suppressionColumns+`
		where environment_id = $1 and ($2::bytea is null or address_key = $2)
			and ($3::timestamptz is null or (created_at, id) < ($3, $4))
		order by created_at desc, id desc limit $5`,
		// Planned with the values: one address is found by its key, a page by its place.
		pgx.QueryExecModeDescribeExec, s.environment, a.keyOf(s.environment, f.Email), at, id, limit)
	if err != nil {
		return nil, fmt.Errorf("read suppressed addresses: %w", err)
	}
	list, err := pgx.CollectRows(rows, scanSuppression)
	if err != nil {
		return nil, fmt.Errorf("read suppressed addresses: %w", err)
	}
	return list, a.nameParts(ctx, s.environment, list, f.Email)
}

// CountSuppressions returns how many Suppressions has.
func (a *Automations) CountSuppressions(ctx context.Context, f SuppressionFilter) (n int, err error) {
	s, err := a.ofSuppressions(ctx, f)
	if err != nil {
		return 0, err
	}
	err = a.db.Pool.QueryRow(ctx, `
		select count(*) from mail_suppression where environment_id = $1 and ($2::bytea is null or address_key = $2)`,
		s.environment, a.keyOf(s.environment, f.Email)).Scan(&n)
	return n, err
}

// nameParts adds the automations, and the addresses: those that the users have who got the messages, where they are
// still the same, and the one that was asked for.
func (a *Automations) nameParts(ctx context.Context, environment int64, list []*Suppression, asked string) error {
	users, ids := make([]string, len(list)), []uuid.UUID{}
	for i, s := range list {
		users[i] = s.AppUserID
		if s.automation != nil {
			ids = append(ids, *s.automation)
		}
	}
	rows, err := a.db.Pool.Query(
		ctx, automationColumns+`where a.environment_id = $1 and a.id = any ($2)`, environment, ids,
	)
	if err != nil {
		return fmt.Errorf("read the automations of suppressed addresses: %w", err)
	}
	automations, err := pgx.CollectRows(rows, scanAutomation)
	if err != nil {
		return fmt.Errorf("read the automations of suppressed addresses: %w", err)
	}
	people, err := readPeople(ctx, a.db.Pool, environment, users)
	if err != nil {
		return fmt.Errorf("read the users of suppressed addresses: %w", err)
	}
	for _, s := range list {
		for _, email := range []string{asked, people[s.AppUserID].Email} {
			if email != "" && bytes.Equal(a.keyOf(environment, email), s.key) {
				s.Email = strings.TrimSpace(email)
			}
		}
		for _, automation := range automations {
			if s.automation != nil && *s.automation == automation.ID {
				s.Automation = automation
			}
		}
	}
	return nil
}

// RemoveSuppression lets an address get email again, and returns what it was. Consent and limits still hold.
func (a *Automations) RemoveSuppression(ctx context.Context, id uuid.UUID) (*Suppression, error) {
	s, err := a.authorize(ctx, "email suppression", account.EngageSend,
		`e.id = (select environment_id from mail_suppression where id = $1)`, id)
	if err != nil {
		return nil, err
	}
	if err := account.AuthorizeAlso(ctx, s.workspace, account.CustomersRead, hasAddresses); err != nil {
		return nil, err
	}
	rows, err := a.db.Pool.Query(ctx, suppressionColumns+`where id = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("read a suppressed address: %w", err)
	}
	removed, err := pgx.CollectExactlyOneRow(rows, scanSuppression)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Missing("email suppression")
	}
	if err != nil {
		return nil, fmt.Errorf("read a suppressed address: %w", err)
	}
	if err := a.nameParts(ctx, s.environment, []*Suppression{removed}, ""); err != nil {
		return nil, err
	}
	detail := map[string]any{"reason": removed.Reason} // no address: the log outlives the person
	return removed, a.change(ctx, s, "email_suppression.remove", id.String(), detail, func(tx pgx.Tx) error {
		n, err := affected(ctx, tx, `delete from mail_suppression where id = $1`, id)
		if err == nil && n == 0 {
			return fault.Missing("email suppression")
		}
		return err
	})
}

// suppressBounced stores that an address has no mailbox, so that nothing is sent there any more.
func (a *Automations) suppressBounced(ctx context.Context, environment int64, l letter, address string) error {
	_, err := a.db.Pool.Exec(ctx, `
		insert into mail_suppression (environment_id, address_key, automation_id, app_user_id, reason)
		values ($1, $2, $3, $4, 'bounced') on conflict (environment_id, address_key) do nothing`,
		environment, a.mail.Links.PersonKey(environment, address), l.AutomationID, l.AppUserID)
	if err != nil {
		return fmt.Errorf("suppress an address that bounced: %w", err)
	}
	return nil
}
