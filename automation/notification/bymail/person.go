package bymail

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// person is whose email a token ends.
type person struct {
	environment int64
	message     uuid.UUID
	key         []byte
}

func (m *Mails) personOf(token string) (person, bool) {
	says, ok := m.Links.says(token, "unsubscribe person", personSays, nothing)
	if !ok {
		return person{}, false
	}
	environment := int64(binary.BigEndian.Uint64(says)) //nolint:gosec // signed by us
	return person{environment, uuid.UUID(says[8:24]), says[24:]}, true
}

func (m *Mails) readApp(ctx context.Context, p person, s *Subscription) error {
	err := m.Pool.QueryRow(ctx, `
		select a.name from environments e join apps a on a.id = e.app_id where e.id = $1`, p.environment).Scan(&s.AppName)
	if errors.Is(err, pgx.ErrNoRows) {
		return errLink
	}
	if err != nil {
		return fmt.Errorf("look a subscription up: %w", err)
	}
	return nil
}

// suppress ends the email of automations to an address. What the app says of consent later does not undo it.
func (m *Mails) suppress(ctx context.Context, p person) error {
	_, err := m.Pool.Exec(ctx, `
		with left_by as (
			update automation_mail set unsubscribed_at = coalesce(unsubscribed_at, now())
			where environment_id = $1 and id = $2 returning automation_id, app_user_id)
		insert into mail_suppression (environment_id, address_key, automation_id, app_user_id)
		select $1, $3, (select automation_id from left_by), (select app_user_id from left_by)
		where exists (select from environments where id = $1)
		on conflict do nothing`, p.environment, p.message, p.key)
	if err != nil {
		return fmt.Errorf("end the email to a person: %w", err)
	}
	return nil
}
