package bymail

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svc-dev/svc/internal/fault"
)

// errLink says that a link does not work: it is unknown, too old, or for an address that the account has no more.
var errLink = fault.Missing("link")

// Subscription is what a link ends: the notifications of a workspace to a member, a scheduled report of an app to them,
// or the email of an app to a person.
type Subscription struct {
	WorkspaceName, Address string
	// AppName is set where a person follows the link. Who that is is not said.
	AppName string
	// Report tells that it is a scheduled report of the app to Address.
	Report bool
}

// Subscription looks up what a token unsubscribes from, without doing it.
func (m *Mails) Subscription(ctx context.Context, token string) (*Subscription, error) {
	s := &Subscription{}
	if person, ok := m.personOf(token); ok {
		return s, m.readApp(ctx, person, s)
	}
	if report, ok := m.reportOf(token); ok {
		return s, m.readReport(ctx, report, s)
	}
	workspace, user, err := m.unsubscribes(token)
	if err != nil {
		return nil, err
	}
	err = m.Pool.QueryRow(ctx, `
		select w.name, u.email from memberships m join workspaces w on w.id = m.workspace_id join users u on u.id = m.user_id
		where m.workspace_id = $1 and m.user_id = $2`, workspace, user).Scan(&s.WorkspaceName, &s.Address)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errLink
	}
	if err != nil {
		return nil, fmt.Errorf("look a subscription up: %w", err)
	}
	return s, nil
}

func (m *Mails) unsubscribes(token string) (workspace, user uuid.UUID, err error) {
	says, ok := m.Links.says(token, "unsubscribe", 32, nothing)
	if !ok {
		return workspace, user, errLink
	}
	return uuid.UUID(says[:16]), uuid.UUID(says[16:]), nil
}

// Unsubscribe ends the emails of a workspace to a member, until they choose some again, or those of the environment of
// an app to a person. What waits is not sent.
func (m *Mails) Unsubscribe(ctx context.Context, token string) error {
	if person, ok := m.personOf(token); ok {
		return m.suppress(ctx, person)
	}
	if report, ok := m.reportOf(token); ok {
		return m.endReport(ctx, report)
	}
	workspace, user, err := m.unsubscribes(token)
	if err != nil {
		return err
	}
	tag, err := m.Pool.Exec(ctx, `
		insert into notification_mail (workspace_id, user_id, kinds)
		select workspace_id, user_id, '{}' from memberships where workspace_id = $1 and user_id = $2
		on conflict (workspace_id, user_id) do update set kinds = '{}'`, workspace, user)
	if err != nil {
		return fmt.Errorf("end the emails to a member: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errLink
	}
	return nil
}

// ConfirmedAddress looks up which address a token confirms, without doing it.
func (m *Mails) ConfirmedAddress(ctx context.Context, token string) (address string, err error) {
	says, ok := m.Links.says(token, "confirm", 24, func(says []byte) (string, bool) {
		err = m.Pool.QueryRow(ctx, `select email from users where id = $1`, uuid.UUID(says[:16])).Scan(&address)
		return address, err == nil
	})
	switch {
	case err != nil && !errors.Is(err, pgx.ErrNoRows):
		return "", fmt.Errorf("read the address of an account: %w", err)
	case !ok || time.Now().Unix() > int64(binary.BigEndian.Uint64(says[16:])): //nolint:gosec // signed by us
		return "", errLink
	}
	return address, nil
}

// Confirm stores that the address of an account is its owner's, who followed a link that was sent there.
func (m *Mails) Confirm(ctx context.Context, token string) error {
	address, err := m.ConfirmedAddress(ctx, token)
	if err != nil {
		return err
	}
	_, err = m.Pool.Exec(ctx, `
		insert into mail_address (user_id, address) select id, email from users where email = $1
		on conflict (user_id) do update set address = excluded.address, confirmed_at = now()
			where mail_address.address <> excluded.address`, address)
	if err != nil {
		return fmt.Errorf("confirm the address of an account: %w", err)
	}
	return nil
}
